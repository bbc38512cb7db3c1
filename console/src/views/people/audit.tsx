// SPDX-License-Identifier: Apache-2.0
// The audit: sign-ins and administrative acts, the latest first.
import { api, type Schema } from '../../api/client';
import { useCrumbs } from '../../app/crumbs';
import { argument, setQuery } from '../../app/router';
import { t } from '../../text/text';
import { Field } from '../../ui/control';
import { usePages } from '../../ui/pages';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';

type Act = Schema['Act'];

export function Audit() {
  useCrumbs({ label: t('frame.people'), href: '/people' }, { label: t('accounts.audit') });
  const account = argument('account');
  const kind = argument('kind');
  const from = argument('from');
  const pages = usePages<Act>(async (after, signal) => {
    const answer = await api.get('/v1/audit', {
      query: { limit: 100, account, kind, from, after },
      signal,
    });
    return { rows: answer.audit, next: answer.next };
  }, [account, kind, from]);
  const input = (name: 'account' | 'kind', label: string, value: string | undefined) => (
    <Field id={`audit-${name}`} label={label}><input id={`audit-${name}`} value={value ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })} /></Field>
  );
  return (
    <>
      <section class="filter" aria-label={t('common.filter')}>
        <div class="filter-row">
          {input('account', t('frame.account'), account)}
          {input('kind', t('accounts.kind'), kind)}
          <Field id="audit-from" label={t('accounts.since')}>
            <select id="audit-from" value={from ?? ''} onChange={(event) => setQuery({ from: event.currentTarget.value })}>
              <option value="">{t('cases.anyTime')}</option>
              <option value="PT1H">{t('cases.hours', { n: 1 })}</option>
              {[1, 7, 30].map((n) => <option key={n} value={`P${n}D`}>{t('cases.days', { n })}</option>)}
            </select>
          </Field>
        </div>
      </section>
      <Table name="audit" label={t('accounts.audit')} pages={pages} keyOf={(row) => row.id} empty={t('accounts.noAudit')} columns={[
        { id: 'at', label: t('accounts.at'), cell: (row) => <Time at={row.at} /> },
        { id: 'account', label: t('frame.account'), cell: (row) => <span dir="auto">{row.account}</span> },
        { id: 'kind', label: t('accounts.kind'), cell: (row) => <span class="mono">{row.kind}</span> },
        { id: 'subject', label: t('accounts.subject'), cell: (row) => <span dir="auto" title={row.subject}>{row.subject}</span> },
        { id: 'result', label: t('accounts.result'), cell: (row) => (row.result === 'done' ? <State value="done" /> : <State value="refused" label={row.result} />) },
        { id: 'detail', label: t('common.details'), cell: (row) => <span dir="auto" title={row.detail}>{row.detail}</span> },
        { id: 'address', label: t('accounts.address'), cell: (row) => <span class="mono">{row.address}</span> },
      ]} />
    </>
  );
}
