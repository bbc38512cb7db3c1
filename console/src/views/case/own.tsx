// SPDX-License-Identifier: Apache-2.0
// The picture of a case for who may see the case but not read its process: as
// the server draws it.
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import type { CaseModel } from './model';

export function OwnPicture({ of }: { of: CaseModel }) {
  const [image, setImage] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    const abort = new AbortController();
    void api.get('/v1/cases/{case}/diagram', { path: { case: of.id }, headers: { Accept: 'image/svg+xml' }, signal: abort.signal }).then((svg) => {
      made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      setImage(made);
    }, () => undefined);
    return () => {
      abort.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [of.id, of.last]);
  return (
    <div class="case-own-picture">
      {image !== undefined && <img src={image} alt={t('case.own.picture')} />}
      <div><Action label={t('case.own.reload')} icon="refresh" onDo={() => of.live.reload()} /></div>
    </div>
  );
}
