// SPDX-License-Identifier: Apache-2.0
// The kinds of records of an organisation and their members, described once:
// lists and editors come from this table (docs/PEOPLE.md, The organisation).
import type { Schema } from '../../api/client';
import type { Key } from '../../text/text';
import { personName } from '../../ui/person-name';

export type OrgRecord = Schema['Record'];
export type Kind = 'people' | 'roles' | 'positions' | 'groups' | 'capabilities' | 'categories' | 'things' | 'rates' | 'calendars';

export interface Member {
  name: string;
  label: Key;
  type: 'text' | 'lines' | 'flag' | 'link' | 'links' | 'texts' | 'choice' | 'choices' | 'amount' | 'object';
  /** What a link leads to. */
  to?: Kind;
  values?: readonly string[];
  /** What a value is called. */
  word?: (value: string) => Key;
  required?: boolean;
  /** A column of the list. */
  listed?: boolean;
  hint?: Key;
}

/** people/organisation/user_privileges.def */
export const privileges = ['canChooseItemToStart', 'canStartConcurrent', 'canReorder', 'canViewTeamItems', 'canViewOrgGroupItems', 'canChainExecution', 'canManageCases', 'carteblanche'] as const;
const privilege = (value: string): Key => `privilege.${value as (typeof privileges)[number]}`;

const description: Member = { name: 'description', label: 'people.description', type: 'text', listed: true };
const notes: Member = { name: 'notes', label: 'people.notes', type: 'lines' };
const name: Member = { name: 'name', label: 'common.name', type: 'text', required: true };

export const kinds: Record<Kind, { label: Key; one: Key; members: Member[] }> = {
  people: {
    label: 'people.people', one: 'people.person',
    members: [
      { name: 'user', label: 'people.user', type: 'text', required: true, hint: 'people.userHint' },
      { name: 'firstName', label: 'people.firstName', type: 'text', listed: true },
      { name: 'lastName', label: 'people.lastName', type: 'text', listed: true },
      { name: 'roles', label: 'people.roles', type: 'links', to: 'roles', listed: true },
      { name: 'positions', label: 'people.positions', type: 'links', to: 'positions', listed: true },
      { name: 'capabilities', label: 'people.capabilities', type: 'links', to: 'capabilities' },
      { name: 'email', label: 'people.email', type: 'text' },
      { name: 'administrator', label: 'people.administrator', type: 'flag' },
      { name: 'privileges', label: 'people.privileges', type: 'choices', values: privileges, word: privilege },
      { name: 'calendar', label: 'people.calendar', type: 'link', to: 'calendars' },
      { name: 'mailOnAllocation', label: 'people.mailOnAllocation', type: 'flag' },
      { name: 'mailOnOffer', label: 'people.mailOnOffer', type: 'flag' },
      { name: 'mailDigest', label: 'people.mailDigest', type: 'flag' },
      { ...description, listed: false }, notes,
    ],
  },
  roles: {
    label: 'people.roles', one: 'people.role',
    members: [name, { name: 'belongsTo', label: 'people.belongsTo', type: 'link', to: 'roles', listed: true }, { name: 'live', label: 'people.live', type: 'flag', hint: 'people.liveHint' }, description, notes],
  },
  positions: {
    label: 'people.positions', one: 'people.position',
    members: [
      { name: 'title', label: 'people.title', type: 'text', required: true }, { name: 'positionId', label: 'people.positionId', type: 'text', listed: true },
      { name: 'group', label: 'people.group', type: 'link', to: 'groups', listed: true }, { name: 'reportsTo', label: 'people.reportsTo', type: 'link', to: 'positions', listed: true }, description, notes,
    ],
  },
  groups: {
    label: 'people.groups', one: 'people.group',
    members: [name, { name: 'type', label: 'people.type', type: 'text', listed: true }, { name: 'belongsTo', label: 'people.belongsTo', type: 'link', to: 'groups', listed: true }, { name: 'calendar', label: 'people.calendar', type: 'link', to: 'calendars' }, description, notes],
  },
  capabilities: { label: 'people.capabilities', one: 'people.capability', members: [name, description, notes] },
  categories: { label: 'people.categories', one: 'people.category', members: [name, { name: 'subcategories', label: 'people.subcategories', type: 'texts', listed: true }, description, notes] },
  things: {
    label: 'people.things', one: 'people.thing',
    members: [name, { name: 'category', label: 'people.category', type: 'link', to: 'categories', listed: true }, { name: 'subcategory', label: 'people.subcategory', type: 'text', listed: true }, description, notes],
  },
  calendars: {
    label: 'people.calendars', one: 'people.calendar',
    members: [
      name, { name: 'timezone', label: 'people.timezone', type: 'text', listed: true, hint: 'people.timezoneHint' },
      { name: 'hours', label: 'people.hours', type: 'object', hint: 'people.hoursHint' }, { name: 'daysOff', label: 'people.daysOff', type: 'texts', hint: 'people.daysOffHint' },
      { name: 'exceptions', label: 'people.exceptions', type: 'object', hint: 'people.exceptionsHint' }, { name: 'includes', label: 'people.includes', type: 'links', to: 'calendars' }, description,
    ],
  },
  rates: {
    label: 'people.rates', one: 'people.rate',
    members: [
      name, { name: 'participant', label: 'people.person', type: 'link', to: 'people', listed: true }, { name: 'role', label: 'people.role', type: 'link', to: 'roles', listed: true },
      { name: 'specification', label: 'cases.process', type: 'text', listed: true }, { name: 'task', label: 'people.task', type: 'text', listed: true },
      { name: 'amount', label: 'people.amount', type: 'amount', required: true, listed: true }, { name: 'currency', label: 'people.currency', type: 'text' },
      { name: 'per', label: 'people.per', type: 'choice', values: ['', 'minute', 'hour', 'day', 'item'] }, { name: 'while', label: 'people.while', type: 'choice', values: ['', 'assigned', 'allocated', 'busy'] },
    ],
  },
};

export const kindNames = Object.keys(kinds) as Kind[];
/** The member that names a record among those of its kind. */
export const naming = (kind: Kind): string => kinds[kind].members[0]!.name;

export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(text).join(', ');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** What a record is called by people. */
export function called(kind: Kind, record: OrgRecord): string {
  if (kind === 'people') {
    const whole = personName(record);
    if (whole !== '') return whole;
  }
  return text(record[naming(kind)]) || record.id;
}

/**
 * What changed between a record and what an editor has, as PATCH wants it;
 * an empty text or list is null, which empties the member.
 */
export function changes(kind: Kind, before: Partial<OrgRecord>, after: Record<string, unknown>): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const member of kinds[kind].members) {
    const now = after[member.name];
    if (JSON.stringify(now ?? null) === JSON.stringify(before[member.name] ?? null)) continue;
    const empty = now === undefined || now === '' || (Array.isArray(now) && now.length === 0);
    if (empty && before[member.name] === undefined) continue;
    changed[member.name] = empty ? null : now;
  }
  return changed;
}
