// SPDX-License-Identifier: Apache-2.0
// What surrounds an item: files, values, comments, of the case it belongs to.
import { argument, place, to } from '../../app/router';
import { t, type Key } from '../../text/text';
import { Tabs } from '../../ui/control';
import type { Detail } from './actions';
import { ItemDocuments } from './documents';

const tabs = ['documents'] as const;
type Tab = (typeof tabs)[number];
const label = (tab: Tab): Key => `work.tab.${tab}`;

export function Context({ detail, mayAdd }: { detail: Detail; mayAdd: boolean }) {
  const asked = argument('tab') as Tab;
  const tab = tabs.includes(asked) ? asked : tabs[0];
  const href = (one: Tab) => to(place.value.path, { ...Object.fromEntries(place.value.query), tab: one });
  return (
    <>
      <Tabs label={t('work.context')} current={tab} tabs={tabs.map((one) => ({ id: one, label: t(label(one)), href: href(one) }))} />
      <div class="context-body">
        {tab === 'documents' && <ItemDocuments item={detail.item} mayAdd={mayAdd} />}
      </div>
    </>
  );
}
