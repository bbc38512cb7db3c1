// SPDX-License-Identifier: Apache-2.0
// Where a mistake is shown: at the field that its path names, else at the
// nearest one around it that is shown, else above the form.
import { asList, asObject, chosenAlternative, fieldsOf, type Field, type Mistake, type Values } from './values';

/** The path of a field in a value: order/line[2]/price. */
export const inside = (path: string, name: string, index?: number): string =>
  (path === '' ? name : `${path}/${name}`) + (index === undefined ? '' : `[${index + 1}]`);

/** The paths at which the form shows something, as it is filled in. */
export function shownPaths(fields: Field[], values: Values, groups: ReadonlyMap<string, Field>, path = '', found = new Set<string>()): Set<string> {
  for (const field of fields) {
    if (field.hidden) continue;
    if (field.widget === 'choice') {
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

/** What a mistake says: the words of the specification, if it has some. */
export const words = (mistake: Mistake): string => mistake.alert ?? mistake.message;
