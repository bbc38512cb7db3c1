// SPDX-License-Identifier: Apache-2.0
// Starting a case of a specification by its form.
import { useRef } from 'preact/hooks';
import { api, Problem } from '../api/client';
import { newKey } from '../api/key';
import { go, to } from '../app/router';
import { mayAnywhere } from '../app/session';
import { t } from '../text/text';
import { say } from '../ui/message';
import { useForm, type Filling } from './use-form';
import { useSubmit } from './use-submit';

/** Whether the server may have done the command nevertheless. */
const undecided = (failure: unknown): boolean => !(failure instanceof Problem) || failure.status === 0 || failure.status === 503;

export function useStart(specification: string, title = '', inDialog = false): { filling: Filling; busy: boolean; start: () => Promise<void> } {
  const path = { specification };
  const filling = useForm({
    load: (signal) => api.get('/v1/specifications/{specification}/form', { path, signal }),
    check: (values, signal) => api.post('/v1/specifications/{specification}/form', { path, body: values, signal }),
    dependencies: [specification],
  });
  // One key for one start, however often it is tried; what was refused is over.
  const key = useRef(newKey());
  const { busy, submit } = useSubmit(filling, async () => {
    const body = { specification, data: filling.output(), ...(title.trim() === '' ? {} : { title: title.trim() }) };
    const done = await api.post('/v1/cases', { body, key: key.current }).catch((failure: unknown) => {
      if (!undecided(failure)) key.current = newKey();
      throw failure;
    });
    say(t('work.started', { case: done.case }));
    go(mayAnywhere('read') ? to(['cases', done.case]) : '/work');
  }, filling.form.value !== undefined, inDialog);
  return { filling, busy, start: submit };
}
