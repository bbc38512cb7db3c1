// SPDX-License-Identifier: Apache-2.0
// What a person has chosen: kept in this browser, and with the account where
// the server keeps it.
import { effect, signal } from '@preact/signals';
import { language, type Language } from '../text/text';

type Preferences = Record<string, unknown>;
const STORED = 'weft.preferences';

function read(): Preferences {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Preferences;
  } catch {
    return {};
  }
}

const preferences = signal<Preferences>(read());

export function preference<T>(name: string, otherwise: T): T {
  const value = preferences.value[name];
  return value === undefined ? otherwise : (value as T);
}

export function setPreference(name: string, value: unknown): void {
  preferences.value = { ...preferences.value, [name]: value };
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
}

export type Theme = 'system' | 'light' | 'dark';

/** Keeps the document's language, theme and density those that were chosen. */
export function startPreferences(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const system = signal(dark.matches);
  dark.addEventListener('change', () => (system.value = dark.matches));
  const chosen = preference<Language | undefined>('language', undefined);
  if (chosen) language.value = chosen;
  effect(() => {
    const theme = preference<Theme>('theme', 'system');
    const root = document.documentElement;
    root.dataset['theme'] = theme === 'system' ? (system.value ? 'dark' : 'light') : theme;
    root.dataset['density'] = preference('density', 'normal');
    root.lang = language.value;
  });
}
