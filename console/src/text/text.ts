// SPDX-License-Identifier: Apache-2.0
// The texts of the page, by language.  en.ts defines which texts there are; those
// of another language are fetched when it is spoken.
import { computed, signal } from '@preact/signals';
import { en } from './en';

export type Key = keyof typeof en;
export type Language = 'en' | 'zh';
export type Values = Record<string, string | number>;

type Table = Record<Key, string>;
const tables: Partial<Record<Language, Table>> = { en };
const fetched: Record<Exclude<Language, 'en'>, () => Promise<Table>> = { zh: () => import('./zh').then((file) => file.zh) };
export const languages: { id: Language; name: string }[] = [
  { id: 'en', name: 'English' },
  { id: 'zh', name: '中文' },
];

/** That of the browser, if the page speaks it. */
export const preferred: Language = navigator.language.startsWith('zh') ? 'zh' : 'en';
/** The language that is spoken; written by speak(). */
export const language = signal<Language>('en');
let wanted: Language = 'en';

/** Speaks a language as soon as its texts are there; without them, stays as it is. */
export async function speak(named: string): Promise<void> {
  const next = languages.find((one) => one.id === named)?.id ?? preferred;
  wanted = next;
  if (next !== 'en') tables[next] ??= await fetched[next]().catch(() => undefined);
  if (wanted === next && tables[next] !== undefined) language.value = next;
}

const texts = (): Table => tables[language.value] ?? en;
const plural = computed(() => new Intl.PluralRules(language.value));

/**
 * A number with its thousands apart by thin spaces, and at most three decimals.
 * Intl.NumberFormat takes a tenth of the first load to begin with.
 */
export function figure(value: number): string {
  const [whole = '', part] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole.includes('e') ? whole : whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/**
 * A text with each {name} replaced.  {name|one|other} is the first form where
 * the language counts the value as one, else the second; # in it the number.
 */
export function t(key: Key, values: Values = {}): string {
  return fill(texts()[key], values);
}

export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
    const value = values[name] ?? '';
    const shown = typeof value === 'number' ? figure(value) : value;
    if (one === undefined || other === undefined) return shown;
    const form = typeof value === 'number' && plural.value.select(value) === 'one' ? one : other;
    return form.replace('#', shown);
  });
}

/** A text whose key is made of data, if there is one; else the fallback. */
export function tOr(key: string, fallback: string, values: Values = {}): string {
  const text = (texts() as Record<string, string | undefined>)[key];
  return text === undefined ? fallback : fill(text, values);
}

/** A text in pieces: where it has the name of a part, that part stands. */
export function pieces<T>(key: string, parts: Record<string, T>, values: Values = {}): (string | T)[] {
  const text = (texts() as Record<string, string | undefined>)[key] ?? key;
  return text
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      return name !== undefined && name in parts ? parts[name]! : fill(piece, values);
    })
    .filter((piece) => piece !== '');
}
