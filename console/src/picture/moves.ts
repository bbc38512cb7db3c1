// SPDX-License-Identifier: Apache-2.0
// Which tokens a step moves, in the order of its events.
import type { Schema } from '../api/client';
import type { Move, NetIndex } from './model';

type Event = Schema['Event'];
type MarkedStep = Schema['WitnessStep'];

/** The moves of a step in one instance of a net, a group for each event. */
export function movesOfEvents(events: Event[], instance: string): Move[][] {
  const groups: Move[][] = [];
  for (const event of events) {
    if (event.net !== instance || event.task === undefined) continue;
    const kind = event.event === 'TASK_FIRED' ? 'take' : event.event === 'TASK_EXITED' ? 'give' : undefined;
    if (kind && event.conditions?.length) groups.push(event.conditions.map((condition) => ({ kind, condition, task: event.task! })));
  }
  return groups;
}

/** The conditions, also implicit ones, before and behind a task. */
function around(index: NetIndex, task: string): { before: string[]; after: string[] } {
  return {
    before: (index.in.get(task) ?? []).map((flow) => flow.condition ?? flow.from),
    after: (index.out.get(task) ?? []).map((flow) => flow.condition ?? flow.to),
  };
}

/** The moves of a step of a witness, from the marking before it. */
export function movesOfWitness(index: NetIndex, before: MarkedStep | undefined, step: MarkedStep): Move[][] {
  const task = step.fires;
  if (task === undefined || before === undefined) return [];
  const near = around(index, task);
  const change = (condition: string) => (step.marking[condition] ?? 0) - (before.marking[condition] ?? 0);
  const given = new Set(step.part === 'start' ? [] : (step.exit ?? near.after.filter((condition) => change(condition) > 0 || near.before.includes(condition))));
  const taken = step.part === 'end' ? [] : near.before.filter((condition) => change(condition) - (given.has(condition) ? 1 : 0) < 0);
  const groups: Move[][] = [
    taken.map((condition) => ({ kind: 'take', condition, task })),
    [...given].map((condition) => ({ kind: 'give', condition, task })),
  ];
  return groups.filter((group) => group.length > 0);
}

/** At most this many steps a second are shown as motion. */
const MOST = 5;

/** Whether motion can still be followed: not with more steps a second. */
export class Pace {
  private times: number[] = [];

  /** Counts a step, and says whether it is to be shown as motion. */
  allows(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < 1000), now].slice(-MOST - 1);
    return this.times.length <= MOST;
  }
}
