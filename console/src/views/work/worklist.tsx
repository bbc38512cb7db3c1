// SPDX-License-Identifier: Apache-2.0
// The list of work: views, words, order, and its rows as they change.
import { api, session } from '../../api/client';
import { useResource } from '../../api/resource';
import { may } from '../../app/session';
import { argument, go, setQuery } from '../../app/router';
import { useTyped } from '../../app/typed';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { Empty, Failure, Skeleton } from '../../ui/message';
import { Tabs } from '../../ui/control';
import { useMore, usePages, type Pages } from '../../ui/pages';
import { SavedFilters } from '../cases/saved-filters';
import { workAddress } from './address';
import { Filters } from './filters';
import { useListKeys } from './keys';
import { useLatestChange } from './live';
import { listQuery, merged, orders, viewLabel, views, type Order, type Row, type View } from './order';
import { RowView } from './row';

const PAGE = 50;
const READ_ONE_BY_ONE = 8;
const OF_OTHERS = new Set<View>(['team', 'groups', 'unoffered']);

const viewNow = (): View => {
  const view = argument('view') as View;
  return views.includes(view) ? view : session.value?.participant === undefined && argument('person') === undefined ? 'unoffered' : 'all';
};
const orderNow = (): Order => (orders.includes(argument('order') as Order) ? (argument('order') as Order) : 'due');

type Query = NonNullable<Parameters<typeof api.get<'/v1/worklist'>>[1]>['query'];

/** What the address says of the list. */
export function queryNow(): NonNullable<Query> {
  const q = argument('q');
  const due = argument('due');
  const person = argument('person');
  const priority = argument('priority');
  return {
    ...listQuery(viewNow()), order: orderNow(),
    q, due, for: person,
    priority: priority === undefined ? undefined : Number(priority),
  };
}

/** Whether the list is one's own, of which the stream reports each change. */
export const isReported = (): boolean => session.value?.participant !== undefined && argument('person') === undefined && !OF_OTHERS.has(viewNow());

/** Which lists an account may see: by its privileges, which the server checks. */
function useViews(): View[] {
  const participant = session.value?.participant;
  const record = useResource(async (signal) => (participant === undefined ? undefined : api.get('/v1/people/{record}', { path: { record: participant }, signal })), [participant]);
  const privileges = (record.data.value?.['privileges'] ?? []) as string[];
  const all = privileges.includes('carteblanche');
  const administers = record.data.value?.['administrator'] === true || (participant === undefined && may('operate'));
  return views.filter((view) =>
    view === 'team' ? all || privileges.includes('canViewTeamItems')
    : view === 'groups' ? all || privileges.includes('canViewOrgGroupItems')
    : view === 'unoffered' ? administers
    : participant !== undefined || argument('person') !== undefined);
}

/** Puts what the stream reports into the rows that are shown. */
function useLiveRows(pages: Pages<Row>): void {
  useLatestChange((change) => {
    if (!pages.ready.value) return;
    const view = viewNow();
    if (change.all || change.here.size > READ_ONE_BY_ONE || OF_OTHERS.has(view)) {
      void pages.reload();
      return;
    }
    if (change.left.size > 0) pages.replace((rows) => rows.filter((row) => !change.left.has(row.item)));
    for (const one of change.here.values())
      void api.get('/v1/worklist', { query: { ...queryNow(), case: one.case, task: one.task, limit: PAGE } }).then((answer) => {
        const row = answer.items.find((found) => found.item === one.item);
        pages.replace((rows) => (row ? merged(rows, row, orderNow(), pages.whole.value) : rows.filter((found) => found.item !== one.item)));
      }, () => undefined);
  });
}

export function Worklist({ current }: { current: string | undefined }) {
  const query = queryNow();
  const key = JSON.stringify(query);
  const pages = usePages<Row>(async (after, signal) => {
    const answer = await api.get('/v1/worklist', { query: { ...query, limit: PAGE, after }, signal });
    return { rows: answer.items, next: answer.next };
  }, [key]);
  useLiveRows(pages);
  useListKeys();
  const end = useMore(pages);
  const rows = pages.rows.value;

  return (
    <div class="worklist">
      <Head />
      {session.value?.participant === undefined && argument('person') === undefined && <NoParticipant />}
      {!pages.ready.value ? (pages.error.value ? <Failure error={pages.error.value} again={() => void pages.again()} /> : <Skeleton lines={8} />) : (
        <>
          {rows.length === 0 && pages.whole.value && <Empty>{argument('q') === undefined ? t(`work.empty.${viewNow()}`) : t('work.empty.filtered')}</Empty>}
          <ul class="work-rows" aria-label={t(viewLabel(viewNow()))}>
            {rows.map((row) => <RowView key={`${row.item} ${row.for ?? ''}`} row={row} current={row.item === current} href={workAddress(row.item, { for: row.for ?? argument('person') })} />)}
          </ul>
          {pages.error.value && <Failure error={pages.error.value} again={() => void pages.again()} />}
          {rows.length > 0 && <p class="small muted num work-count">{pages.whole.value ? t('work.count', { n: rows.length }) : t('common.atLeast', { n: rows.length })}</p>}
        </>
      )}
      <div ref={end} style={{ height: '1px' }} />
    </div>
  );
}

/** Why nothing is offered to this account, and what to do. */
function NoParticipant() {
  return (
    <p class="notice words">
      {t('work.noParticipant')} {t('work.signInAs')}
      {may('organise') && <> <a href="/people">{t('work.addParticipant', { account: session.value?.account ?? '' })}</a></>}
    </p>
  );
}

function Head() {
  const shown = useViews();
  const [words, setWords] = useTyped('q');
  return (
    <div class="work-head">
      <div class="row">
        <h1 class="grow">{t('frame.work')}</h1>
        <nav class="row" aria-label={t('work.more')}>
          <a class="button" href="/work/new"><Icon name="plus" size={16} />{t('work.new')}</a>
          <a class="button icon" href="/work/cases" title={t('work.ownCases')} aria-label={t('work.ownCases')}><Icon name="cases" size={16} /></a>
          <a class="button icon" href="/work/away" title={t('work.away')} aria-label={t('work.away')}><Icon name="person" size={16} /></a>
        </nav>
      </div>
      <Tabs label={t('work.views')} current={viewNow()} tabs={shown.map((view) => ({ id: view, label: t(viewLabel(view)), href: workAddress(undefined, { view }) }))} />
      <div class="row work-find">
        <input type="search" aria-label={t('work.find')} placeholder={t('work.find')} value={words} autocomplete="off" onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.work-rows a')?.focus(); }} />
        <select aria-label={t('work.order')} value={orderNow()} onChange={(event) => setQuery({ order: event.currentTarget.value })}>
          {orders.map((order) => <option key={order} value={order}>{t(`work.order.${order}`)}</option>)}
        </select>
        <Filters />
        <SavedFilters view="work" />
      </div>
    </div>
  );
}

/** Opens an item, or the list when there is none. */
export const openItem = (item: string | undefined, inPlaceOf?: string): void => go(workAddress(item, { for: inPlaceOf }), 'replace');
