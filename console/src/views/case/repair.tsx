// SPDX-License-Identifier: Apache-2.0
// Repairing a case: changes are collected, by dragging tokens on the picture or
// by choosing, and after each the server says what would come of all.
//
//     changes ──200 ms──► dry run ──► outlook ──► done, as it was tried
import { useSignal, type Signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt, Failure } from '../../ui/message';
import { Phrase } from '../../ui/phrase';
import { OutlookVerdict, OutlookView, useTrial, type Trial } from './outlook';
import { setMode, type CaseModel } from './model';
import { append, type Change } from './repair-changes';
import { RepairTools } from './repair-tools';
import { Element } from '../shared/words';

interface Repair {
  changes: Signal<Change[]>;
  trial: Trial;
  add: (change: Change | undefined) => void;
}

/** The changes, tried after each of them while the case is being repaired (`on`). */
export function useRepair(id: string, last: number, on: boolean): Repair {
  const changes = useSignal<Change[]>([]);
  const body = on && changes.value.length > 0 ? { changes: changes.value, dry_run: true, force: false } : undefined;
  const trial = useTrial(body, (signal) => api.post('/v1/cases/{case}/repair', { path: { case: id }, body: body!, signal }), last);
  return { changes, trial, add: (change) => { if (change) changes.value = append(changes.value, change); } };
}

function ChangeWords({ change, of }: { change: Change; of: CaseModel }) {
  const element = (id: string | undefined) => (id === undefined ? '' : <Element id={id} of={of} />);
  const root = of.state.nets[0]?.id;
  return (
    <span class="words">
      <Phrase of={`case.change.${change.change}`} values={{ n: change.tokens ?? 1 }} parts={{
        condition: element(change.condition), from: element(change.from), to: element(change.to), task: element(change.task),
        variables: Object.keys(change.data ?? {}).map((name, index) => <code key={name}>{index > 0 ? `, ${name}` : name}</code>),
      }} />
      {change.net !== undefined && change.net !== root && <span class="small mono muted"> {change.net}</span>}
    </span>
  );
}

export function RepairPanel({ of, repair }: { of: CaseModel; repair: Repair }) {
  const [reason, setReason] = useState('');
  const changes = repair.changes.value;
  const { outlook, problem, forced, ...trial } = repair.trial;

  async function apply(): Promise<void> {
    if (!outlook || trial.refused !== undefined) return;
    if (forced && (await ask({ text: t('case.repair.forceText'), detail: outlook.refusal?.detail, verb: t('case.repair.force'), danger: true })) === undefined) return;
    const body = { changes, force: forced, ...(outlook.steps === undefined ? {} : { steps: outlook.steps }), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    if (!(await attempt(() => api.post('/v1/cases/{case}/repair', { path: { case: of.id }, body }), t('case.repaired')))) return;
    repair.changes.value = [];
    of.changed();
    setMode('view');
  }

  const refused = of.actions.refused('repair') ?? (changes.length === 0 ? t('case.repair.none') : trial.refused);
  return (
    <section class="column case-side-panel" aria-label={t('case.repair')}>
      <div class="row">
        <h2 class="grow">{t('case.repair')}</h2>
        <button type="button" class="button" onClick={() => { repair.changes.value = []; setMode('view'); }}>{t('common.cancel')}</button>
      </div>
      <p class="muted">{t('case.repair.help')}</p>
      <RepairTools of={of} add={repair.add} />
      {changes.length > 0 && (
        <ol class="case-changes">
          {changes.map((change, index) => (
            <li key={index} class="row">
              <span class="grow"><ChangeWords change={change} of={of} /></span>
              <button type="button" class="link" onClick={() => { repair.changes.value = changes.filter((_, at) => at !== index); }}>{t('common.remove')}</button>
            </li>
          ))}
        </ol>
      )}
      {problem && <Failure error={problem} what={t('case.outlook.refused')} />}
      {outlook && <OutlookView outlook={outlook} of={of} />}
      <div class="case-foot">
        <div class="field">
          <label for="repair-reason">{t('common.reason')}</label>
          <input id="repair-reason" value={reason} maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} />
        </div>
        <div class="row wrap">
          <Action label={changes.length === 0 ? t('case.repair') : t(forced ? 'case.repair.force' : 'case.repair.do', { n: changes.length })} primary danger={forced} refused={refused} onDo={apply} />
          {outlook && <OutlookVerdict outlook={outlook} />}
        </div>
      </div>
    </section>
  );
}
