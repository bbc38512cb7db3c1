// SPDX-License-Identifier: Apache-2.0
// The steps of a case as far as they were needed: for the ticks of the bar of
// time, and for how often tasks were done.  Windows of steps are read when they
// are near to what is shown; a long history is never read as a whole.
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { readRange } from '../shared/steps-back';
import type { CaseEvent, Step } from '../shared/step';
import { mainKind, type Kind } from '../shared/events';

/** What is kept of a step. */
interface Tick {
  kind: Kind;
  time: string;
  fired: { task: string; net: string; conditions: string[] }[];
  exited: { task: string; net: string; conditions: string[]; done: boolean }[];
}

const WINDOW = 200;
const MOST_WINDOWS = 20;
const windowOf = (step: number): number => Math.floor((Math.max(1, step) - 1) / WINDOW);

function flows(events: CaseEvent[], name: string) {
  return events
    .filter((event) => event.event === name)
    .map((event) => ({ task: event.task ?? '', net: event.net ?? '', conditions: event.conditions ?? [], done: event.status === 'complete' || event.status === 'forcedcomplete' }));
}

export const tickOf = (step: Step): Tick => ({ kind: mainKind(step.events), time: step.time, fired: flows(step.events, 'TASK_FIRED'), exited: flows(step.events, 'TASK_EXITED') });

export class CaseLog {
  private readonly ticks = signal<ReadonlyMap<number, Tick>>(new Map());
  private readonly windows = new Set<number>();
  private readonly reading = new Map<number, Promise<void>>();
  private readonly abort = new AbortController();
  readonly all: ReadonlySignal<ReadonlyMap<number, Tick>> = this.ticks;

  constructor(private readonly id: string) {}

  stop(): void {
    this.abort.abort();
  }

  add(steps: readonly Step[]): void {
    const fresh = steps.filter((step) => !this.ticks.value.has(step.sequence));
    if (fresh.length === 0) return;
    const next = new Map(this.ticks.value);
    for (const step of fresh) next.set(step.sequence, tickOf(step));
    for (const oldest of next.keys()) {
      if (next.size <= WINDOW * MOST_WINDOWS) break;
      next.delete(oldest);
    }
    this.ticks.value = next;
  }

  /** Reads the window of steps around that one, once. */
  async near(step: number, last: number): Promise<void> {
    const window = windowOf(step);
    await (this.windows.has(window) ? this.reading.get(window) : this.fill(window, last));
  }

  /** Whether further steps can be read. */
  get room(): boolean {
    return this.windows.size < MOST_WINDOWS;
  }

  /** Reads so many steps up to that one, the newest first, as far as they are not known. */
  async back(step: number, last: number, steps: number): Promise<void> {
    const earliest = windowOf(Math.max(1, step - steps + 1));
    for (let window = windowOf(step); window >= earliest && !this.abort.signal.aborted; window--) await (this.reading.get(window) ?? this.fill(window, last));
  }

  private fill(window: number, last: number): Promise<void> {
    const until = Math.min(last, (window + 1) * WINDOW);
    let after = window * WINDOW;
    while (after < until && this.ticks.value.has(after + 1)) after++;
    if (after >= until || !(this.windows.has(window) || this.room)) return Promise.resolve();
    this.windows.add(window);
    const read = readRange(this.id, after, until, this.abort.signal).then(
      (steps) => this.add(steps),
      // Ticks without a colour are still ticks; the next reading tries again.
      () => { this.windows.delete(window); },
    ).finally(() => this.reading.delete(window));
    this.reading.set(window, read);
    return read;
  }
}

/** How often a task was done up to a step, in the steps that are known without a gap before it. */
export interface Doings {
  count: number;
  /** The step in which it was done last. */
  last: number | undefined;
  /** The first of the steps that were counted. */
  from: number;
}

export function doingsOf(ticks: ReadonlyMap<number, Tick>, step: number, task: string): Doings {
  const found: Doings = { count: 0, last: undefined, from: step + 1 };
  for (let tick = ticks.get(step); tick !== undefined; tick = ticks.get(found.from - 1)) {
    found.from--;
    const done = tick.exited.filter((one) => one.done && one.task === task).length;
    found.count += done;
    if (done > 0) found.last ??= found.from;
  }
  return found;
}

export function useCaseLog(id: string): CaseLog {
  const log = useMemo(() => new CaseLog(id), [id]);
  useEffect(() => () => log.stop(), [log]);
  return log;
}

/** Whether all steps up to that one are known. */
export function whole(ticks: ReadonlyMap<number, Tick>, step: number): boolean {
  for (let i = 1; i <= step; i++) if (!ticks.has(i)) return false;
  return step > 0;
}

/** How often a net's tasks were done, and its conditions fed and used, up to a step. */
export function countsUpTo(ticks: ReadonlyMap<number, Tick>, step: number, net: string): { done: Record<string, number>; given: Record<string, number>; taken: Record<string, number> } {
  const counts = { done: {} as Record<string, number>, given: {} as Record<string, number>, taken: {} as Record<string, number> };
  const count = (of: Record<string, number>, name: string) => { of[name] = (of[name] ?? 0) + 1; };
  for (let i = 1; i <= step; i++) {
    const tick = ticks.get(i);
    for (const fired of tick?.fired ?? []) if (fired.net === net) for (const condition of fired.conditions) count(counts.taken, `${condition}\n${fired.task}`);
    for (const exited of tick?.exited ?? []) {
      if (exited.net !== net) continue;
      if (exited.done) count(counts.done, exited.task);
      for (const condition of exited.conditions) count(counts.given, `${exited.task}\n${condition}`);
    }
  }
  return counts;
}

/** The steps in at most `most` clusters, from first to last. */
export function clusters(last: number, most: number): { from: number; to: number }[] {
  const count = Math.min(last, most);
  return Array.from({ length: count }, (_, index) => ({
    from: Math.floor((index * last) / count) + 1,
    to: Math.floor(((index + 1) * last) / count),
  }));
}
