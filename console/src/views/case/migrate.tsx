// SPDX-License-Identifier: Apache-2.0
// Migrating a case: a version is chosen, the server tries it, and what has
// nowhere to go gets a place by hand.
import { useMemo, useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { readPictures } from '../../picture/nets';
import { t } from '../../text/text';
import { Combobox } from '../../ui/combobox';
import { Action, Field } from '../../ui/control';
import { ask, attempt, Await, Failure } from '../../ui/message';
import { OutlookVerdict, OutlookView, useTrial } from './outlook';
import { setMode, type CaseModel } from './model';
import { namesOf } from './names';
import { decide, planOf, rowsFor, type Row } from './plan';
import { Element } from '../shared/words';
import { Linked } from './linked';

type Specification = Schema['Specification'];

/** What a row can become in the specification that is migrated to. */
function useTargets(specification: string): (row: Row) => { id: string; name: string }[] {
  const read = useResource(async (signal) => (specification === '' ? undefined : Promise.all([readPictures(specification), api.get('/v1/specifications/{specification}', { path: { specification }, signal })])), [specification]);
  return useMemo(() => {
    const [pictures, detail] = read.data.value ?? [];
    const names = namesOf(pictures, (from, to) => t('case.between', { from, to }));
    return (row) => {
      const inNet = (one: { net: string }) => one.net === row.net || !pictures?.nets.some((net) => net.id === row.net);
      if (row.kind === 'task') return names.tasks.filter(inNet);
      if (row.kind === 'condition') return names.conditions.filter(inNet);
      if (row.kind === 'net') return (pictures?.nets ?? []).map((net) => ({ id: net.id, name: net.name ?? net.id }));
      return (detail?.nets.find((net) => net.id === row.net)?.variables ?? []).map((variable) => ({ id: variable.name, name: variable.name }));
    };
  }, [read.data.value]);
}

function PlanRows({ of, rows, targets, onDecide }: { of: CaseModel; rows: Row[]; targets: (row: Row) => { id: string; name: string }[]; onDecide: (row: Row, to: string | null | undefined) => void }) {
  if (rows.length === 0) return null;
  return (
    <div class="column">
      <h3>{t('case.migrate.plan')}</h3>
      <ul class="case-plan">
        {rows.map((row) => {
          const id = `plan-${row.net}-${row.kind}-${row.element}`;
          return (
            <li key={id} class="column">
              <label for={id}>{t(`case.migrate.kind.${row.kind}`)} {row.kind === 'task' || row.kind === 'condition' ? <Element id={row.element} of={of} /> : <code>{row.element}</code>}</label>
              {row.to === undefined && <span class="small state-failed"><Linked text={row.text} of={of} /></span>}
              <select id={id} value={row.to === undefined ? '' : row.to === null ? '-' : `=${row.to}`} onChange={(event) => { const chosen = event.currentTarget.value; onDecide(row, chosen === '' ? undefined : chosen === '-' ? null : chosen.slice(1)); }}>
                <option value="">{t('case.migrate.undecided')}</option>
                <option value="-">{t('case.migrate.leave')}</option>
                {targets(row).map((target) => <option key={target.id} value={`=${target.id}`}>{target.name}</option>)}
              </select>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Versions({ of, chosen, onChoose }: { of: CaseModel; chosen: string; onChoose: (key: string) => void }) {
  const all = useResource(async (signal) => (await api.get('/v1/specifications', { signal })).specifications, []);
  return (
    <Await of={all} lines={1}>
      {(read: Specification[]) => {
        const own = read.find((one) => one.key === of.state.specification);
        const options = read
          .filter((one) => one !== own)
          .sort((a, b) => Number(b.uri === own?.uri) - Number(a.uri === own?.uri) || a.uri.localeCompare(b.uri) || b.version.localeCompare(a.version, undefined, { numeric: true }))
          .map((one) => ({ value: one.key, label: `${one.uri} ${one.version}`, detail: one.title }));
        return (
          <Field label={t('case.migrate.to')} id="migrate-to" {...(own ? { hint: t('case.migrate.from', { name: `${own.uri} ${own.version}` }) } : {})}>
            <Combobox id="migrate-to" value={chosen} options={options} onChoose={onChoose} />
          </Field>
        );
      }}
    </Await>
  );
}

export function MigratePanel({ of }: { of: CaseModel }) {
  const [specification, setSpecification] = useState('');
  const [rows, setRows] = useState<Row[]>([]);
  const [reoffer, setReoffer] = useState(false);
  const [reason, setReason] = useState('');
  const targets = useTargets(specification);
  const root = of.state.nets[0]?.net ?? '';
  const plan = planOf(rows, root, reoffer);
  const body = { specification, ...(plan ? { plan } : {}) };
  const { outlook, problem, forced, ...trial } = useTrial(specification === '' ? undefined : body, async (signal) => {
    const answer = await api.post('/v1/cases/{case}/migrate', { path: { case: of.id }, body: { ...body, dry_run: true, force: false }, signal });
    setRows((now) => rowsFor(now, answer.problems ?? answer.refusal?.problems ?? [], (net) => of.state.nets.find((one) => one.id === net)?.net));
    return answer;
  }, of.last);

  async function apply(): Promise<void> {
    if (!outlook || trial.refused !== undefined) return;
    if (forced && (await ask({ text: t('case.migrate.forceText'), detail: outlook.refusal?.detail, verb: t('case.migrate.force'), danger: true })) === undefined) return;
    const command = { ...body, dry_run: false, force: forced, ...(outlook.steps === undefined ? {} : { steps: outlook.steps }), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    if (!(await attempt(() => api.post('/v1/cases/{case}/migrate', { path: { case: of.id }, body: command }), t('case.migrated')))) return;
    of.changed();
    setMode('view');
  }

  const refused = of.actions.refused('migrate') ?? (specification === '' ? t('case.migrate.none') : trial.refused);
  return (
    <section class="column case-side-panel" aria-label={t('case.migrate')}>
      <div class="row">
        <h2 class="grow">{t('case.migrate')}</h2>
        <button type="button" class="button" onClick={() => setMode('view')}>{t('common.cancel')}</button>
      </div>
      <p class="muted">{t('case.migrate.help')}</p>
      <Versions of={of} chosen={specification} onChoose={(key) => { setRows([]); setSpecification(key); }} />
      <label class="row"><input type="checkbox" checked={reoffer} onChange={(event) => setReoffer(event.currentTarget.checked)} />{t('case.migrate.reoffer')}</label>
      <PlanRows of={of} rows={rows} targets={targets} onDecide={(row, to) => setRows(decide(rows, row, to))} />
      {problem && <Failure error={problem} what={t('case.outlook.refused')} />}
      {outlook && <OutlookView outlook={outlook} of={of} />}
      {(outlook?.problems ?? []).filter((one) => one.kind === 'timer').map((one) => <p key={one.element} class="small state-late"><Linked text={one.text} of={of} /></p>)}
      <div class="case-foot">
        <div class="field">
          <label for="migrate-reason">{t('common.reason')}</label>
          <input id="migrate-reason" value={reason} maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} />
        </div>
        <div class="row wrap">
          <Action label={t(forced ? 'case.migrate.force' : 'case.migrate.do')} primary danger={forced} refused={refused} onDo={apply} />
          {outlook && <OutlookVerdict outlook={outlook} />}
        </div>
      </div>
    </section>
  );
}
