// SPDX-License-Identifier: Apache-2.0
// What a field takes, as attributes of the browser's controls and in words.
// They are hints: what is refused is decided by the server alone.
import { t } from '../text/text';
import type { Field } from './values';

const least: Record<string, number> = { nonNegativeInteger: 0, positiveInteger: 1, unsignedLong: 0, unsignedInt: 0, unsignedShort: 0, unsignedByte: 0, byte: -128, short: -32_768, int: -2_147_483_648 };
const most: Record<string, number> = { nonPositiveInteger: 0, negativeInteger: -1, unsignedByte: 255, unsignedShort: 65_535, unsignedInt: 4_294_967_295, byte: 127, short: 32_767, int: 2_147_483_647 };

export const isInteger = (field: Field): boolean => field.base !== undefined && !['decimal', 'double', 'float'].includes(field.base);

interface Bounds {
  min?: string;
  max?: string;
  step: string;
}

/** Bounds of a number; those that exclude their own value only of integers. */
export function boundsOf(field: Field): Bounds {
  const facets = field.facets ?? {};
  const whole = isInteger(field);
  const next = (text: string | undefined, by: number) => (text !== undefined && whole && text.length < 16 ? String(Number(text) + by) : undefined);
  const base = field.base ?? '';
  const min = facets.min_inclusive ?? next(facets.min_exclusive, 1) ?? least[base]?.toString();
  const max = facets.max_inclusive ?? next(facets.max_exclusive, -1) ?? most[base]?.toString();
  const fraction = facets.fraction_digits;
  const step = whole ? '1' : fraction === undefined ? 'any' : fraction === '0' ? '1' : `0.${'0'.repeat(Number(fraction) - 1)}1`;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }), step };
}

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
