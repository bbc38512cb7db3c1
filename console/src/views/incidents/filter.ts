// SPDX-License-Identifier: Apache-2.0
// Which incidents are shown: conditions, all of them in the address.
import type { Schema } from '../../api/client';
import { taskOf } from '../shared/step';

export type Incident = Schema['Incident'];
export type Group = Schema['IncidentGroup'];

export const conditions = ['specification', 'task', 'code', 'service', 'text'] as const;
export type Filter = Partial<Record<(typeof conditions)[number], string>>;

export function readFilter(query: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const name of conditions) {
    const value = query.get(name);
    if (value !== null && value !== '') filter[name] = value;
  }
  return filter;
}

/** The task that an incident is about; instances have their number behind the case. */
export const failedTask = (incident: Incident): string | undefined => incident.task ?? (incident.item === undefined ? undefined : taskOf(incident.item));
