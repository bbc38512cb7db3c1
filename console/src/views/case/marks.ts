// SPDX-License-Identifier: Apache-2.0
// What the tasks of a net are doing in a case, for the picture.
import { flowKey, type Net, type TaskMark } from '../../picture/model';
import { owner } from '../shared/step';
import type { CaseState, Item, NetState } from './apply';
import type { countsUpTo } from './case-log';

type Counts = ReturnType<typeof countsUpTo>;

/** Whether an item is an enabled task or an instance of a task of this net. */
export const inNet = (item: string, net: string): boolean => {
  const at = owner(item);
  return at === net || (at.startsWith(`${net}.`) && !at.slice(net.length + 1).includes('.'));
};

const stateOf = (item: Item): TaskMark['state'] => {
  if (item.status === 'suspended') return 'suspended';
  if (item.assignment === 'allocated') return 'allocated';
  if (item.status !== 'enabled') return 'busy';
  return item.assignment === 'offered' ? 'offered' : 'enabled';
};

/** The states of tasks, and with an open incident also that. */
export function marksOf(state: CaseState, net: NetState, failed: ReadonlySet<string>, counts: Counts | undefined): Record<string, TaskMark> {
  const marks: Record<string, TaskMark> = {};
  for (const [task, done] of Object.entries(counts?.done ?? {})) marks[task] = { done };
  for (const waiting of net.waiting ?? []) marks[waiting.task] = { ...marks[waiting.task], state: 'waiting' };
  for (const task of net.busy) marks[task] = { ...marks[task], state: 'busy' };
  for (const item of state.items ?? []) {
    if (!inNet(item.item, net.id)) continue;
    const before = marks[item.task];
    const holder = item.holder ?? (before?.state === 'busy' ? before.holder : undefined);
    marks[item.task] = { ...before, state: stateOf(item), holder };
  }
  for (const of of net.instances ?? [])
    if (of.count > 1) marks[of.task] = { ...(marks[of.task] ?? { state: 'busy' }), instances: { done: of.ended, of: of.count } };
  for (const task of failed) if (marks[task]) marks[task] = { ...marks[task], state: 'failed', incident: true };
  return marks;
}

/** How often the flows of a net were taken, for their width. */
export function takenOf(net: Net, counts: Counts): Record<string, number> {
  const taken: Record<string, number> = {};
  const tasks = new Set(net.elements.filter((element) => element.kind === 'task').map((element) => element.id));
  for (const flow of net.flows) {
    const condition = flow.condition ?? (tasks.has(flow.from) ? flow.to : flow.from);
    const count = tasks.has(flow.from) ? counts.given[`${flow.from}\n${condition}`] : counts.taken[`${condition}\n${flow.to}`];
    if (count !== undefined) taken[flowKey(flow.from, flow.to)] = count;
  }
  return taken;
}
