// SPDX-License-Identifier: Apache-2.0
// The texts of the page, by language.  en.ts defines which texts there are.
import { computed, signal } from '@preact/signals';
import { en } from './en';
import { zh } from './zh';

export type Key = keyof typeof en;
export type Language = 'en' | 'zh';
export type Values = Record<string, string | number>;

const tables: Record<Language, Record<Key, string>> = { en, zh };
export const languages: { id: Language; name: string }[] = [
  { id: 'en', name: 'English' },
  { id: 'zh', name: '中文' },
];

export const language = signal<Language>(navigator.language.startsWith('zh') ? 'zh' : 'en');
const plural = computed(() => new Intl.PluralRules(language.value));
const number = computed(() => new Intl.NumberFormat(language.value));

/** A number with its thousands apart by thin spaces. */
export function figure(value: number): string {
  return number.value
    .formatToParts(value)
    .map((part) => (part.type === 'group' ? '\u202f' : part.value))
    .join('');
}

/**
 * A text with each {name} replaced.  {name|one|other} is the first form where
 * the language counts the value as one, else the second; # in it the number.
 */
export function t(key: Key, values: Values = {}): string {
  return fill(tables[language.value][key], values);
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
  const text = (tables[language.value] as Record<string, string | undefined>)[key];
  return text === undefined ? fallback : fill(text, values);
}

/** A text in pieces: where it has the name of a part, that part stands. */
export function pieces<T>(key: string, parts: Record<string, T>, values: Values = {}): (string | T)[] {
  const text = (tables[language.value] as Record<string, string | undefined>)[key] ?? key;
  return text
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      return name !== undefined && name in parts ? parts[name]! : fill(piece, values);
    })
    .filter((piece) => piece !== '');
}
