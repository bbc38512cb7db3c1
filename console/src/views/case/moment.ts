// SPDX-License-Identifier: Apache-2.0
// A case as it was behind an earlier step, and what that step changed.
import { useMemo } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { readRange } from '../shared/steps-back';
import type { Step } from '../shared/step';
import type { CaseState } from './apply';

const KEPT = 60;

/** Past states and steps do not change, so those seen last are kept. */
class Past {
  private readonly states = new Map<number, CaseState>();
  private readonly steps = new Map<number, Step>();

  constructor(private readonly id: string) {}

  async state(step: number, signal: AbortSignal): Promise<CaseState> {
    return keep(this.states, step, async () => api.get('/v1/cases/{case}', { path: { case: this.id }, query: { step }, signal }));
  }

  async step(step: number, signal: AbortSignal): Promise<Step> {
    return keep(this.steps, step, async () => {
      const [found] = await readRange(this.id, step - 1, step, signal, true);
      if (!found) throw new Error(`step ${step}`);
      return found;
    });
  }
}

async function keep<T>(kept: Map<number, T>, key: number, read: () => Promise<T>): Promise<T> {
  const value = kept.get(key) ?? (await read());
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return value;
}

export interface Moment {
  /** The state behind the step. */
  state: CaseState;
  /** What happened in it, and how the case stood before; for the first step, nothing. */
  step: Step;
  before: CaseState | undefined;
}

export const usePast = (id: string): Past => useMemo(() => new Past(id), [id]);

/** The moment behind a step; undefined for the present. */
export function useMoment(earlier: Past, step: number | undefined): Resource<Moment | undefined> {
  return useResource(async (signal) => {
    if (step === undefined) return undefined;
    const [state, made, before] = await Promise.all([
      earlier.state(step, signal),
      earlier.step(step, signal),
      step > 1 ? earlier.state(step - 1, signal) : undefined,
    ]);
    return { state, step: made, before };
  }, [earlier, step]);
}
