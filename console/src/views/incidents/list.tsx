// SPDX-License-Identifier: Apache-2.0
// Incidents one by one: open ones, or those that were dropped, and why.
import { useChanges } from '../../app/changes';
import { api } from '../../api/client';
import { nameOf } from '../../app/specifications';
import { to } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action, Id } from '../../ui/control';
import { usePages, type Pages } from '../../ui/pages';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { drop, retry } from './actions';
import { failedTask, type Filter, type Incident } from './filter';
import { codeName } from '../shared/codes';

type Status = 'open' | 'dropped';
const PAGE = 100;

export function useIncidents(filter: Filter & { group?: string }, status: Status): Pages<Incident> {
  return usePages<Incident>(async (after, signal) => {
    const answer = await api.get('/v1/incidents', { query: { ...filter, status, limit: PAGE, after }, signal });
    return { rows: answer.incidents, next: answer.next };
  }, [JSON.stringify(filter), status]);
}

const text = (value: string | undefined) => <span dir="auto" title={value}>{value}</span>;

/** `place`: with the process, task and reason, which those of a group share. */
function columns(status: Status, place: boolean, then: () => void): Column<Incident>[] {
  const where: Column<Incident>[] = place ? [
    { id: 'kind', label: t('incidents.kind'), cell: (row) => <span class={status === 'open' ? 'state-failed' : ''}>{codeName(row.code)}</span> },
    { id: 'process', label: t('cases.process'), cell: (row) => row.specification === undefined ? '' : text(nameOf(row.specification).process) },
    { id: 'task', label: t('incidents.task'), cell: (row) => text(failedTask(row)) },
  ] : [];
  return [
    { id: 'incident', label: t('incidents.incident'), cell: (row) => <a class="num" href={to(['incidents', row.incident])}>{row.incident}</a> },
    { id: 'case', label: t('cases.case'), cell: (row) => row.case === undefined ? '' : <Id value={row.case} href={to(['cases', row.case])} /> },
    ...where,
    { id: 'text', label: t('incidents.reason'), cell: (row) => text(row.text), extra: !place },
    { id: 'attempts', label: t('incidents.attempts'), right: true, cell: (row) => figure(row.attempts) },
    ...(status === 'open' ? [
      { id: 'first', label: t('incidents.firstTime'), cell: (row: Incident) => <Time at={row.first} />, extra: place },
      { id: 'last', label: t('incidents.lastTime'), cell: (row: Incident) => <Time at={row.last} /> },
      ...(mayAnywhere('operate') ? [{
        id: 'actions', label: t('incidents.actions'), cell: (row: Incident) => (
          <span class="row">
            <Action label={t('case.incident.retry')} refused={row.code === 'deadlock' ? t('case.incident.deadlock') : undefined} onDo={() => retry(row, then)} />
            <Action label={t('case.incident.drop')} onDo={() => drop(row, then)} />
          </span>
        ),
      }] : []),
    ] : [
      { id: 'droppedAt', label: t('incidents.droppedAt'), cell: (row: Incident) => <Time at={row.droppedAt} /> },
      { id: 'droppedBy', label: t('incidents.droppedBy'), cell: (row: Incident) => text(row.droppedBy) },
      { id: 'why', label: t('incidents.why'), cell: (row: Incident) => text(row.reason) },
    ]),
  ];
}

export function IncidentTable({ name, pages, status, place }: { name: string; pages: Pages<Incident>; status: Status; place: boolean }) {
  return (
    <Table name={name} label={t(status === 'open' ? 'frame.incidents' : 'incidents.tab.dropped')} pages={pages} columns={columns(status, place, () => void pages.reload())}
      keyOf={(row) => String(row.incident)} href={(row) => to(['incidents', row.incident])} empty={t(status === 'open' ? 'incidents.noneSuch' : 'incidents.noneDropped')} />
  );
}

export function IncidentList({ status, filter }: { status: Status; filter: Filter }) {
  const pages = useIncidents(filter, status);
  // Who has read further keeps what is there.
  useChanges(() => { if (pages.rows.value.length <= PAGE) void pages.reload(); });
  return <IncidentTable name={`incidents.${status}`} pages={pages} status={status} place />;
}
