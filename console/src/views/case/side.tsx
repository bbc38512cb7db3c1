// SPDX-License-Identifier: Apache-2.0
// Beside the picture: the element that is picked, and the tabs of the case.
import { argument, place, to } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import type { Resource } from '../../api/resource';
import { t } from '../../text/text';
import { Tabs } from '../../ui/control';
import { Comments } from '../shared/comments';
import { CaseDocuments } from '../shared/documents';
import type { CaseLog } from './case-log';
import { DataTab } from './data';
import { HistoryTab } from './history';
import { IncidentsTab, type Incidents } from './incidents';
import { ItemsTab } from './items';
import { chosenTab, tabs, type CaseModel, type Tab } from './model';
import type { Moment } from './moment';
import { TimersTab } from './timers';
import { PickedPanel } from './why';

const whole: readonly Tab[] = tabs;
const own: readonly Tab[] = ['items', 'history', 'documents', 'comments'];

function Chosen({ of, tab, incidents, compared }: { of: CaseModel; tab: Tab; incidents: Incidents; compared: Resource<Moment | undefined> }) {
  switch (tab) {
    case 'items': return <ItemsTab of={of} />;
    case 'data': return <DataTab of={of} moment={compared} />;
    case 'history': return <HistoryTab of={of} />;
    case 'incidents': return <IncidentsTab of={of} incidents={incidents} />;
    case 'documents': return <CaseDocuments id={of.id} mayAdd={mayAnywhere('work') && of.step === undefined} />;
    case 'comments': return <Comments id={of.id} />;
    case 'timers': return <TimersTab of={of} />;
  }
}

export function SidePanel({ of, log, incidents, compared }: { of: CaseModel; log: CaseLog; incidents: Incidents; compared: Resource<Moment | undefined> }) {
  const shown = of.reduced ? own : whole;
  const tab = chosenTab(shown);
  const picked = argument('task');
  const query = Object.fromEntries(place.value.query);
  const counts: Partial<Record<Tab, number>> = { items: of.state.items?.length ?? 0, timers: of.state.timers?.length ?? 0, incidents: incidents.data.value?.length ?? 0 };
  // What most cases do not have takes no room when there is none.
  const present = shown.filter((id) => id === tab || (id !== 'incidents' && id !== 'timers') || (counts[id] ?? 0) > 0);
  return (
    <>
      {picked !== undefined && !of.reduced && <PickedPanel key={picked} of={of} id={picked} log={log} />}
      <Tabs label={t('case.tabs')} current={tab} tabs={present.map((id) => ({ id, label: t(`case.tab.${id}`), href: to(['cases', of.id], { ...query, tab: id }), count: counts[id] }))} />
      <div class="case-tab"><Chosen key={tab} of={of} tab={tab} incidents={incidents} compared={compared} /></div>
    </>
  );
}
