// SPDX-License-Identifier: Apache-2.0
// What a person has chosen: kept with the account, so that it is there on
// another machine, too, and in this browser, so that it is there at once.
import { effect, signal } from '@preact/signals';
import { api, session } from '../api/client';
import { language, preferred, speak, type Language } from '../text/text';

type Preferences = Record<string, unknown>;
const STORED = 'weft.preferences';
/** Whose choices are stored. */
const OWNER = 'weft.preferences.account';
/** What was chosen and the server does not have yet, and whose it is. */
const UNWRITTEN = 'weft.preferences.unwritten';
const WRITE_AFTER_MS = 1000;

function read<T extends object>(name: string): Partial<T> {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '{}') as T;
  } catch {
    return {};
  }
}

const preferences = signal<Preferences>(read(STORED));
interface Unwritten { account: string; preferences: Preferences }

/** What that account has chosen here and is not written. */
function unwrittenOf(account: string | undefined): Preferences {
  const left = read<Unwritten>(UNWRITTEN);
  return account !== undefined && left.account === account ? (left.preferences ?? {}) : {};
}

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
  // What is chosen before the choices of the account were read is written then.
  const chooser = mine ?? (areOthers() ? undefined : session.value?.account);
  if (chooser !== undefined) localStorage.setItem(UNWRITTEN, JSON.stringify({ account: chooser, preferences: { ...unwrittenOf(chooser), [name]: value } } satisfies Unwritten));
  pending = async () => {
    pending = undefined;
    if (mine !== undefined && mine === session.value?.account) await write();
  };
  timer = setTimeout(() => void pending?.(), WRITE_AFTER_MS);
}

/** What cannot be written now is written with the next choice, or the next read. */
async function write(): Promise<void> {
  const written = preferences.value;
  try {
    await api.put('/v1/session/preferences', { body: written });
    if (written === preferences.value) localStorage.removeItem(UNWRITTEN);
  } catch {
    // It stays unwritten.
  }
}

/** The language chosen while nobody has signed in: for an account that has chosen none. */
let spokenAtFirst: Language | undefined;

export function chooseLanguageAtFirst(language: Language): void {
  spokenAtFirst = language;
  preferences.value = { ...preferences.value, language };
}

/** Writes at once what is not written yet: before one signs out. */
export async function writePreferences(): Promise<void> {
  clearTimeout(timer);
  await pending?.();
}

/** Whether the choices in this browser are those of another account. */
export function areOthers(): boolean {
  const account = localStorage.getItem(OWNER);
  return account !== null && account !== session.value?.account;
}

/** Reads what the account has chosen, when somebody has signed in. */
export async function readPreferences(): Promise<void> {
  const account = session.value?.account;
  if (owner !== account) owner = undefined;
  const kept = await api.get('/v1/session/preferences').catch(() => undefined);
  if (kept === undefined) return;
  owner = account;
  if (account !== undefined) localStorage.setItem(OWNER, account);
  // The page may have been left before the last choice was written; what was
  // chosen elsewhere since then stays.
  const unwritten = unwrittenOf(account);
  preferences.value = { ...(spokenAtFirst === undefined ? {} : { language: spokenAtFirst }), ...kept, ...unwritten };
  spokenAtFirst = undefined;
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
  if (Object.keys(unwritten).length > 0) await write();
}

export type Theme = 'system' | 'light' | 'dark';

/** Speaks the language that was chosen. */
export const spoken = (): Promise<void> => speak(preference<Language>('language', preferred));

/** Keeps the document's language, theme and density those that were chosen. */
export function startPreferences(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const system = signal(dark.matches);
  dark.addEventListener('change', () => (system.value = dark.matches));
  effect(() => void spoken());
  effect(() => {
    const theme = preference<Theme>('theme', 'system');
    const root = document.documentElement;
    root.dataset['theme'] = theme === 'system' ? (system.value ? 'dark' : 'light') : theme;
    root.dataset['density'] = preference('density', 'normal');
    root.lang = language.value;
  });
}
