// SPDX-License-Identifier: Apache-2.0
// The values of a form as JSON, as docs/REST.md describes it: an element that
// may occur more than once is an array, a number of more than 15 digits and
// INF, -INF, NaN are strings, and what is not given has no member.
import type { Schema } from '../api/client';

export type Form = Schema['Form'];
export type Field = Schema['Field'];
export type Mistake = NonNullable<Form['mistakes']>[number];
export type Values = Record<string, unknown>;

export const asObject = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);

/** The values with one member put in the place of what was there. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const others = Object.entries(values).filter(([one]) => one !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

// --- numbers -----------------------------------------------------------------

const DIGITS_IN_JSON = 15;
export const isDouble = (field: Field): boolean => field.base === 'double' || field.base === 'float';

/** What JSON has for a number as it is typed; other words as they are. */
export function numberOf(text: string, field: Field): unknown {
  const word = text.trim();
  if (word === '') return undefined;
  if (isDouble(field)) {
    const special = ['INF', '-INF', 'NaN'].find((one) => one.toLowerCase() === word.toLowerCase());
    const number = Number(word);
    return special ?? (Number.isFinite(number) ? number : word);
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) return word;
  const digits = word.replace(/[+\-.]/g, '').replace(/^0+/, '');
  return digits.length <= DIGITS_IN_JSON ? Number(word) : word.replace(/^\+/, '');
}

/** A number in the digits that are typed for it: never with an exponent if it is a decimal. */
export function textOfNumber(value: unknown, field: Field): string {
  if (typeof value !== 'number') return textOf(value);
  const text = String(value);
  if (isDouble(field) || !text.includes('e')) return text;
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value as number | boolean);
}

// --- starting values ---------------------------------------------------------

function initial(field: Field): unknown {
  const text = field.fixed ?? field.default;
  if (text === undefined) return undefined;
  if (field.widget === 'number') return numberOf(text, field);
  if (field.widget === 'checkbox') return text === 'true' || text === '1';
  return text;
}

/** The form's groups by path: a field that is `like` one has its fields. */
export function groupsOf(fields: Field[], found = new Map<string, Field>()): Map<string, Field> {
  for (const field of fields) {
    if (field.fields) found.set(field.path, field);
    groupsOf(field.fields ?? [], found);
    for (const alternative of field.alternatives ?? []) groupsOf(alternative, found);
  }
  return found;
}

export const fieldsOf = (field: Field, groups: ReadonlyMap<string, Field>): Field[] =>
  field.fields ?? (field.like === undefined ? [] : (groups.get(field.like)?.fields ?? []));

/** A new element of a field: its defaults, and the groups that must be there. */
export function blank(field: Field, groups: ReadonlyMap<string, Field>): unknown {
  if (field.widget !== 'group') return initial(field);
  return prepare(fieldsOf(field, groups), {}, groups);
}

/**
 * The values with what must be there: required groups, and as many elements as
 * a repeated one has at least.  So mistakes stand at the fields inside.
 */
export function prepare(fields: Field[], values: Values, groups: ReadonlyMap<string, Field>): Values {
  let result = values;
  for (const field of fields) {
    if (field.name === '' || field.hidden || field.read_only) continue;
    const value = result[field.name];
    if (field.repeat) {
      const list = asList(value).map((one) => (field.widget === 'group' ? prepare(fieldsOf(field, groups), asObject(one), groups) : one));
      while (field.required && field.widget === 'group' && list.length < field.repeat.minimum) list.push(blank(field, groups));
      if (list.length > 0) result = withMember(result, field.name, list);
    } else if (field.widget === 'group') {
      if (value !== undefined || field.required)
        result = withMember(result, field.name, typeof value === 'string' ? value : prepare(fieldsOf(field, groups), asObject(value), groups));
    } else if (value === undefined) {
      result = withMember(result, field.name, initial(field));
    }
  }
  return result;
}

// --- groups, choices, repeats ------------------------------------------------

/** A group after a change: one that may be missing is, when nothing is in it. */
export function groupOf(field: Field, values: Values): Values | undefined {
  const empty = Object.values(values).every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
  return empty && !field.required ? undefined : values;
}

const namesOf = (fields: Field[]): string[] =>
  fields.flatMap((field) => (field.name !== '' ? [field.name] : (field.alternatives ?? []).flatMap(namesOf)));

/** Which alternative is given: the one of which a member is there. */
export function chosenAlternative(choice: Field, values: Values): number | undefined {
  const index = (choice.alternatives ?? []).findIndex((fields) => namesOf(fields).some((name) => values[name] !== undefined));
  return index < 0 ? undefined : index;
}

/** The values with this alternative, and none of the others. */
export function chooseAlternative(choice: Field, values: Values, index: number, groups: ReadonlyMap<string, Field>): Values {
  let result = values;
  const alternatives = choice.alternatives ?? [];
  const kept = new Set(namesOf(alternatives[index] ?? []));
  for (const name of alternatives.flatMap(namesOf)) if (!kept.has(name)) result = withMember(result, name, undefined);
  return prepare(alternatives[index] ?? [], result, groups);
}

const SIMPLE = new Set<Field['widget']>(['text', 'checkbox', 'date', 'time', 'datetime', 'number', 'uri', 'select', 'flag']);

/** Whether a repeated group is one row of a table for each element. */
export function isFlat(fields: Field[]): boolean {
  const shown = fields.filter((field) => !field.hidden);
  return shown.length > 0 && shown.length <= 6 && shown.every((field) => SIMPLE.has(field.widget) && !field.repeat);
}

/** What is sent: the members that are taken, without what is not given. */
export function given(values: Values, names: readonly string[] | undefined): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && (names?.includes(name) ?? true)));
}
