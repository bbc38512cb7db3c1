// SPDX-License-Identifier: Apache-2.0
// What surrounds an item: its place in the process, its values and history,
// files, and comments.
import { argument, place, to } from '../../app/router';
import { t, type Key } from '../../text/text';
import { mayAnywhere } from '../../app/session';
import { Empty } from '../../ui/message';
import { Tabs } from '../../ui/control';
import { Comments } from '../shared/comments';
import { ItemDocuments } from '../shared/documents';
import { ItemHistory } from '../shared/item-history';
import { ItemValues } from '../shared/item-values';
import type { Detail } from './actions';
import { Here } from './here';

const tabs = ['values', 'history', 'documents', 'comments', 'picture'] as const;
type Tab = (typeof tabs)[number];
const label = (tab: Tab): Key => `work.tab.${tab}`;

export function Context({ detail, own, mayAdd, saved }: { detail: Detail; own: boolean; mayAdd: boolean; saved: string | undefined }) {
  const mayRead = own || mayAnywhere('read');
  const shown = tabs.filter((one) => one !== 'picture' || mayRead);
  const asked = argument('tab') as Tab;
  const tab = shown.includes(asked) ? asked : tabs[0];
  const href = (one: Tab) => to(place.value.path, { ...Object.fromEntries(place.value.query), tab: one });
  return (
    <>
      <Tabs label={t('work.context')} current={tab} tabs={shown.map((one) => ({ id: one, label: t(label(one)), href: href(one) }))} />
      <div class="context-body">
        {tab === 'picture' && <Here detail={detail} />}
        {tab === 'values' && <ItemValues item={detail.item} asForm={false} saved={saved} />}
        {tab === 'history' && (mayRead ? <ItemHistory item={detail.item} of={detail.case} name={detail.name ?? detail.task} /> : <Empty>{t('work.history.later')}</Empty>)}
        {tab === 'comments' && (mayRead ? <Comments id={detail.case} /> : <Empty>{t('work.comments.later')}</Empty>)}
        {tab === 'documents' && <ItemDocuments item={detail.item} mayAdd={mayAdd} />}
      </div>
    </>
  );
}
