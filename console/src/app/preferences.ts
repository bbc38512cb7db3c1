// SPDX-License-Identifier: Apache-2.0
// What a person has chosen: kept with the account, so that it is there on
// another machine, too, and in this browser, so that it is there at once.
import { effect, signal } from '@preact/signals';
import { api, session } from '../api/client';
import { language, type Language } from '../text/text';

type Preferences = Record<string, unknown>;
const STORED = 'weft.preferences';
const WRITE_AFTER_MS = 1000;

function read(): Preferences {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Preferences;
  } catch {
    return {};
  }
}

const preferences = signal<Preferences>(read());
/** Whose choices these are: nobody else's are written over. */
let owner: string | undefined;
/** Writes what was chosen and is not written yet. */
let pending: (() => Promise<void>) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

export function preference<T>(name: string, otherwise: T): T {
  const value = preferences.value[name];
  return value === undefined ? otherwise : (value as T);
}

export function setPreference(name: string, value: unknown): void {
  if (JSON.stringify(preferences.value[name]) === JSON.stringify(value)) return;
  preferences.value = { ...preferences.value, [name]: value };
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
  clearTimeout(timer);
  const mine = owner;
  pending = async () => {
    pending = undefined;
    // What cannot be written now is written with the next choice.
    if (mine !== undefined && mine === session.value?.account) await api.put('/v1/session/preferences', { body: preferences.value }).catch(() => undefined);
  };
  timer = setTimeout(() => void pending?.(), WRITE_AFTER_MS);
}

/** Writes at once what is not written yet: before one signs out. */
export async function writePreferences(): Promise<void> {
  clearTimeout(timer);
  await pending?.();
}

/** Reads what the account has chosen, when somebody has signed in. */
export async function readPreferences(): Promise<void> {
  const account = session.value?.account;
  if (owner !== account) owner = undefined;
  const kept = await api.get('/v1/session/preferences').catch(() => undefined);
  if (kept === undefined) return;
  owner = account;
  preferences.value = kept;
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
}

export type Theme = 'system' | 'light' | 'dark';

/** Keeps the document's language, theme and density those that were chosen. */
export function startPreferences(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const system = signal(dark.matches);
  dark.addEventListener('change', () => (system.value = dark.matches));
  effect(() => {
    const chosen = preference<Language | undefined>('language', undefined);
    if (chosen) language.value = chosen;
  });
  effect(() => {
    const theme = preference<Theme>('theme', 'system');
    const root = document.documentElement;
    root.dataset['theme'] = theme === 'system' ? (system.value ? 'dark' : 'light') : theme;
    root.dataset['density'] = preference('density', 'normal');
    root.lang = language.value;
  });
}
