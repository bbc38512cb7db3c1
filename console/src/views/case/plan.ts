// SPDX-License-Identifier: Apache-2.0
// Where elements go in a migration: the rows that a person fills in, and the
// plan that is made of them.
import type { Schema } from '../../api/client';

type Plan = Schema['Plan'];
type Misfit = Schema['Misfit'];
type Placed = Exclude<Misfit['kind'], 'timer'>;

export interface Row {
  /** The id of the net, not of its instance. */
  net: string;
  kind: Placed;
  element: string;
  text: string;
  /** Undefined: not decided; null: left behind. */
  to: string | null | undefined;
}

const sameRow = (a: Row, b: Row): boolean => a.net === b.net && a.kind === b.kind && a.element === b.element;

/** The rows that are decided, and a new one for each problem. */
export function rowsFor(rows: readonly Row[], problems: readonly Misfit[], netOf: (instance: string) => string | undefined): Row[] {
  const next = rows.filter((row) => row.to !== undefined);
  for (const { net, kind, element, text } of problems) {
    if (kind === 'timer') continue;
    const row: Row = { net: netOf(net) ?? net, kind, element, text, to: undefined };
    const known = next.findIndex((one) => sameRow(one, row));
    if (known < 0) next.push(row);
    else next[known] = { ...next[known]!, text };
  }
  return next;
}

export const decide = (rows: readonly Row[], row: Row, to: string | null | undefined): Row[] => rows.map((one) => (sameRow(one, row) ? { ...one, to } : one));

const members = { condition: 'conditions', task: 'tasks', variable: 'variables' } as const;
type Mapping = Record<string, Record<string, string | null>>;

/** Undefined when nothing is decided: then all go to what has the same id. */
export function planOf(rows: readonly Row[], root: string, reoffer: boolean): Plan | undefined {
  const nets: Record<string, Mapping & { to?: string | null }> = {};
  for (const row of rows) {
    if (row.to === undefined) continue;
    const net = (nets[row.net] ??= {} as Mapping);
    if (row.kind === 'net') (nets[row.element] ??= {} as Mapping & { to?: string | null }).to = row.to as never;
    else (net[members[row.kind]] ??= {})[row.element] = row.to;
  }
  const { [root]: own, ...rest } = nets as Record<string, Mapping>;
  const others = Object.fromEntries(Object.entries(rest).filter(([, mapping]) => Object.keys(mapping).length > 0));
  const plan: Plan = { ...own, ...(Object.keys(others).length > 0 ? { nets: others } : {}), ...(reoffer ? { reoffer: true } : {}) };
  return Object.keys(plan).length === 0 ? undefined : plan;
}
