// SPDX-License-Identifier: Apache-2.0
// The work items of a case: how each stands, since when, who has it, and a menu
// of what can be done with it.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { to } from '../../app/router';
import { t, type Key } from '../../text/text';
import { Dialog, Empty, Failure } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { now, Time } from '../../ui/time';
import { ItemHistory } from '../shared/item-history';
import { ItemValues } from '../shared/item-values';
import type { Item } from './apply';
import { ItemMenu } from './item-menu';
import type { CaseModel } from './model';
import { Element } from '../shared/words';

/** As many items as a case has with it; more are in the list of items. */
const WITH_CASE = 100;

const since = (item: Item): string | undefined => item.started ?? item.fired ?? item.enabled;

function Holder({ item }: { item: Item }) {
  if (item.holder !== undefined) return <span class="cut"><Name value={item.holder} /></span>;
  const to = item.offered_to;
  if (!to) return null;
  if (to.everybody) return <span>{t('history.everybody')}</span>;
  const names = [...(to.people ?? []), ...(to.roles ?? [])];
  return <span class="cut" title={names.join(', ')}>{names.join(', ')}{to.more && '…'}</span>;
}

/** Why an item that is for a service is not handed over. */
function Trouble({ item }: { item: Item }) {
  if (item.last_answer !== undefined && item.last_answer !== '') return <p class="small state-failed words" dir="auto">{t('item.attempt', { n: item.attempt ?? 0 })}: {item.last_answer} {item.next_try !== undefined && <>· {t('item.nextTry')} <Time at={item.next_try} /></>}</p>;
  if (item.unserved) return <p class="small state-late">{t('item.unserved', { service: item.service ?? '' })}</p>;
  if (item.paused) return <p class="small state-suspended">{t('item.paused', { service: item.paused.service ?? '' })}</p>;
  return null;
}

/** What an item has, and what happened to it. */
function Details({ item, of, onClose }: { item: Item; of: CaseModel; onClose: () => void }) {
  const name = of.names.of(item.task);
  return (
    <Dialog wide title={t('values.of', { task: name })} onClose={onClose} foot={<button type="button" class="button" onClick={onClose}>{t('common.close')}</button>}>
      <ItemValues item={item.item} asForm />
      <section class="item-past">
        <h2>{t('values.history')}</h2>
        <ItemHistory item={item.item} of={of.id} name={name} />
      </section>
    </Dialog>
  );
}

export function ItemRow({ item, of }: { item: Item; of: CaseModel }) {
  const shown = item.status === 'enabled' || (item.status === 'executing' && item.assignment === 'started') ? (item.assignment ?? item.status) : item.status;
  const [open, setOpen] = useState(false);
  const late = item.due !== undefined && Date.parse(item.due) < now.value && of.step === undefined;
  return (
    <li class="case-entry case-item">
      <div class="grow">
        <div class="row">
          {of.reduced ? <a class="cut" href={to(['work', item.item])}><Name value={item.name ?? of.names.of(item.task)} /></a> : <Element id={item.task} of={of} />}
          <State value={shown} />
        </div>
        <div class="small muted row wrap">
          <span class="mono cut" title={item.item}>{item.item}</span>
          <Time at={since(item)} />
          <Holder item={item} />
          {of.step === undefined && !of.reduced && <button type="button" class="link" aria-label={t('values.of', { task: of.names.of(item.task) })} onClick={() => setOpen(true)}>{t('values.show')}</button>}
          {item.due !== undefined && <span class={late ? 'state-late' : ''}>{t(late ? 'item.late' : 'item.due')} <Time at={item.due} /></span>}
          {item.until !== undefined && <span>{t('item.lease')} <Time at={item.until} /></span>}
        </div>
        <Trouble item={item} />
      </div>
      {of.step === undefined && !of.reduced && <ItemMenu item={item} of={of} />}
      {open && <Details item={item} of={of} onClose={() => setOpen(false)} />}
    </li>
  );
}

function AllItems({ of }: { of: CaseModel }) {
  const pages = usePages<Item>(async (after, signal) => {
    const page = await api.get('/v1/items', { query: { case: of.id, after, limit: 100 } as { case?: string; after?: string; limit?: number }, signal });
    return { rows: page.items, next: page.next };
  }, [of.id]);
  return (
    <>
      <ul class="case-entries">{pages.rows.value.map((item) => <ItemRow key={item.item} item={item} of={of} />)}</ul>
      {pages.error.value && <Failure error={pages.error.value} again={() => void pages.again()} />}
      {!pages.whole.value && pages.ready.value && <div><button type="button" class="button" onClick={() => void pages.more()}>{t('common.more')}</button></div>}
    </>
  );
}

/** Why there is no item; of all other states the case is over. */
const none: Record<string, Key> = { running: 'item.none', suspended: 'item.none', deadlocked: 'item.noneDeadlocked' };

export function ItemsTab({ of }: { of: CaseModel }) {
  const [all, setAll] = useState(false);
  const items = of.state.items ?? [];
  if (items.length === 0) return <Empty>{t(none[of.state.status] ?? 'item.noneEnded')}</Empty>;
  if (all && of.step === undefined) return <AllItems of={of} />;
  const sorted = [...items].sort((a, b) => Number(b.status === 'executing') - Number(a.status === 'executing'));
  return (
    <div class="column">
      <ul class="case-entries">{sorted.map((item) => <ItemRow key={item.item} item={item} of={of} />)}</ul>
      {of.step === undefined && items.length >= WITH_CASE && <div><button type="button" class="button" onClick={() => setAll(true)}>{t('item.all')}</button></div>}
      {of.state.more_items && <p class="muted small">{t('item.more')}</p>}
    </div>
  );
}
