// SPDX-License-Identifier: Apache-2.0
// The lists of work: which there are, their order, and which item is next.
import type { Schema } from '../../api/client';
import type { Key } from '../../text/text';

export type Row = Schema['WorklistItem'];

export const views = ['all', 'mine', 'offered', 'team', 'groups', 'unoffered'] as const;
export type View = (typeof views)[number];
export const orders = ['due', 'priority', 'age'] as const;
export type Order = (typeof orders)[number];

export const viewLabel = (view: View): Key => `work.view.${view}`;

/** What is asked for a list: `all` is what one has and is offered. */
export function listQuery(view: View): { view: 'mine' | 'offered' | 'team' | 'groups' | 'unoffered'; state?: string } {
  if (view === 'all') return { view: 'mine' };
  return view === 'mine' ? { view: 'mine', state: 'allocated,started,suspended' } : { view };
}

const instant = (text: string | undefined): number => (text === undefined ? Infinity : Date.parse(text));

/** The order in which items are due; without a due time after those with one. */
export function byDue(a: Row, b: Row): number {
  const due = instant(a.due) - instant(b.due);
  if (!Number.isNaN(due) && due !== 0) return due;
  return (b.priority ?? 0) - (a.priority ?? 0) || instant(a.enabled) - instant(b.enabled);
}

const comparisons: Record<Order, (a: Row, b: Row) => number> = {
  due: byDue,
  priority: (a, b) => (b.priority ?? 0) - (a.priority ?? 0) || byDue(a, b),
  age: (a, b) => instant(a.enabled) - instant(b.enabled),
};

const DOABLE = ['complete', 'start', 'accept', 'resume'] as const;
const has: Record<string, number> = { started: 0, allocated: 0, offered: 1, unoffered: 2 };

/** The item to open after one is done: what one has before what is offered. */
export function nextItem(rows: readonly Row[], done: string): Row | undefined {
  return rows
    .filter((row) => row.item !== done && DOABLE.some((action) => row.actions?.includes(action)))
    .sort((a, b) => (has[a.assignment ?? ''] ?? 2) - (has[b.assignment ?? ''] ?? 2) || byDue(a, b))[0];
}

/**
 * The rows with one as it is now: in its old place, or where the order has it.
 * One that belongs behind the rows that were read comes with its page.
 */
export function merged(rows: readonly Row[], row: Row, order: Order, whole: boolean): Row[] {
  const at = rows.findIndex((one) => one.item === row.item);
  if (at >= 0) return rows.map((one, index) => (index === at ? row : one));
  const place = rows.findIndex((one) => comparisons[order](row, one) < 0);
  if (place < 0) return whole ? [...rows, row] : [...rows];
  return [...rows.slice(0, place), row, ...rows.slice(place)];
}

export const isLate = (row: { due?: string }, present: number): boolean => row.due !== undefined && Date.parse(row.due) < present;

/** The state of an item for a person, as a word of `state.*`. */
export const stateOf = (row: { status: string; assignment?: string }): string => (row.status === 'suspended' ? 'suspended' : (row.assignment ?? row.status));
