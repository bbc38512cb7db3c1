// SPDX-License-Identifier: Apache-2.0
// Sending what was filled in: by a button, or by Ctrl+Enter.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api/client';
import { complain } from '../ui/message';
import type { Filling } from './use-form';

/** Whether a refusal may be about what was filled in: then fields may say it. */
const aboutData = (failure: unknown): boolean => failure instanceof Problem && (failure.status === 422 || failure.status === 400);

/** `send` once at a time; what of a refusal is about fields stands there, the rest is said. */
export function useSubmit(filling: Filling, send: () => Promise<void>, ready = true): { busy: boolean; submit: () => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (busy || !ready) return;
    setBusy(true);
    filling.rest();
    try {
      await send();
    } catch (failure) {
      setBusy(false);
      if (!aboutData(failure) || (await filling.verify())) complain(failure);
    }
  };
  const latest = useRef(submit);
  latest.current = submit;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { busy, submit };
}
