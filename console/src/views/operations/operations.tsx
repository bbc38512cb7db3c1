// SPDX-License-Identifier: Apache-2.0
// Operations on many cases: what was started, how far it is, what was refused.
import { useEffect } from 'preact/hooks';
import { useChanges } from '../../app/changes';
import { api, type Schema } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { argument, go, place, setQuery, to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t, tOr } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt, Await, Empty } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { State } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { follow } from './tray';

type Operation = Schema['Operation'];
type Outcome = Schema['Outcome'];
const READ_EACH_MS = 1000;

export function Operations() {
  const id = place.value.path[1];
  return id === undefined ? <OperationList /> : <OperationView key={id} id={Number(id)} />;
}

const kindOf = (operation: Operation) => tOr(`operations.kind.${operation.kind}`, operation.kind);

function OperationList() {
  useCrumbs({ label: t('frame.cases'), href: '/cases' }, { label: t('operations.title') });
  const list = useResource((signal) => api.get('/v1/operations', { query: { limit: 200 }, signal }), []);
  useChanges(() => void list.reload());
  return (
    <div class="view">
      <div class="view-head"><h1>{t('operations.title')}</h1></div>
      <Await of={list}>
        {({ operations }) => operations.length === 0 ? <Empty>{t('operations.none')}</Empty> : (
          <div class="table-wrap">
            <table class="list" aria-label={t('operations.title')}>
              <thead><tr>
                <th scope="col">{t('operations.operation')}</th><th scope="col">{t('cases.state')}</th><th scope="col" class="right">{t('operations.done')}</th><th scope="col" class="right">{t('operations.refused')}</th>
                <th scope="col">{t('operations.by')}</th><th scope="col">{t('operations.created')}</th><th scope="col">{t('common.reason')}</th>
              </tr></thead>
              <tbody>
                {operations.map((one) => (
                  <tr key={one.operation} class="open" onClick={(event) => { if (!(event.target as Element).closest('a')) go(to(['operations', one.operation])); }}>
                    <td><a href={to(['operations', one.operation])}>{kindOf(one)}</a> <span class="muted num">{one.operation}</span></td>
                    <td><State value={one.state} /></td>
                    <td class="right">{figure(one.done)}</td>
                    <td class="right">{figure(one.refused)}</td>
                    <td dir="auto">{one.by}</td>
                    <td><Time at={one.created} /></td>
                    <td dir="auto" title={one.reason}>{one.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Await>
    </div>
  );
}

const outcomeColumns = (): Column<Outcome>[] => [
  { id: 'case', label: t('cases.case'), cell: (row) => (row.case === undefined ? '' : <a class="mono" href={to(['cases', row.case])}>{row.case}</a>) },
  { id: 'subject', label: t('operations.subject'), cell: (row) => <span class="mono">{row.subject}</span> },
  { id: 'result', label: t('cases.state'), cell: (row) => <State value={row.result} /> },
  { id: 'text', label: t('common.reason'), cell: (row) => <span dir="auto" title={row.text}>{row.text}</span> },
];

function OperationView({ id }: { id: number }) {
  useCrumbs({ label: t('frame.cases'), href: '/cases' }, { label: t('operations.title'), href: '/operations' }, { label: String(id) });
  const operation = useResource((signal) => api.get('/v1/operations/{operation}', { path: { operation: id }, signal }), [id]);
  const state = operation.data.value?.state;
  useEffect(() => {
    if (state !== 'running') return;
    const timer = setInterval(() => void operation.reload(), READ_EACH_MS);
    return () => clearInterval(timer);
  }, [state]);
  const going = state === undefined || state === 'running';
  const result = argument('result');
  const outcomes = usePages<Outcome>(async (after, signal) => {
    const answer = await api.get('/v1/operations/{operation}/cases', {
      path: { operation: id },
      query: { limit: 100, result: result === 'done' || result === 'refused' ? result : undefined, after },
      signal,
    });
    return { rows: answer.cases, next: answer.next };
  }, [id, result, going]);
  return (
    <div class="view">
      <Await of={operation}>
        {(data) => (
          <>
            <div class="view-head">
              <h1 class="grow">{kindOf(data)} <span class="muted num">{data.operation}</span></h1>
              <Buttons operation={data} resource={operation} />
            </div>
            <dl class="facts">
              <dt>{t('cases.state')}</dt><dd><State value={data.state} />{data.error !== undefined && <span class="words"> {data.error}</span>}</dd>
              <dt>{t('operations.done')}</dt><dd class="num">{figure(data.done)}</dd>
              <dt>{t('operations.refused')}</dt><dd class="num">{figure(data.refused)}</dd>
              <dt>{t('operations.examined')}</dt><dd class="num">{figure(data.examined)}</dd>
              <dt>{t('operations.by')}</dt><dd dir="auto">{data.by}</dd>
              <dt>{t('operations.created')}</dt><dd><Time at={data.created} as="exact" /></dd>
              {data.reason !== undefined && <><dt>{t('common.reason')}</dt><dd dir="auto" class="words">{data.reason}</dd></>}
              {data.filter && <><dt>{t('common.filter')}</dt><dd class="mono words">{Object.entries(data.filter).map(([name, value]) => `${name}=${value}`).join(' · ') || t('common.all')}</dd></>}
            </dl>
          </>
        )}
      </Await>
      <section class="panel">
        <div class="panel-head">
          <h2 class="grow">{t('operations.outcomes')}</h2>
          <select aria-label={t('cases.state')} class="short" value={result ?? ''} onChange={(event) => setQuery({ result: event.currentTarget.value })}>
            <option value="">{t('common.all')}</option>
            <option value="refused">{t('state.refused')}</option>
            <option value="done">{t('state.done')}</option>
          </select>
        </div>
        <Table name="outcomes" label={t('operations.outcomes')} pages={outcomes} columns={outcomeColumns()} keyOf={(row) => `${row.case ?? ''} ${row.subject ?? ''} ${row.result}`} empty={t('operations.noOutcome')} />
      </section>
    </div>
  );
}

function Buttons({ operation, resource }: { operation: Operation; resource: Resource<Operation> }) {
  if (!may('operate')) return null;
  const path = { operation: operation.operation };
  const then = async (command: Promise<Operation>) => { resource.set(await command); };
  const live = operation.state === 'running' || operation.state === 'paused';
  return (
    <div class="row wrap">
      {operation.state === 'running' && <Action label={t('operations.pause')} icon="pause" onDo={() => attempt(() => then(api.post('/v1/operations/{operation}/pause', { path })))} />}
      {operation.state === 'paused' && <Action label={t('operations.resume')} icon="play" onDo={() => attempt(() => then(api.post('/v1/operations/{operation}/resume', { path })))} />}
      {live && <Action label={t('operations.cancel')} danger onDo={() => attempt(() => then(api.post('/v1/operations/{operation}/cancel', { path })))} />}
      {!live && operation.done > 0 && (operation.kind === 'suspend' || operation.kind === 'resume' || operation.kind === 'migrate') && (
        <Action label={t('common.undo')} onDo={async () => {
          const said = await ask({ text: t('operations.undoText', { n: operation.done }), verb: t('common.undo'), count: operation.done });
          if (said === undefined) return;
          await attempt(async () => {
            const other = await api.post('/v1/operations/{operation}/undo', { path });
            follow(other.operation);
            go(to(['operations', other.operation]));
          });
        }} />
      )}
    </div>
  );
}
