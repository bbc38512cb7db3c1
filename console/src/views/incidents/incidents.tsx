// SPDX-License-Identifier: Apache-2.0
// Incidents: by their cause, one by one, those that were dropped, and one.
//
//     /incidents?group=KEY   /incidents/list   /incidents/dropped   /incidents/7
import { useChanges } from '../../app/changes';
import { useCrumbs } from '../../app/crumbs';
import { argument, place, to } from '../../app/router';
import { t } from '../../text/text';
import { Tabs } from '../../ui/control';
import { conditions, readFilter } from './filter';
import { FilterBar } from './filter-bar';
import { GroupView } from './group';
import { Groups, useGroups } from './groups';
import { IncidentView } from './incident';
import { IncidentList } from './list';
import './incidents.css';

const tabs = ['groups', 'list', 'dropped'] as const;
type Tab = (typeof tabs)[number];

export function Incidents() {
  const part = place.value.path[1];
  if (part === undefined) return <ByCause />;
  if (part === 'list' || part === 'dropped') return <OneByOne key={part} status={part === 'list' ? 'open' : 'dropped'} />;
  return <IncidentView key={part} id={Number(part)} />;
}

function Head({ current }: { current: Tab }) {
  const query = Object.fromEntries(conditions.map((name) => [name, argument(name)]));
  return (
    <>
      <div class="view-head"><h1>{t('frame.incidents')}</h1></div>
      <Tabs label={t('incidents.views')} current={current} tabs={tabs.map((id) => ({
        id, label: t(`incidents.tab.${id}`), href: to(id === 'groups' ? ['incidents'] : ['incidents', id], query),
      }))} />
    </>
  );
}

function ByCause() {
  const group = argument('group');
  const groups = useGroups(readFilter(place.value.query));
  useChanges(() => void groups.reload());
  useCrumbs({ label: t('frame.incidents') });
  return (
    <div class={`split ${group === undefined ? '' : 'both'}`}>
      <div class="side view">
        <Head current="groups" />
        <FilterBar />
        <Groups of={groups} current={group} />
      </div>
      {group !== undefined && <div class="detail view"><GroupView key={group} id={group} groups={groups} /></div>}
    </div>
  );
}

function OneByOne({ status }: { status: 'open' | 'dropped' }) {
  useCrumbs({ label: t('frame.incidents'), href: '/incidents' }, { label: t(status === 'open' ? 'incidents.tab.list' : 'incidents.tab.dropped') });
  return (
    <div class="view">
      <Head current={status === 'open' ? 'list' : 'dropped'} />
      <FilterBar />
      <IncidentList status={status} filter={readFilter(place.value.query)} />
    </div>
  );
}
