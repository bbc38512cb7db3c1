// SPDX-License-Identifier: Apache-2.0
// The steps that the page of the stream shows: the newest, and no more of them
// in one frame than a person could notice.
import type { Step } from '../case/apply';

export interface Log {
  steps: Step[];
  /** Steps that came too fast to be shown. */
  missed: number;
}

const KEPT = 500;
const IN_A_FRAME = 20;

export const newLog = (): Log => ({ steps: [], missed: 0 });

/** The newest of those that came, in front of those that are shown. */
export function keep(log: Log, come: Step[]): Log {
  const shown = come.slice(-IN_A_FRAME).reverse();
  return { steps: [...shown, ...log.steps].slice(0, KEPT), missed: log.missed + come.length - shown.length };
}

/** Counts of the seconds up to `now`, the oldest first; older ones are dropped. */
export function rates(counts: Map<number, number>, now: number, seconds: number): number[] {
  for (const second of counts.keys()) if (second <= now - seconds) counts.delete(second);
  return Array.from({ length: seconds }, (_, index) => counts.get(now - seconds + 1 + index) ?? 0);
}
