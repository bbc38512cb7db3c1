// SPDX-License-Identifier: Apache-2.0
// The picture of a case for who may see the case but not read its process: as
// the server draws it.
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client';
import './shared.css';

/** Read anew for each `at`; an image of the same address would stay as it was. */
export function Drawn({ id, at, alt }: { id: string; at: number | string; alt: string }) {
  const [image, setImage] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    const abort = new AbortController();
    void api.get('/v1/cases/{case}/diagram', { path: { case: id }, headers: { Accept: 'image/svg+xml' }, signal: abort.signal }).then((svg) => {
      made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      setImage(made);
    }, () => undefined);
    return () => {
      abort.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id, at]);
  return image === undefined ? null : <img class="drawn" src={image} alt={alt} />;
}
