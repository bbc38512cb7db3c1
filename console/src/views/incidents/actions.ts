// SPDX-License-Identifier: Apache-2.0
// What is done with incidents: one, the first ones of a group, all of it.
import { api, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { ask, attempt, say } from '../../ui/message';
import { follow } from '../operations/tray';
import type { Group, Incident } from './filter';

const FIRST = 10;

export async function retry(incident: Incident, then: () => void): Promise<void> {
  await attempt(() => api.post('/v1/incidents/{incident}/retry', { path: { incident: incident.incident } }), t('case.incident.retried'));
  then();
}

export async function drop(incident: Incident, then: () => void): Promise<void> {
  const reason = await ask({ text: t('case.incident.dropText', { n: String(incident.incident) }), detail: t('case.incident.dropDetail'), verb: t('case.incident.drop'), reason: 'required' });
  if (reason === undefined) return;
  await attempt(() => api.post('/v1/incidents/{incident}/drop', { path: { incident: incident.incident }, body: { reason } }), t('case.incident.dropped'));
  then();
}

/** Of a deadlock, which no retry resolves. */
export async function cancelCase(incident: Incident, then: () => void): Promise<void> {
  const reason = await ask({ text: t('incidents.cancelText', { case: incident.case ?? '' }), verb: t('incidents.cancelCase'), reason: 'required', danger: true });
  if (reason === undefined) return;
  await attempt(() => api.post('/v1/incidents/{incident}/drop', { path: { incident: incident.incident }, body: { reason, cancel: true } }), t('incidents.cancelled'));
  then();
}

/** As an operation, whose progress is in sight: it may take long. */
async function operate(kind: 'retry' | 'drop', group: Group, reason?: string): Promise<void> {
  await attempt(async () => {
    const operation = await api.post('/v1/operations', { body: { kind, incidents: { group: group.group }, ...(reason === undefined ? {} : { reason }) } });
    follow((operation as Schema['Operation']).operation);
  });
}

export const retryGroup = (group: Group): Promise<void> => operate('retry', group);

export async function retryFirst(group: Group, then: () => void): Promise<void> {
  await attempt(async () => {
    const { retried } = await api.post('/v1/incidents:retry', { body: { group: group.group, limit: FIRST } });
    say(t('incidents.retried', { n: retried }));
  });
  then();
}

export async function dropGroup(group: Group): Promise<void> {
  const reason = await ask({
    text: t('incidents.dropGroup', { n: group.count }), detail: t('incidents.dropGroupDetail'), verb: t('incidents.dropN', { n: group.count }),
    count: group.count, reason: 'required', danger: true,
  });
  if (reason !== undefined) await operate('drop', group, reason);
}
