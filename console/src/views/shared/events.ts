// SPDX-License-Identifier: Apache-2.0
// What each kind of event is about, and how much it says to a person.  An event
// without a row here is one of a later version: it is shown by its name.
import type { CaseEvent } from './step';

export type Kind = 'case' | 'work' | 'people' | 'data' | 'timer' | 'net';
export const kinds: Kind[] = ['case', 'work', 'people', 'data', 'timer', 'net'];

/** 2: what a step is named after; 1: said; 0: a detail. */
type Weight = 0 | 1 | 2;

const rows: Record<string, readonly [Kind, Weight]> = {
  CASE_LAUNCHED: ['case', 2], CASE_SUSPENDED: ['case', 2], CASE_RESUMED: ['case', 2], CASE_COMPLETED: ['case', 2],
  CASE_DEADLOCKED: ['case', 2], CASE_CANCELLED: ['case', 2], CASE_REVIVED: ['case', 2], CASE_MIGRATED: ['case', 2],
  REASON_STATED: ['case', 1],
  NET_STARTED: ['net', 0], NET_ENDED: ['net', 0], NET_STUCK: ['net', 2],
  VARIABLES_SET: ['data', 1],
  CONDITION_EMPTIED: ['net', 1], CONDITION_MARKED: ['net', 1], INSTANCES_COUNTED: ['net', 0],
  TASK_ENABLED: ['work', 1], TASK_WITHDRAWN: ['work', 1], TASK_FIRED: ['work', 1], TASK_EXITED: ['work', 2], TASK_CANCELLED: ['work', 2],
  RESULTS_KEPT: ['data', 0], OR_JOIN_UNDECIDED: ['net', 1], OR_JOIN_DECIDED: ['net', 1], DATA_SHOWN: ['data', 0],
  INSTANCE_CREATED: ['work', 1], INSTANCE_STARTED: ['work', 2], INSTANCE_ENDED: ['work', 2], INSTANCE_ROLLED_BACK: ['work', 2], INSTANCE_UPDATED: ['data', 2],
  ITEM_SUSPENDED: ['work', 2], ITEM_RESUMED: ['work', 2], REASON_GIVEN: ['work', 1], PREDICATE_LOGGED: ['data', 1], ITEM_DATED: ['work', 0],
  ITEM_UNOFFERED: ['people', 1], ITEM_OFFERED: ['people', 1], ITEM_ALLOCATED: ['people', 2], ITEM_TAKEN: ['people', 1], ITEM_RETURNED: ['people', 2],
  ITEM_PASSED_ON: ['people', 2], ITEM_DONE_BY: ['people', 1], ITEM_DONE_FOR: ['people', 1], CASE_CHAINED: ['people', 1], CASE_UNCHAINED: ['people', 1],
  START_FAILED: ['people', 1], FACTS_USED: ['people', 0], RESOURCES_TAKEN: ['people', 1], RESOURCES_RELEASED: ['people', 0], RESOURCES_SET: ['people', 1],
  WORK_COUNTED: ['data', 0], COST_PRICED: ['data', 0],
  TIMER_STARTED: ['timer', 1], TIMER_DUE: ['timer', 1], TIMER_EXPIRED: ['timer', 2], TIMER_STOPPED: ['timer', 0], TIMER_SET: ['timer', 0],
  ITEM_PRIORITY: ['people', 0], ITEM_DUE: ['timer', 1], ITEM_NOT_DUE: ['timer', 1], URGENCY_FAILED: ['people', 1],
  ALARM_SET: ['timer', 0], ALARM_STOPPED: ['timer', 0], ITEM_REMINDED: ['timer', 1], ITEM_ESCALATED: ['timer', 1], ITEM_REDIRECTED: ['people', 2],
};

const kindOf = (event: CaseEvent): Kind => rows[event.event]?.[0] ?? 'case';
const weightOf = (event: CaseEvent): Weight => rows[event.event]?.[1] ?? 1;

export interface Filter {
  kind?: string | undefined;
  task?: string | undefined;
  actor?: string | undefined;
}

/** Whether a step has an event of that kind and task, and was done by that actor. */
export function fits(step: { actor?: string | undefined; events: CaseEvent[] }, filter: Filter): boolean {
  if (filter.actor !== undefined && step.actor !== filter.actor) return false;
  return step.events.some((event) => (filter.kind === undefined || kindOf(event) === filter.kind) && (filter.task === undefined || event.task === filter.task));
}

/** What is said of a step: all that weighs, or all there is; and the rest. */
export function headline(events: CaseEvent[]): { said: CaseEvent[]; rest: CaseEvent[] } {
  const said = events.filter((event) => weightOf(event) > 0 && !repeated(event, events));
  return said.length === 0 ? { said: events, rest: [] } : { said, rest: events.filter((event) => !said.includes(event)) };
}

/** What is said with more by another event of the task in the step: by whom, to whom, how it ended. */
const saidBy: Record<string, readonly string[]> = {
  TASK_ENABLED: ['ITEM_OFFERED', 'ITEM_ALLOCATED'], TASK_FIRED: ['TASK_EXITED', 'ITEM_TAKEN'],
  INSTANCE_STARTED: ['ITEM_TAKEN'], TASK_EXITED: ['ITEM_DONE_BY'], INSTANCE_ENDED: ['ITEM_DONE_BY'],
};

/** One act is said once; that a task ended in another way than by being completed is said, too. */
function repeated(event: CaseEvent, events: CaseEvent[]): boolean {
  if (event.status !== undefined && event.status !== 'complete') return false;
  return saidBy[event.event]?.some((name) => events.some((other) => other.event === name && other.task === event.task)) ?? false;
}

/**
 * Whether a step is a repair: it puts tokens on conditions, or lets an ended
 * case run again.  A migration and a case that was begun elsewhere put tokens, too.
 */
export const isRepair = (events: readonly CaseEvent[]): boolean =>
  events.some((event) => event.event === 'CASE_REVIVED' || event.event === 'CONDITION_MARKED')
  && !events.some((event) => event.event === 'CASE_MIGRATED' || event.event === 'CASE_LAUNCHED');

/** The kind that a step is shown as: that of its weightiest event. */
export function mainKind(events: CaseEvent[]): Kind {
  let main: CaseEvent | undefined;
  for (const event of events) if (!main || weightOf(event) > weightOf(main)) main = event;
  return main ? kindOf(main) : 'case';
}
