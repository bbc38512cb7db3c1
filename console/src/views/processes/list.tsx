// SPDX-License-Identifier: Apache-2.0
// The processes: each with its newest version, and what its cases did lately.
import { useMemo } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useCrumbs } from '../../app/crumbs';
import { argument, setQuery, to } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { figure, t } from '../../text/text';
import { usePages } from '../../ui/pages';
import { State } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { CaseCount } from './counts';
import { countedStates, countsOf, processesOf, type CaseCounts, type Process } from './figures';

const PERIOD = 'P7D';
/** The columns of who may start only, and those that need the figures. */
const NAMED = new Set(['process', 'version', 'state']);
const COUNTED = new Set(['started7', 'completed7', 'cancelled7']);

interface Row extends Process { counts: CaseCounts | undefined }

function columns(): Column<Row>[] {
  return [
    {
      id: 'process', label: t('processes.process'), cell: (row) => (
        <span class="row" title={`${row.title}\n${row.uri}`}>
          <a class="cut" dir="auto" href={to(['processes', row.newest.key])}>{row.title}</a>
          {row.title !== row.uri && <span class="muted small cut process-uri" dir="auto">{row.uri}</span>}
        </span>
      ),
    },
    { id: 'version', label: t('processes.newest'), cell: (row) => <span dir="auto">{row.newest.version}</span> },
    { id: 'versions', label: t('processes.versions'), right: true, cell: (row) => figure(row.versions.length) },
    { id: 'state', label: t('processes.state'), cell: (row) => <State value={row.suspended === 0 ? 'ready' : 'suspended'} label={row.suspended === 0 ? t('processes.startable') : row.suspended === row.versions.length ? t('state.suspended') : t('processes.suspendedSome', { n: row.suspended })} /> },
    ...countedStates.map((state): Column<Row> => ({
      id: state, label: t(`processes.count.${state}`), right: true, extra: state === 'deadlocked' || state === 'cancelled',
      cell: (row) => <CaseCount counts={row.counts} keys={row.versions.map((one) => one.key)} specification={row.id} state={state} />,
    })),
    { id: 'started7', label: t('processes.started7'), right: true, cell: (row) => figure(row.started) },
    { id: 'completed7', label: t('processes.completed7'), right: true, cell: (row) => figure(row.completed), extra: true },
    { id: 'cancelled7', label: t('processes.cancelled7'), right: true, cell: (row) => figure(row.cancelled), extra: true },
    { id: 'loaded', label: t('processes.loaded'), cell: (row) => <Time at={row.newest.loaded} /> },
  ];
}

/** What a case of each specification did in the period, as far as one may see it. */
async function counted(signal: AbortSignal): Promise<Schema['Statistic'][]> {
  const answer = await api.get('/v1/statistics', { query: { by: 'case', per: 'period', from: PERIOD, limit: 1000 }, signal });
  return answer.statistics;
}

export function ProcessList() {
  const word = argument('q') ?? '';
  useCrumbs({ label: t('frame.processes') });
  const reads = mayAnywhere('read');
  // Figures of all processes are for who may read all.
  const counts = may('read');
  const pages = usePages<Row>(async (_, signal) => {
    if (!reads) return { rows: processesOf((await api.get('/v1/startable', { signal })).specifications, []).map((one) => ({ ...one, counts: undefined })) };
    const [{ specifications }, statistics, answer] = await Promise.all([api.get('/v1/specifications', { signal }), counts ? counted(signal) : [], api.get('/v1/case-counts', { signal })]);
    const cases = countsOf(answer);
    return { rows: processesOf(specifications, statistics).map((one) => ({ ...one, counts: cases })) };
  }, [reads, counts]);
  const sought = word.trim().toLocaleLowerCase();
  const found = useMemo(() => ({ ...pages, rows: { get value() { return pages.rows.value.filter((row) => row.title.toLocaleLowerCase().includes(sought) || row.uri.toLocaleLowerCase().includes(sought)); } } }) as typeof pages, [pages, sought]);
  return (
    <div class="view">
      <div class="view-head">
        <h1 class="grow">{t('frame.processes')}</h1>
        <input type="search" class="processes-find" aria-label={t('common.filter')} placeholder={t('common.filter')} value={word} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
        {mayAnywhere('load') && <a class="button primary" href="/processes/load">{t('processes.load')}</a>}
      </div>
      <Table name="processes" label={t('frame.processes')} pages={found} columns={columns().filter((one) => counts || (reads ? !COUNTED.has(one.id) : NAMED.has(one.id)))} keyOf={(row) => row.id}
        href={(row) => to(['processes', row.newest.key])}
        empty={sought !== '' ? t('processes.noneSuch') : <>{t('processes.none')} {mayAnywhere('load') && <a href="/processes/load">{t('processes.load')}</a>}</>} />
    </div>
  );
}
