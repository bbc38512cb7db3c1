// SPDX-License-Identifier: Apache-2.0
// A step of the live stream applied to the state of a case, so that the
// picture shows it at once.  It follows what the events say and knows no rule;
// what events do not say (who holds an item) comes with the next reading.
import type { Schema } from '../../api/client';
import { owner, type CaseEvent, type Step } from '../shared/step';

export type CaseState = Schema['CaseDetail'];
export type NetState = Schema['NetState'];
export type Item = Schema['Item'];

/** What the pictures of the specification say about nets and tasks. */
export interface Shape {
  /** The input condition of a net, by its id. */
  input(net: string): string | undefined;
  /** The net that a composite task runs. */
  subnet(net: string, task: string): string | undefined;
}

const statuses: Record<string, CaseState['status']> = {
  CASE_SUSPENDED: 'suspended', CASE_RESUMED: 'running', CASE_REVIVED: 'running',
  CASE_COMPLETED: 'completed', CASE_DEADLOCKED: 'deadlocked', CASE_CANCELLED: 'cancelled',
};

function put(net: NetState, condition: string, tokens: number): NetState {
  const marking = { ...net.marking };
  if (tokens > 0) marking[condition] = tokens;
  else delete marking[condition];
  return { ...net, marking };
}

function move(net: NetState, conditions: string[], by: 1 | -1): NetState {
  return conditions.reduce((now, condition) => put(now, condition, (now.marking[condition] ?? 0) + by), net);
}

const busy = (net: NetState, task: string, on: boolean): NetState => ({
  ...net, busy: on ? [...new Set([...net.busy, task])] : net.busy.filter((one) => one !== task),
});

type NetChange = (net: NetState, event: CaseEvent) => NetState;
const netChanges: Record<string, NetChange> = {
  TASK_FIRED: (net, event) => busy(move(net, event.conditions ?? [], -1), event.task ?? '', true),
  TASK_EXITED: (net, event) => busy(move(net, event.conditions ?? [], 1), event.task ?? '', false),
  TASK_CANCELLED: (net, event) => busy(net, event.task ?? '', false),
  CONDITION_EMPTIED: (net, event) => put(net, event.condition ?? '', 0),
  CONDITION_MARKED: (net, event) => put(net, event.condition ?? '', event.number ?? 1),
  NET_STUCK: (net) => ({ ...net, stuck: true }),
};

function nets(state: NetState[], event: CaseEvent, shape: Shape): NetState[] {
  if (event.event === 'NET_STARTED') {
    const parent = state.find((one) => one.id === event.net);
    const name = parent && event.task !== undefined ? shape.subnet(parent.net, event.task) : undefined;
    if (name === undefined || event.item === undefined) return state;
    const input = shape.input(name);
    return [...state, { id: owner(event.item), net: name, marking: input === undefined ? {} : { [input]: 1 }, busy: [] }];
  }
  if (event.event === 'NET_ENDED') return state.filter((one) => one.id !== event.net);
  const change = netChanges[event.event];
  return change ? state.map((one) => (one.id === event.net ? change(one, event) : one)) : state;
}

const assignments: Record<string, NonNullable<Item['assignment']>> = {
  ITEM_UNOFFERED: 'unoffered', ITEM_OFFERED: 'offered', ITEM_ALLOCATED: 'allocated', ITEM_TAKEN: 'started',
};
const itemStatuses: Record<string, Item['status']> = {
  INSTANCE_STARTED: 'executing', INSTANCE_ROLLED_BACK: 'fired', ITEM_SUSPENDED: 'suspended',
};

function items(state: Item[], event: CaseEvent, step: Step, composite: boolean): Item[] {
  const { item, task } = event;
  if (item === undefined || task === undefined) return state;
  const at = { item, task, case: step.case, specification: step.specification };
  const ofTask = (one: Item): boolean => one.task === task && (one.item === `${event.net}:${task}` || owner(one.item).startsWith(`${event.net}.`));
  switch (event.event) {
    case 'TASK_ENABLED':
      return composite ? state : [...state, { ...at, status: 'enabled', enabled: step.time }];
    case 'TASK_FIRED': {
      const before = state.find((one) => one.item === `${event.net}:${task}`);
      const others = state.filter((one) => one !== before);
      return composite ? others : [...others, { ...before, ...at, status: 'executing', started: step.time }];
    }
    case 'INSTANCE_CREATED':
      return composite ? state : [...state, { ...at, status: event.status === 'executing' ? 'executing' : 'fired' }];
    case 'TASK_WITHDRAWN':
    case 'INSTANCE_ENDED':
      return state.filter((one) => one.item !== item);
    case 'TASK_EXITED':
    case 'TASK_CANCELLED':
      return state.filter((one) => !ofTask(one));
  }
  const assignment = assignments[event.event];
  const status = itemStatuses[event.event];
  if (assignment === undefined && status === undefined) return state;
  return state.map((one) => (one.item === item ? { ...one, ...(assignment && { assignment }), ...(status && { status }) } : one));
}

/** The state behind a step; the step must be the next one of the case. */
export function applyStep(state: CaseState, step: Step, shape: Shape): CaseState {
  const next: CaseState = { ...state, sequence: step.sequence, changed: step.time };
  for (const event of step.events) {
    const status = statuses[event.event];
    if (status !== undefined) next.status = status;
    const net = next.nets.find((one) => one.id === event.net);
    const composite = net !== undefined && event.task !== undefined && shape.subnet(net.net, event.task) !== undefined;
    next.nets = nets(next.nets, event, shape);
    if (next.items) next.items = items(next.items, event, step, composite);
    if (event.event === 'NET_ENDED' && next.items) next.items = next.items.filter((one) => !inside(one.item, event.net));
    if (event.event === 'VARIABLES_SET' && next.data && event.net === next.nets[0]?.id) next.data = { ...next.data, ...event.values };
    if (event.event === 'TIMER_STARTED' && event.item !== undefined && event.time !== undefined) next.timers = [...(next.timers ?? []), { item: event.item, expires: event.time }];
    if (event.event === 'TIMER_STOPPED' || event.event === 'TIMER_EXPIRED') next.timers = (next.timers ?? []).filter((one) => one.item !== event.item);
  }
  return next;
}

/** Whether an item is one of a net that is over. */
function inside(item: string, net: string | undefined): boolean {
  return net !== undefined && (item.startsWith(`${net}:`) || item.startsWith(`${net}.`));
}
