// SPDX-License-Identifier: Apache-2.0
// The steps that the page of the stream shows: the newest, and no more of them
// in one frame than a person could notice.
import type { Step } from '../shared/step';

interface Log {
  steps: Step[];
  /** Steps that came too fast to be shown. */
  missed: number;
}

const KEPT = 500;
const IN_A_FRAME = 20;

export const newLog = (): Log => ({ steps: [], missed: 0 });

/** Lets a step wait for the next frame, the newest last; the oldest gives way when too many wait. */
export function wait(waiting: Log, step: Step): void {
  waiting.steps.push(step);
  if (waiting.steps.length <= IN_A_FRAME) return;
  waiting.steps.shift();
  waiting.missed++;
}

/** Those that waited, the newest first, in front of those that are shown. */
export function keep(log: Log, come: Log): Log {
  return { steps: [...[...come.steps].reverse(), ...log.steps].slice(0, KEPT), missed: log.missed + come.missed };
}

/** Counts of the seconds up to `now`, the oldest first; older ones are dropped. */
export function rates(counts: Map<number, number>, now: number, seconds: number): number[] {
  for (const second of counts.keys()) if (second <= now - seconds) counts.delete(second);
  return Array.from({ length: seconds }, (_, index) => counts.get(now - seconds + 1 + index) ?? 0);
}
