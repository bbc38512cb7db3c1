// SPDX-License-Identifier: Apache-2.0
// The server: nodes and store, settings, measurements, and what is kept.
//
//     /server   /server/settings   /server/metrics   /server/indexes   ..
import type { ComponentType } from 'preact';
import { useCrumbs } from '../../app/crumbs';
import { place } from '../../app/router';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Tabs } from '../../ui/control';
import { Indexes } from './indexes';
import { Metrics } from './metrics-view';
import { Nodes } from './nodes';
import { Retention } from './retention';
import { Settings } from './settings';
import { Starts } from './starts';
import './server.css';

const tabs: { id: 'nodes' | 'settings' | 'metrics' | 'indexes' | 'retention' | 'starts'; view: ComponentType; shown: () => boolean }[] = [
  { id: 'nodes', view: Nodes, shown: () => may('administer') },
  { id: 'metrics', view: Metrics, shown: () => may('read') },
  { id: 'settings', view: Settings, shown: () => may('administer') },
  { id: 'indexes', view: Indexes, shown: () => may('read') },
  { id: 'retention', view: Retention, shown: () => may('administer') },
  { id: 'starts', view: Starts, shown: () => may('read') },
];

export function Server() {
  const seen = tabs.filter((tab) => tab.shown());
  const current = seen.find((tab) => tab.id === place.value.path[1]) ?? seen[0];
  useCrumbs({ label: t('frame.server'), href: '/server' }, ...(current ? [{ label: t(`server.tab.${current.id}`) }] : []));
  return (
    <div class="view">
      <div class="view-head">
        <h1 class="grow">{t('frame.server')}</h1>
        {may('read') && <a class="button" href="/operations">{t('operations.title')}</a>}
      </div>
      {current && (
        <>
          <Tabs label={t('server.views')} current={current.id} tabs={seen.map((tab) => ({ id: tab.id, label: t(`server.tab.${tab.id}`), href: tab.id === seen[0]?.id ? '/server' : `/server/${tab.id}` }))} />
          <div class="server-tab"><current.view key={current.id} /></div>
        </>
      )}
    </div>
  );
}
