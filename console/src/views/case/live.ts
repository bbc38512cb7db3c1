// SPDX-License-Identifier: Apache-2.0
// A case as it is now.  One stream gives its steps; they are applied together,
// once in a frame, and the state is read again when they pause, or each second:
//
//     reading ──► shown ──step──► applied ──pause──► read again ──► shown
//
// While it is not visible, a page gets no frames: then the last 500 steps are
// kept, applied when it is seen again, and the state is read.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api, Problem, retryWhenReachable, there } from '../../api/client';
import { openStream, type Stream } from '../../api/stream';
import type { Step } from '../shared/step';
import { applyStep, type CaseState, type Shape } from './apply';

export interface LiveCase {
  readonly state: ReadonlySignal<CaseState | undefined>;
  readonly error: ReadonlySignal<Problem | undefined>;
  /** The steps that came while the page was open, at most the last 500. */
  readonly steps: ReadonlySignal<readonly Step[]>;
  reload(): Promise<void>;
}

const KEPT_STEPS = 500;
const PAUSE_MS = 250;
const LONGEST_MS = 1000;

export const caseAddress = (id: string): string => api.address('/v1/cases/{case}', { case: id });

class Follower implements LiveCase {
  readonly state: Signal<CaseState | undefined>;
  readonly error = signal<Problem | undefined>(undefined);
  readonly steps = signal<readonly Step[]>([]);
  private waiting: Step[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = 0;
  private stream: Stream | undefined;
  private off: () => void = () => undefined;
  private abort = new AbortController();
  private reading: Promise<void> | undefined;

  constructor(private readonly id: string, private readonly shape: () => Shape) {
    this.state = signal(there<CaseState>(caseAddress(id)));
  }

  /** Whoever may not read all of the case gets no stream of it. */
  start(): void {
    this.off = retryWhenReachable(this.error, () => void this.reload().then(() => this.follow()));
    if (this.state.value) this.follow();
    else void this.reload().then(() => this.follow());
  }

  private follow(): void {
    if (this.stream !== undefined || this.abort.signal.aborted || this.state.value?.data === undefined) return;
    this.stream = openStream(`/v1/events?case=${encodeURIComponent(this.id)}`, {
      // A step may have been made before the stream was open.
      opened: () => this.readSoon(),
      step: (step) => this.take(step),
    });
  }

  stop(): void {
    this.abort.abort();
    this.off();
    this.stream?.close();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  async reload(): Promise<void> {
    this.reading ??= this.read().finally(() => { this.reading = undefined; });
    return this.reading;
  }

  private async read(): Promise<void> {
    try {
      const state = await api.get('/v1/cases/{case}', { path: { case: this.id }, signal: this.abort.signal });
      this.error.value = undefined;
      const known = this.state.value;
      // Steps may have come while the answer was on its way.
      const later = this.steps.value.filter((step) => step.sequence > (state.sequence ?? 0));
      this.state.value = known === undefined ? state : later.reduce((now, step) => this.next(now, step), state);
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.error.value = Problem.of(error);
    }
  }

  private take(step: Step): void {
    this.waiting.push(step);
    if (this.waiting.length > KEPT_STEPS) this.waiting = this.waiting.slice(-KEPT_STEPS);
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.show());
  }

  private show(): void {
    this.frame = 0;
    const steps = this.waiting;
    this.waiting = [];
    this.steps.value = [...this.steps.value, ...steps].slice(-KEPT_STEPS);
    if (this.state.value) this.state.value = steps.reduce((now, step) => this.next(now, step), this.state.value);
    this.readSoon();
  }

  private readSoon(): void {
    const present = performance.now();
    if (this.timer === undefined) this.due = present + LONGEST_MS;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.reload();
    }, Math.min(PAUSE_MS, Math.max(0, this.due - present)));
  }

  /** A step that is not the next one is left to the reading that follows. */
  private next(state: CaseState, step: Step): CaseState {
    return step.sequence === (state.sequence ?? 0) + 1 ? applyStep(state, step, this.shape()) : state;
  }
}

/** Follows a case as long as it is shown. */
export function useLiveCase(id: string, shape: () => Shape): LiveCase {
  const follower = useMemo(() => new Follower(id, shape), [id]);
  useEffect(() => {
    follower.start();
    return () => follower.stop();
  }, [follower]);
  return follower;
}
