// SPDX-License-Identifier: Apache-2.0
// Cases: the list, found by anything one knows of them, and what is done to many.
import { useEffect, useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { news } from '../../app/changes';
import { useCrumbs } from '../../app/crumbs';
import { place, to } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action, Id } from '../../ui/control';
import { usePages } from '../../ui/pages';
import { ProcessName } from '../../ui/process-name';
import { State, StateMark } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { CaseView } from '../case/case';
import { OperationStart } from '../operations/start';
import { FilterBar } from './filter-bar';
import { readFilter, type Filter } from '../shared/case-filter';
import { codeName } from '../shared/codes';

type Case = Schema['Case'];

const PAGE = 100;

// How a case is comes before what it is of: a narrow screen shows only the first columns.
const columns = (): Column<Case>[] => [
  { id: 'title', label: t('cases.case'), cell: (row) => <CaseName row={row} /> },
  { id: 'state', label: t('cases.state'), cell: (row) => <State value={row.status} /> },
  {
    id: 'incident', label: t('cases.incident'),
    cell: (row) => row.incident !== undefined && (
      <a class="state state-failed" href={to(['incidents', row.incident])}><StateMark value="failed" />{codeName(row.incident_code ?? '')}</a>
    ),
  },
  { id: 'process', label: t('cases.process'), cell: (row) => <ProcessName specification={row.specification} process={row.process} /> },
  { id: 'launched', label: t('cases.launched'), cell: (row) => <Time at={row.launched} /> },
  { id: 'changed', label: t('cases.changed'), cell: (row) => <Time at={row.changed} /> },
  { id: 'steps', label: t('cases.steps'), right: true, cell: (row) => (row.sequence === undefined ? '' : figure(row.sequence)), extra: true },
  { id: 'owner', label: t('cases.owner'), cell: (row) => <span dir="auto">{row.owner}</span>, extra: true },
];

function CaseName({ row }: { row: Case }) {
  const href = to(['cases', row.case]);
  return row.title === undefined ? <Id value={row.case} href={href} /> : (
    <span class="row" title={row.title}>
      <a class="cut" dir="auto" href={href}>{row.title}</a>
      <span class="mono muted small">{row.case}</span>
    </span>
  );
}

export function Cases() {
  const id = place.value.path[1];
  return id === undefined ? <CaseList /> : <CaseView key={id} id={id} />;
}

function CaseList() {
  const filter = readFilter(place.value.query);
  const order = place.value.query.get('order') === 'oldest' ? 'oldest' : 'newest';
  // Who may read one process reads its cases, when that one is chosen.
  const others = may('read') || (mayAnywhere('read') && filter.specification !== undefined);
  const query: Filter = others ? filter : { ...filter, mine: 'true' };
  const key = JSON.stringify([query, order]);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [starting, setStarting] = useState<{ cases?: string[] }>();
  useCrumbs({ label: t('frame.cases') });

  const pages = usePages<Case>(async (after, signal) => {
    const { set_aside, mine, ...rest } = query;
    const answer = await api.get('/v1/cases', {
      query: {
        ...rest, order, limit: PAGE, after,
        set_aside: set_aside === 'true' || undefined,
        mine: mine === 'true' || undefined,
      },
      signal,
    });
    return { rows: answer.cases, next: answer.next };
  }, [key]);

  useEffect(() => setChosen(new Set()), [key]);
  // Who comes back to the page, or has done something, sees what is so now.
  useEffect(() => {
    const again = () => { if (document.visibilityState === 'visible' && pages.ready.value && pages.rows.value.length <= PAGE) void pages.reload(); };
    document.addEventListener('visibilitychange', again);
    let known = news.value;
    const off = news.subscribe((now) => { if (now !== known) again(); known = now; });
    return () => { document.removeEventListener('visibilitychange', again); off(); };
  }, [pages]);

  const mayOperate = may('operate');
  return (
    <div class="view">
      <div class="view-head">
        <h1 class="grow">{t('frame.cases')}</h1>
        {may('read') && <a class="button" href="/operations">{t('operations.title')}</a>}
      </div>
      <FilterBar filter={filter} order={order} />
      <Table
        name="cases"
        label={t('frame.cases')}
        pages={pages}
        columns={columns()}
        keyOf={(row) => row.case}
        href={(row) => to(['cases', row.case])}
        {...(mayOperate ? { chosen, onChoose: setChosen } : {})}
        empty={Object.keys(filter).length > 0 ? t('cases.noneSuch') : t('cases.none')}
        tools={
          <>
            <Action label={t('cases.refresh')} icon="refresh" onDo={() => pages.reload()} />
            {mayOperate && (
              <Action label={t('operations.onAll')} onDo={() => setStarting({})} />
            )}
          </>
        }
      />
      {chosen.size > 0 && (
        <div class="chosen-bar" role="region" aria-label={t('common.selected', { n: chosen.size })}>
          <span class="strong num">{t('common.selected', { n: chosen.size })}</span>
          <Action primary label={t('operations.onChosen')} onDo={() => setStarting({ cases: [...chosen] })} />
          <Action label={t('cases.clear')} onDo={() => setChosen(new Set())} />
        </div>
      )}
      {starting && (
        <OperationStart filter={filter} cases={starting.cases} onClose={() => setStarting(undefined)} onStarted={() => { setStarting(undefined); setChosen(new Set()); }} />
      )}
    </div>
  );
}
