// SPDX-License-Identifier: Apache-2.0
// How two versions of a process differ, as far as their nets show it.
import type { Element, Flow, Net } from '../../picture/model';

const members = ['name', 'kind', 'join', 'split', 'does', 'net', 'service', 'timer', 'instances', 'cancels'] as const;
const flowMembers = ['predicate', 'default', 'order'] as const;
type Member = (typeof members)[number] | (typeof flowMembers)[number];

interface Difference {
  what: 'added' | 'removed' | 'changed';
  part: 'net' | 'element' | 'flow';
  name: string;
  /** The net that it is in. */
  net?: string;
  changes: { member: Member; from: string; to: string }[];
}

const nameOf = (one: { id: string; name?: string | undefined }): string => (one.name !== undefined && one.name !== one.id ? `${one.name} (${one.id})` : one.id);

function text(value: unknown): string {
  if (value === undefined || value === false) return '';
  if (value === true) return '✓';
  if (Array.isArray(value)) return value.map(text).sort().join(', ');
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([name, one]) => `${name} ${text(one)}`).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function changed<T extends object>(from: T, to: T, of: readonly (keyof T & Member)[]): Difference['changes'] {
  return of.map((member) => ({ member, from: text(from[member]), to: text(to[member]) })).filter((one) => one.from !== one.to);
}

/** Pairs by key: what only one side has, and what both have. */
function pairs<T>(from: T[], to: T[], keyOf: (one: T) => string): { before: T | undefined; after: T | undefined }[] {
  const after = new Map(to.map((one) => [keyOf(one), one]));
  const known = new Set(from.map(keyOf));
  return [
    ...from.map((one) => ({ before: one, after: after.get(keyOf(one)) })),
    ...to.filter((one) => !known.has(keyOf(one))).map((one) => ({ before: undefined, after: one })),
  ];
}

function compare<T extends object>(from: T[], to: T[], keyOf: (one: T) => string, of: readonly (keyof T & Member)[], about: (one: T) => Pick<Difference, 'part' | 'name' | 'net'>): Difference[] {
  return pairs(from, to, keyOf).flatMap(({ before, after }): Difference[] => {
    if (!before || !after) return [{ what: before ? 'removed' : 'added', changes: [], ...about((before ?? after)!) }];
    const changes = changed(before, after, of);
    return changes.length > 0 ? [{ what: 'changed', changes, ...about(after) }] : [];
  });
}

/** What was added, removed and changed from one version to another. */
export function differences(from: readonly Net[], to: readonly Net[]): Difference[] {
  return pairs([...from], [...to], (net) => net.id).flatMap(({ before, after }) => {
    if (!before || !after) return [{ what: before ? 'removed' as const : 'added' as const, part: 'net' as const, name: nameOf((before ?? after)!), changes: [] }];
    const net = nameOf(after);
    const names = new Map([...before.elements, ...after.elements].map((element) => [element.id, element.name ?? element.id]));
    return [
      ...compare<Element>(before.elements, after.elements, (element) => element.id, members, (element) => ({ part: 'element', name: nameOf(element), net })),
      ...compare<Flow>(before.flows, after.flows, (flow) => `${flow.from}\n${flow.to}`, flowMembers, (flow) => ({ part: 'flow', name: `${names.get(flow.from)} → ${names.get(flow.to)}`, net })),
    ];
  });
}
