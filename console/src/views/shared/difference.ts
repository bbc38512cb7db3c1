// SPDX-License-Identifier: Apache-2.0
// What a step changed in the data of a case, member by member.
import type { Key } from '../../text/text';

export type Change = 'same' | 'added' | 'removed' | 'changed' | 'inside';
export const changeTexts: Record<Exclude<Change, 'same'>, Key> = {
  added: 'case.data.added', removed: 'case.data.removed', changed: 'case.data.changed', inside: 'case.data.inside',
};

export interface Branch {
  name: string;
  /** From the root: order/line/2. */
  path: string;
  value: unknown;
  before: unknown;
  change: Change;
  /** Of an object or array: its members, those that were removed as well. */
  branches?: Branch[];
}

type Members = Record<string, unknown>;
const isTree = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Members as they stand in an object, or from 1 in an array. */
const names = (value: Members): string[] => (Array.isArray(value) ? value.map((_, index) => String(index + 1)) : Object.keys(value));
const member = (value: unknown, name: string): unknown => (Array.isArray(value) ? (value as unknown[])[Number(name) - 1] : isTree(value) ? value[name] : undefined);

/** Compares a value with what it was; without `compared` all is the same. */
export function compare(name: string, value: unknown, before: unknown, compared: boolean, parent = ''): Branch {
  const path = parent === '' ? name : `${parent}/${name}`;
  const tree = isTree(value) ? value : value === undefined && isTree(before) ? before : undefined;
  if (!tree) {
    const change: Change = !compared || value === before ? 'same' : before === undefined ? 'added' : value === undefined ? 'removed' : 'changed';
    return { name, path, value, before, change };
  }
  const earlier = isTree(before) ? before : {};
  const all = [...new Set([...names(tree), ...(compared ? names(earlier) : [])])];
  const branches = all.map((one) => compare(one, member(value, one), member(before, one), compared, path));
  const change: Change = !compared ? 'same'
    : value === undefined ? 'removed'
    : before === undefined ? 'added'
    : branches.some((branch) => branch.change !== 'same') || !isTree(before) ? 'inside'
    : 'same';
  return { name, path, value, before, change, branches };
}

/** The variables of a case, each with what a step changed in it. */
export function compareData(data: Members, before: Members | undefined): Branch[] {
  const whole = compare('', data, before, before !== undefined);
  return whole.branches ?? [];
}
