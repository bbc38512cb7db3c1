// SPDX-License-Identifier: Apache-2.0
// The list of changes that a repair will make, in their order.
import type { Schema } from '../../api/client';

export type Change = Schema['Change'];

/** A token dragged on the picture; a place of undefined is the stock. */
export function dragged(from: string | undefined, to: string | undefined, net: string): Change | undefined {
  if (from !== undefined && to !== undefined) return { change: 'move', net, from, to, tokens: 1 };
  if (to !== undefined) return { change: 'add', net, condition: to, tokens: 1 };
  return from === undefined ? undefined : { change: 'remove', net, condition: from, tokens: 1 };
}

const opposite = { add: 'remove', remove: 'add' } as const;

/**
 * Adds a change.  One that takes the change before it back removes that; the
 * same again counts up; a token that is moved on is moved at once.
 */
export function append(changes: readonly Change[], next: Change): Change[] {
  const last = changes.at(-1);
  if (!last || last.net !== next.net) return [...changes, next];
  const rest = changes.slice(0, -1);
  const count = (change: Change) => change.tokens ?? 1;
  if ((next.change === 'add' || next.change === 'remove') && next.condition === last.condition) {
    if (last.change === next.change) return [...rest, { ...last, tokens: count(last) + count(next) }];
    if (last.change === opposite[next.change]) return count(last) > 1 ? [...rest, { ...last, tokens: count(last) - count(next) }] : rest;
  }
  if (next.change === 'move' && last.change === 'move') {
    if (last.from === next.from && last.to === next.to) return [...rest, { ...last, tokens: count(last) + count(next) }];
    if (last.to === next.from && count(last) === count(next)) return last.from === next.to ? rest : [...rest, { ...last, ...(next.to === undefined ? {} : { to: next.to }) }];
  }
  return [...changes, next];
}
