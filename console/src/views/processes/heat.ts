// SPDX-License-Identifier: Apache-2.0
// Figures of statistics and of what waits now, as heat on a net.
import { flowKey, isTask, type Heat, type Net } from '../../picture/model';
import type { Statistic } from './figures';

export const measures = ['standing', 'waitedMedian', 'waitedP95', 'tookMedian', 'tookP95', 'completedCount'] as const;
export type Measure = (typeof measures)[number];

/** What stands at a task now. */
export interface Standing {
  items: number;
  /** There may be more. */
  atLeast: boolean;
  /** When the oldest was enabled. */
  oldest: string | undefined;
}

export const isTime = (measure: Measure): boolean => measure !== 'standing' && measure !== 'completedCount';

/** The value of a measure at a task; undefined: nothing is known. */
export function valueOf(measure: Measure, row: Statistic | undefined, standing: Standing | undefined): number | undefined {
  if (measure === 'standing') return standing && standing.items > 0 ? standing.items : undefined;
  if (measure === 'completedCount') return row?.completed ? row.completed : undefined;
  const times = measure.startsWith('waited') ? row?.waited : row?.took;
  return measure.endsWith('P95') ? times?.p95 : times?.median;
}

/**
 * The heat of the tasks of a net: the share of the most, the figures as `show`
 * says them, `title` in words.
 */
export function heatOf(
  net: Net, measure: Measure, rows: ReadonlyMap<string, Statistic>, standing: ReadonlyMap<string, Standing>,
  show: (value: number, atLeast: boolean) => string, title: (task: string) => string,
): { heat: Record<string, Heat>; most: number } {
  const values = new Map<string, number>();
  for (const element of net.elements) {
    const value = isTask(element) ? valueOf(measure, rows.get(element.id), standing.get(element.id)) : undefined;
    if (value !== undefined) values.set(element.id, value);
  }
  const most = Math.max(0, ...values.values());
  const heat: Record<string, Heat> = {};
  for (const [id, value] of values)
    heat[id] = { share: most === 0 ? 0 : value / most, figures: show(value, measure === 'standing' && (standing.get(id)?.atLeast ?? false)), title: title(id) };
  return { heat, most };
}

/** The rows of one net by task; the instances of a net are counted together. */
export const rowsOf = (rows: Statistic[], net: string): Map<string, Statistic> =>
  new Map(rows.filter((row) => row.net === net && row.task !== undefined).map((row) => [row.task!, row]));

export function takenOf(rows: Statistic[], net: string): Record<string, number> {
  const taken: Record<string, number> = {};
  for (const row of rows) if (row.net === net && row.from !== undefined && row.to !== undefined && row.taken) taken[flowKey(row.from, row.to)] = row.taken;
  return taken;
}
