// SPDX-License-Identifier: Apache-2.0
// The sections of the page: the address of each, who may see it, what it shows.
import type { ComponentType } from 'preact';
import { mayAnywhere, type Verb } from '../app/session';
import type { Key } from '../text/text';
import type { IconName } from '../ui/icons';
import { Cases } from './cases/cases';
import { Incidents } from './incidents/incidents';
import { Live } from './live/live';
import { Operations } from './operations/operations';
import { Overview } from './overview/overview';
import { People } from './people/people';
import { Processes } from './processes/processes';
import { Server } from './server/server';
import { Services } from './services/services';
import { Work } from './work/work';

export interface Section {
  /** The first part of the address. */
  id: string;
  label: Key;
  icon: IconName;
  /** Any of these rights shows it. */
  needs: Verb[];
  view: ComponentType;
  /** Reached from another section, and not shown beside it. */
  below?: string;
}

export const sections: Section[] = [
  { id: 'overview', label: 'frame.overview', icon: 'overview', needs: ['read', 'operate'], view: Overview },
  { id: 'work', label: 'frame.work', icon: 'work', needs: ['participate'], view: Work },
  { id: 'cases', label: 'frame.cases', icon: 'cases', needs: ['read', 'participate'], view: Cases },
  { id: 'operations', label: 'operations.title', icon: 'cases', needs: ['read'], view: Operations, below: 'cases' },
  { id: 'processes', label: 'frame.processes', icon: 'processes', needs: ['read', 'start'], view: Processes },
  { id: 'incidents', label: 'frame.incidents', icon: 'incidents', needs: ['read'], view: Incidents },
  { id: 'services', label: 'frame.services', icon: 'services', needs: ['read'], view: Services },
  { id: 'people', label: 'frame.people', icon: 'people', needs: ['read', 'organise', 'administer'], view: People },
  { id: 'live', label: 'frame.live', icon: 'live', needs: ['read'], view: Live },
  { id: 'server', label: 'frame.server', icon: 'server', needs: ['read', 'administer'], view: Server },
];

export const visible = (section: Section): boolean => section.needs.some(mayAnywhere);
