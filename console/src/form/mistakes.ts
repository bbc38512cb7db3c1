// SPDX-License-Identifier: Apache-2.0
// Where a mistake is shown: at the field that its path names, else at the
// nearest one around it that is shown, else above the form.
import { t } from '../text/text';
import { asList, asObject, chosenAlternative, fieldsOf, type Field, type Mistake, type Values } from './values';

/** The path of a field in a value: order/line[2]/price. */
export const inside = (path: string, name: string, index?: number): string =>
  (path === '' ? name : `${path}/${name}`) + (index === undefined ? '' : `[${index + 1}]`);

/** The paths at which the form shows something, as it is filled in. */
export function shownPaths(fields: Field[], values: Values, groups: ReadonlyMap<string, Field>, path = '', found = new Set<string>()): Set<string> {
  for (const field of fields) {
    if (field.hidden) continue;
    if (field.widget === 'choice') {
      found.add(choicePath(field, path));
      const index = chosenAlternative(field, values);
      if (index !== undefined) shownPaths(field.alternatives![index]!, values, groups, path, found);
      continue;
    }
    const own = inside(path, field.name);
    found.add(own);
    const value = values[field.name];
    const elements: [unknown, string][] = field.repeat
      ? asList(value).map((one, index) => [one, inside(path, field.name, index)])
      : [[value, own]];
    for (const [one, at] of elements) {
      found.add(at);
      if (field.widget === 'group') shownPaths(one === undefined && field.like !== undefined ? [] : fieldsOf(field, groups), asObject(one), groups, at, found);
    }
  }
  return found;
}

const around = (path: string): string => path.replace(/(\[\d+\]|\/?[^/[\]]+)$/, '');

/** The mistakes by the path at which each is shown; '' is above the form. */
export function placed(mistakes: readonly Mistake[], shown: ReadonlySet<string>): Map<string, Mistake[]> {
  const places = new Map<string, Mistake[]>();
  for (const mistake of mistakes) {
    let path = mistake.path;
    while (path !== '' && !shown.has(path)) path = around(path);
    places.set(path, [...(places.get(path) ?? []), mistake]);
  }
  return places;
}

/** The path of a choice, which has no name of its own. */
export const choicePath = (choice: Field, path: string): string => `${path}/choice:${choice.alternatives?.[0]?.[0]?.path ?? ''}`;

/** The paths inside of a group where something must be given, and is not. */
function missing(fields: Field[], values: Values, groups: ReadonlyMap<string, Field>, path: string): string[] {
  return fields.flatMap((field): string[] => {
    if (field.hidden || field.read_only) return [];
    if (field.widget === 'choice') {
      const index = chosenAlternative(field, values);
      return index !== undefined ? missing(field.alternatives![index]!, values, groups, path) : field.required ? [choicePath(field, path)] : [];
    }
    const own = inside(path, field.name);
    const value = values[field.name];
    if (value === undefined) return field.required ? [own] : [];
    if (field.widget !== 'group') return [];
    return field.repeat
      ? asList(value).flatMap((one, index) => missing(fieldsOf(field, groups), asObject(one), groups, inside(path, field.name, index)))
      : missing(fieldsOf(field, groups), asObject(value), groups, own);
  });
}

/**
 * The mistakes, with those of the content of a group at what is missing in it.
 * XML Schema ends at the first element that is not as expected, and names its
 * parent; a person has to know where something is to be filled in.
 */
export function refined(mistakes: readonly Mistake[], fields: Field[], values: Values, groups: ReadonlyMap<string, Field>): Mistake[] {
  const wrong = mistakes.filter((one) => one.rule === 'content');
  if (wrong.length === 0) return [...mistakes];
  // The mistake may name the element that stands where another was expected.
  const within = (path: string, group: string) => group === '' || path === group || path.startsWith(`${group}/`) || path.startsWith(`${group}[`);
  const under = (path: string, at: string) => within(path, at) || (around(at) !== '' && within(path, around(at)));
  const gaps = missing(fields, values, groups, '');
  const known = new Set(mistakes.map((one) => one.path));
  const added = gaps.filter((gap) => !known.has(gap) && wrong.some((one) => under(gap, one.path)));
  return [
    ...mistakes.filter((one) => one.rule !== 'content' || !added.some((gap) => under(gap, one.path))),
    ...added.map((path) => ({ path, rule: 'required', message: '' })),
  ];
}

/** What a mistake says: the words of the specification, if it has some. */
export const words = (mistake: Mistake): string => mistake.alert ?? (mistake.rule === 'required' ? t('form.needed') : mistake.message);
