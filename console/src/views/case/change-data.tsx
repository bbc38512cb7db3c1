// SPDX-License-Identifier: Apache-2.0
// Changing the data of a case: a form by the types of its variables, checked as
// one types; only what was changed is sent.
import { api } from '../../api/client';
import { FormView } from '../../form/form-view';
import { useForm } from '../../form/use-form';
import { refuse } from '../../form/use-submit';
import { language, t } from '../../text/text';
import { Action } from '../../ui/control';
import { attempt, Await } from '../../ui/message';
import { setMode, type CaseModel } from './model';

/** The members that differ from what they were. */
function changedMembers(now: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

export function ChangeDataPanel({ of }: { of: CaseModel }) {
  const path = { case: of.id };
  const filling = useForm({
    load: (signal) => api.get('/v1/cases/{case}/form', { path, query: { language: language.value }, signal }),
    check: (data, signal) => api.post('/v1/cases/{case}/form', { path, query: { language: language.value }, body: data, signal }),
    dependencies: [of.id, language.value],
  });
  const read = filling.resource.data.value;
  const changed = read ? changedMembers(filling.output(), read.data) : {};
  const count = Object.keys(changed).length;

  async function save(): Promise<void> {
    if (!(await filling.verify())) return;
    if (!(await attempt(() => api.patch('/v1/cases/{case}/data', { path, body: changed }), t('case.dataChanged'), (failure) => refuse(filling, failure)))) return;
    of.changed();
    setMode('view');
  }
  const refused = of.actions.refused('change_data') ?? (count === 0 ? t('case.data.noChange') : undefined);
  return (
    <section class="column case-side-panel" aria-label={t('case.changeData')}>
      <div class="row">
        <h2 class="grow">{t('case.changeData')}</h2>
        <button type="button" class="button" onClick={() => setMode('view')}>{t('common.cancel')}</button>
      </div>
      <p class="muted">{t('case.changeData.help')}</p>
      <Await of={filling.resource}>
        {(form) => <FormView form={filling.form.value ?? form} value={filling.value.value} onChange={filling.change} mistakes={filling.mistakes.value} onTouch={filling.touch} refusals={filling.refusals.value} refused={filling.refused.value} />}
      </Await>
      <div class="case-foot"><Action label={count === 0 ? t('case.changeData') : t('case.changeData.do', { n: count })} primary refused={refused} onDo={save} /></div>
    </section>
  );
}
