// SPDX-License-Identifier: Apache-2.0
// The cases that one has started or worked on; those that one started may be
// withdrawn, where the process allows it.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, session, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { ask, attempt } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { State } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';

type Case = Schema['Case'];

async function withdraw(one: Case, reload: () => Promise<void>): Promise<void> {
  const reason = await ask({ text: t('work.ask.withdraw', { case: one.case }), verb: t('work.withdraw'), danger: true, reason: 'optional' });
  if (reason === undefined) return;
  if (await attempt(() => api.post('/v1/cases/{case}/withdraw', { path: { case: one.case }, body: reason === '' ? {} : { reason } }), t('work.withdrawn', { case: one.case }))) await reload();
}

/** Whether the process lets who started a case withdraw it: asked once for each process, by one of its cases. */
function useWithdrawable(rows: readonly Case[]): (one: Case) => boolean {
  const own = rows.filter((one) => one.owner === session.value?.account && (one.status === 'running' || one.status === 'suspended'));
  const known = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const asked = useRef(new Set<string>());
  useEffect(() => {
    for (const { specification, case: id } of own) {
      if (asked.current.has(specification)) continue;
      asked.current.add(specification);
      api.get('/v1/cases/{case}/actions', { path: { case: id } }).then(
        ({ withdraw }) => { known.value = new Map([...known.value, [specification, withdraw.allowed]]); },
        () => { asked.current.delete(specification); });
    }
  }, [rows]);
  return (one) => own.includes(one) && known.value.get(one.specification) === true;
}

export function OwnCases() {
  const pages = usePages<Case>(async (after, signal) => {
    const answer = await api.get('/v1/cases', { query: { mine: true, limit: 50, after }, signal });
    return { rows: answer.cases, next: answer.next };
  }, []);
  const mayWithdraw = useWithdrawable(pages.rows.value);
  const columns: Column<Case>[] = [
    { id: 'case', label: t('work.caseNumber'), cell: (one) => <a class="mono" href={`/cases/${encodeURIComponent(one.case)}`}>{one.case}</a>, width: '88px' },
    { id: 'title', label: t('work.title'), cell: (one) => <span dir="auto" title={one.title}>{one.title ?? '–'}</span> },
    { id: 'process', label: t('cases.process'), cell: (one) => <span dir="auto" title={one.process}>{one.process}</span> },
    { id: 'status', label: t('work.status'), cell: (one) => <State value={one.status} /> },
    { id: 'launched', label: t('work.launched'), cell: (one) => <Time at={one.launched} /> },
    { id: 'changed', label: t('work.changed'), cell: (one) => <Time at={one.changed} /> },
    { id: 'do', label: '', right: true, cell: (one) => mayWithdraw(one)
      ? <button type="button" class="button" onClick={() => void withdraw(one, () => pages.reload())}>{t('work.withdraw')}</button> : null },
  ];
  return (
    <>
      <div class="view-head"><h1>{t('work.ownCases')}</h1></div>
      <Table name="own-cases" label={t('work.ownCases')} pages={pages} columns={columns} keyOf={(one) => one.case} href={(one) => `/cases/${encodeURIComponent(one.case)}`} empty={t('work.noOwnCases')} />
    </>
  );
}
