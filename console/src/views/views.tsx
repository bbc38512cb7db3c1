// SPDX-License-Identifier: Apache-2.0
// The sections of the page: the address of each, who may see it, what it shows.
import { askEarly } from '../api/client';
import { place } from '../app/router';
import { may, mayAnywhere, type Verb } from '../app/session';
import { picturesAddress } from '../picture/nets';
import type { Key } from '../text/text';
import type { IconName } from '../ui/icons';
import { here, later, type LaterView } from '../ui/later';
import type { CaseState } from './case/apply';
import { caseAddress } from './case/live';
import { Cases } from './cases/cases';
import { OVERVIEW, Overview } from './overview/overview';

interface Section {
  /** The first part of the address. */
  id: string;
  label: Key;
  icon: IconName;
  /** Any of these rights shows it. */
  needs: Verb[];
  /** One of them in the whole namespace: what it reads is of no one process. */
  everywhere?: true;
  view: LaterView;
  /** Reached from another section, and not shown beside it. */
  below?: string;
}

function askCase(): void {
  const id = place.value.path[1];
  if (id !== undefined) void askEarly<CaseState>(caseAddress(id), (state) => askEarly(picturesAddress(state.specification)));
}

export const sections: Section[] = [
  { id: 'overview', label: 'frame.overview', icon: 'overview', needs: ['read', 'operate', 'participate'], everywhere: true, view: here(Overview, () => void askEarly(OVERVIEW)) },
  { id: 'work', label: 'frame.work', icon: 'work', needs: ['participate'], view: later('Work', () => import('./work/work').then((of) => of.Work)) },
  { id: 'cases', label: 'frame.cases', icon: 'cases', needs: ['read', 'participate'], view: here(Cases, askCase) },
  { id: 'operations', label: 'operations.title', icon: 'cases', needs: ['read'], everywhere: true, view: later('Operations', () => import('./operations/operations').then((of) => of.Operations)), below: 'cases' },
  { id: 'processes', label: 'frame.processes', icon: 'processes', needs: ['read', 'start'], view: later('Processes', () => import('./processes/processes').then((of) => of.Processes)) },
  { id: 'incidents', label: 'frame.incidents', icon: 'incidents', needs: ['read'], view: later('Incidents', () => import('./incidents/incidents').then((of) => of.Incidents)) },
  { id: 'services', label: 'frame.services', icon: 'services', needs: ['read'], everywhere: true, view: later('Services', () => import('./services/services').then((of) => of.Services)) },
  { id: 'people', label: 'frame.people', icon: 'people', needs: ['read', 'organise', 'administer'], view: later('People', () => import('./people/people').then((of) => of.People)) },
  { id: 'live', label: 'frame.live', icon: 'live', needs: ['read'], view: later('Live', () => import('./live/live').then((of) => of.Live)) },
  { id: 'server', label: 'frame.server', icon: 'server', needs: ['read', 'administer'], everywhere: true, view: later('Server', () => import('./server/server').then((of) => of.Server)) },
];

export const visible = (section: Section): boolean => section.needs.some(section.everywhere ? may : mayAnywhere);
