// SPDX-License-Identifier: Apache-2.0
// Cases that start later, and those that wait as their process is suspended.
import { api, type Schema } from '../../api/client';
import { mayAnywhere } from '../../app/session';
import { nameOf } from '../../app/specifications';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';

type Start = Schema['PutOff'];
const PAGE = 100;

const columns = (withdraw: (start: Start) => Promise<void>): Column<Start>[] => [
  { id: 'case', label: t('cases.case'), cell: (row) => <>{row.title !== undefined && <><Name value={row.title} /> </>}<span class={row.title === undefined ? 'mono' : 'mono muted small'}>{row.case}</span></> },
  { id: 'process', label: t('cases.process'), cell: (row) => <><Name value={nameOf(row.specification).process} /> <span class="muted">{nameOf(row.specification).version}</span></> },
  { id: 'at', label: t('server.startsAt'), cell: (row) => <><Time at={row.at} as="exact" /> <span class="muted">(<Time at={row.at} />)</span></> },
  { id: 'owner', label: t('cases.owner'), cell: (row) => <Name value={row.owner ?? ''} /> },
  { id: 'suspended', label: t('cases.state'), cell: (row) => row.suspended ? <span title={row.suspended.reason}><State value="suspended" label={t('server.processSuspended')} /></span> : <State value="scheduled" /> },
  ...(mayAnywhere('start') ? [{ id: 'withdraw', label: t('incidents.actions'), cell: (row: Start) => <Action danger label={t('server.withdraw')} onDo={() => withdraw(row)} /> }] : []),
];

export function Starts() {
  const starts = usePages<Start>(async (after, signal) => {
    const answer = await api.get('/v1/starts', { query: { limit: PAGE, after }, signal });
    return { rows: answer.starts, next: answer.next };
  }, []);
  const withdraw = async (start: Start) => {
    const sure = await ask({ text: t('server.withdrawText', { case: start.case }), verb: t('server.withdraw'), danger: true });
    if (sure === undefined) return;
    await attempt(() => api.delete('/v1/starts/{start}', { path: { start: start.start } }), t('server.withdrawn'));
    void starts.reload();
  };
  return <Table name="starts" label={t('server.tab.starts')} pages={starts} columns={columns(withdraw)} keyOf={(row) => String(row.start)} empty={t('server.noStarts')} tools={<Action icon="refresh" label={t('cases.refresh')} onDo={() => starts.reload()} />} />;
}
