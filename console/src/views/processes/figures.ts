// SPDX-License-Identifier: Apache-2.0
// What is computed of specifications and statistics, without the page.
import type { Schema } from '../../api/client';
import { grouped, sharedBy } from '../../app/specifications';

export type Specification = Schema['Specification'];
export type Statistic = Schema['Statistic'];

export interface Process {
  /** By which filters find it. */
  id: string;
  uri: string;
  title: string;
  /** Newest first. */
  versions: Specification[];
  newest: Specification;
  suspended: number;
  started: number;
  completed: number;
  cancelled: number;
}

/** Cases of one version, or of all versions of a process. */
export type Counts = Omit<Schema['CaseCounts'], 'specification'>;
export type Counted = keyof Counts;
export const countedStates = ['running', 'suspended', 'deadlocked', 'completed', 'cancelled', 'incidents'] as const satisfies readonly Counted[];

export interface CaseCounts {
  of: ReadonlyMap<string, Counts>;
  /** Where a count ends: there may be more. */
  maximum: number;
  /** There are cases with incidents that were not counted. */
  moreIncidents: boolean;
}

export const countsOf = (answer: { counts: Schema['CaseCounts'][]; maximum: number; more_incidents: boolean }): CaseCounts => ({
  of: new Map(answer.counts.map((one) => [one.specification, one])), maximum: answer.maximum, moreIncidents: answer.more_incidents,
});

/** How many there are of the versions, and whether at least so many. */
export function countIn(counts: CaseCounts, keys: readonly string[], state: Counted): { n: number; atLeast: boolean } {
  const each = keys.map((key) => counts.of.get(key)?.[state] ?? 0);
  return {
    n: each.reduce((sum, n) => sum + n, 0),
    atLeast: state === 'incidents' ? counts.moreIncidents : each.some((n) => n >= counts.maximum),
  };
}

/** The newest first. */
export const byLoading = (a: Specification, b: Specification): number => Date.parse(b.loaded) - Date.parse(a.loaded);

/** The processes by title, each with what the cases of all versions did. */
export function processesOf(specifications: Specification[], statistics: Statistic[]): Process[] {
  return grouped(specifications).map(({ id, versions: all }) => {
    const versions = [...all].sort(byLoading);
    const newest = versions[0]!;
    const { uri } = newest;
    // Those of versions that were removed, too.
    const counted = statistics.filter((row) => sharedBy(row) === sharedBy(newest));
    const sum = (name: 'started' | 'completed' | 'cancelled') => counted.reduce((total, row) => total + (row[name] ?? 0), 0);
    return {
      id, uri, versions, newest, title: newest.title ?? uri, suspended: versions.filter((one) => one.suspended).length,
      started: sum('started'), completed: sum('completed'), cancelled: sum('cancelled'),
    };
  }).sort((a, b) => a.title.localeCompare(b.title) || a.uri.localeCompare(b.uri));
}

/** A day of the last ones, also one on which nothing was counted. */
export interface Day {
  day: string;
  started: number;
  completed: number;
  cancelled: number;
}

export function daysOf(statistics: Statistic[], from: string, to: string): Day[] {
  const days = new Map<string, Day>();
  const last = Date.parse(to);
  for (let at = Date.parse(from.slice(0, 10)); at < last; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.set(day, { day, started: 0, completed: 0, cancelled: 0 });
  }
  for (const row of statistics) {
    const day = days.get(row.time?.slice(0, 10) ?? '');
    if (!day) continue;
    day.started += row.started ?? 0;
    day.completed += row.completed ?? 0;
    day.cancelled += row.cancelled ?? 0;
  }
  return [...days.values()];
}
