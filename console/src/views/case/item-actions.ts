// SPDX-License-Identifier: Apache-2.0
// What can be done with a work item: the request of each action, and what it
// asks for first.
import { api, type Schema } from '../../api/client';
import type { Key } from '../../text/text';
import type { Item } from './apply';

/** What an action needs to know. */
type Need = 'nothing' | 'reason' | 'person' | 'people' | 'service' | 'form' | 'data' | 'urgency';

export interface ItemAction {
  id: string;
  /** The last part of its path; its id unless it is said. */
  path?: 'data';
  label: Key;
  needs: Need;
  danger?: boolean;
  /** What will happen, said before it is done. */
  warning?: Key;
}

/** In the order of the menu. */
export const itemActions: ItemAction[] = [
  { id: 'accept', label: 'item.accept', needs: 'nothing' },
  { id: 'start', label: 'item.start', needs: 'nothing' },
  { id: 'complete', label: 'item.complete', needs: 'form' },
  { id: 'suspend', label: 'item.suspend', needs: 'nothing' },
  { id: 'resume', label: 'item.resume', needs: 'nothing' },
  { id: 'skip', label: 'item.skip', needs: 'reason', warning: 'item.skip.warning' },
  { id: 'offer', label: 'item.offer', needs: 'people' },
  { id: 'allocate', label: 'item.allocate', needs: 'person' },
  { id: 'deallocate', label: 'item.deallocate', needs: 'reason' },
  { id: 'delegate', label: 'item.delegate', needs: 'person' },
  { id: 'reallocate', label: 'item.reallocate', needs: 'person' },
  { id: 'reoffer', label: 'item.reoffer', needs: 'people' },
  { id: 'restart', label: 'item.restart', needs: 'person' },
  { id: 'redirect', label: 'item.redirect', needs: 'service', warning: 'item.redirect.warning' },
  { id: 'reschedule', label: 'item.reschedule', needs: 'urgency' },
  { id: 'add', label: 'item.add', needs: 'data' },
  { id: 'change_data', label: 'item.changeData', needs: 'data', path: 'data' },
  { id: 'rollback', label: 'item.rollback', needs: 'reason', warning: 'item.rollback.warning' },
  { id: 'force', label: 'item.force', needs: 'nothing', danger: true, warning: 'item.force.warning' },
  { id: 'fail', label: 'item.fail', needs: 'reason', danger: true, warning: 'item.fail.warning' },
  { id: 'cancel', label: 'item.cancel', needs: 'reason', danger: true, warning: 'item.cancel.warning' },
];

/** Gives the command; a lease of another account refuses it. */
export async function doItem(item: Item, action: ItemAction, body: object): Promise<void> {
  const options = { path: { item: item.item }, body };
  if (action.id === 'reschedule') await api.patch('/v1/items/{item}', options);
  else if (action.path === 'data') await api.patch('/v1/items/{item}/data', options as { path: { item: string }; body: Schema['Data'] });
  else await api.post(`/v1/items/{item}/${action.id}` as '/v1/items/{item}/start', options);
}
