// SPDX-License-Identifier: Apache-2.0
// What a field takes, for the keys of a phone and in words.
// They are hints: what is refused is decided by the server alone.
import { t } from '../text/text';
import type { Field } from './values';

/** Whether digits are enough to type it: an integer of 0 or more. */
export const isNatural = (field: Field): boolean =>
  /^(nonNegative|positive|unsigned)/.test(field.base ?? '') ||
  (/[iI]nt(eger)?$|[lL]ong$|[sS]hort$|[bB]yte$/.test(field.base ?? '') && Number(field.facets?.min_inclusive ?? field.facets?.min_exclusive ?? -1) >= 0);

/** What is expected, in words; undefined: anything. */
export function expected(field: Field): string | undefined {
  const facets = field.facets ?? {};
  const min = facets.min_inclusive ?? facets.min_exclusive;
  const max = facets.max_inclusive ?? facets.max_exclusive;
  if (min !== undefined && max !== undefined) return t('form.between', { min, max });
  if (min !== undefined) return t('form.atLeast', { min });
  if (max !== undefined) return t('form.atMost', { max });
  if (facets.length !== undefined) return t('form.length', { n: Number(facets.length) });
  if (facets.max_length !== undefined) return t('form.maxLength', { n: Number(facets.max_length) });
  if (facets.min_length !== undefined && facets.min_length !== '0') return t('form.minLength', { n: Number(facets.min_length) });
  if (facets.patterns?.length === 1) return t('form.pattern', { pattern: facets.patterns[0]! });
  return undefined;
}
