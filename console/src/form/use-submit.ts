// SPDX-License-Identifier: Apache-2.0
// Sending what was filled in: by a button, or by Ctrl+Enter.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api/client';
import { attempt, complain } from '../ui/message';
import type { Filling } from './use-form';

/** Whether a refusal may be about what was filled in: then fields may say it. */
const aboutData = (failure: unknown): failure is Problem => failure instanceof Problem && (failure.status === 422 || failure.status === 400);

/** A refusal that is about what was filled in: at the fields, else above them until they change. */
export async function refuse(filling: Filling, failure: unknown): Promise<void> {
  if (!aboutData(failure)) complain(failure);
  else if (await filling.verify()) filling.refuse(failure);
}

/** A date or time of which a part is typed has no value, as if it were empty: the browser says what is missing. */
function halfTyped(inDialog: boolean): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>(inDialog ? 'dialog[open] .form input' : '.form input');
  const found = [...fields].find((field) => field.validity.badInput);
  return found !== undefined && !found.reportValidity();
}

/**
 * `send` once at a time; what of a refusal is about the data stands in the form,
 * the rest is said.  While a dialog is open, the keys are its own.
 */
export function useSubmit(filling: Filling, send: () => Promise<void>, ready: boolean, inDialog = false): { busy: boolean; submit: () => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (busy || !ready || halfTyped(inDialog)) return;
    setBusy(true);
    filling.rest(true);
    await attempt(send, undefined, async (failure) => {
      setBusy(false);
      filling.rest(false);
      await refuse(filling, failure);
    });
  };
  const latest = useRef(submit);
  latest.current = submit;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelectorAll('dialog[open]').length > (inDialog ? 1 : 0)) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { busy, submit };
}
