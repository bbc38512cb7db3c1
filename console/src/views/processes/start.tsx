// SPDX-License-Identifier: Apache-2.0
// Starting a case by a form that is made of the input parameters.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { go } from '../../app/router';
import { FormView, Refused } from '../../form/form-view';
import { useStart } from '../../form/use-start';
import { t } from '../../text/text';
import { Action, Field } from '../../ui/control';
import { Await, Dialog, Empty, Failure } from '../../ui/message';
import type { Specification } from './figures';

/** For who may start cases of a process and not read it. */
export function StartOnly({ specification }: { specification: string }) {
  const read = useResource((signal) => api.get('/v1/startable', { signal }), []);
  return (
    <Await of={read}>{({ specifications }) => {
      const of = specifications.find((one) => one.key === specification || one.uri === specification);
      return of ? <StartDialog of={of} onClose={() => go('/processes')} /> : <Empty>{t('frame.forbidden')}</Empty>;
    }}</Await>
  );
}

export function StartDialog({ of, onClose }: { of: Specification; onClose: () => void }) {
  const [title, setTitle] = useState('');
  const { filling, busy, start } = useStart(of.key, title, true);
  const form = filling.form.value;
  return (
    <Dialog wide title={t('processes.startOf', { name: of.title ?? of.uri, version: of.version })} onClose={onClose}
      foot={<><button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button><Action primary label={t('processes.start')} refused={form && !busy ? undefined : t('common.loading')} onDo={start} /></>}>
      <Field id="start-title" label={t('processes.caseTitle')} hint={t('processes.caseTitleHint')}>
        <input id="start-title" value={title} maxLength={1000} onInput={(event) => setTitle(event.currentTarget.value)} />
      </Field>
      {form?.fields.length === 0 && filling.refused.value && <Refused problem={filling.refused.value} />}
      <Await of={filling.resource} lines={3}>{() => form && (form.fields.length === 0
        ? <p class="muted">{t('processes.startNothing')}</p>
        : <FormView form={form} value={filling.value.value} onChange={(value) => filling.change(value)} mistakes={filling.mistakes.value} onTouch={(path) => filling.touch(path)} refusals={filling.refusals.value} refused={filling.refused.value} />)}</Await>
      {filling.unchecked.value && <Failure error={filling.unchecked.value} what={t('work.unchecked')} />}
    </Dialog>
  );
}
