// SPDX-License-Identifier: Apache-2.0
// The history of a case from a step back: pages of an ascending list.
import { api } from '../../api/client';
import type { Step } from './step';

/** Steps that are read at once. */
export const PAGE = 50;
/** Steps that one search for steps that fit goes through. */
const MOST_STEPS = 1000;

/** The steps behind `after` up to `until`; a page may be shorter because its steps are large. */
export async function readRange(id: string, after: number, until: number, signal: AbortSignal | undefined, names?: true): Promise<Step[]> {
  const steps: Step[] = [];
  for (let from = after; from < until;) {
    const page = await api.get('/v1/cases/{case}/history', { path: { case: id }, query: { after: String(from), limit: until - from, names }, signal });
    if (page.steps.length === 0) break;
    steps.push(...page.steps);
    from = page.steps.at(-1)!.sequence;
  }
  return steps;
}

/**
 * The steps up to `last` that fit, the newest first.  `many`: most do not fit,
 * so more are read at once.  With a step for which `isFirst` holds the search is
 * over.  `next`: from where to go on.
 */
export async function readBack(id: string, last: number, signal: AbortSignal, { fits, many, isFirst }: { fits: (step: Step) => boolean; many: boolean; isFirst?: (step: Step) => boolean }): Promise<{ rows: Step[]; next?: string | undefined }> {
  const rows: Step[] = [];
  const limit = many ? PAGE * 4 : PAGE;
  let until = last;
  for (let seen = 0; until > 0 && rows.length < PAGE && seen < MOST_STEPS; seen += limit) {
    const after = Math.max(0, until - limit);
    for (const step of (await readRange(id, after, until, signal, true)).reverse()) {
      if (fits(step)) rows.push(step);
      if (isFirst?.(step)) return { rows };
    }
    until = after;
  }
  return { rows, next: until > 0 ? String(until) : undefined };
}
