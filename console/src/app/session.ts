// SPDX-License-Identifier: Apache-2.0
// Signing in and out, and what the account may do.
import { signal } from '@preact/signals';
import { api, askedEarly, Problem, session, type Session } from '../api/client';
import { writePreferences } from './preferences';

/** Whether the ticket of the address was used up or too old. */
export const ticketRefused = signal(false);

const EARLY_MS = 100;

/** The ticket of the address: who signs in by it is not known before. */
export const ticketGiven = (): string | undefined => /[#&]ticket=([^&]+)/.exec(location.hash)?.[1];

/** Reads who has signed in; with a ticket in the address, signs in by it. */
export async function openSession(): Promise<void> {
  const ticket = ticketGiven();
  if (ticket !== undefined) {
    history.replaceState(null, '', location.pathname === '/sign-in' ? '/' : location.pathname + location.search);
    try {
      session.value = await signIn({ ticket: decodeURIComponent(ticket) });
      return;
    } catch (error) {
      // A ticket is good once; who has a session goes on with it.
      if (!(error instanceof Problem) || error.status !== 401) throw error;
      ticketRefused.value = true;
    }
  }
  try {
    const found = await api.get('/v1/session');
    // So the first view is drawn once, and not without its content before.
    await askedEarly(EARLY_MS);
    session.value = found;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    session.value = null;
  }
}

export async function signIn(proof: { name: string; password: string } | { token: string } | { ticket: string }): Promise<Session> {
  return api.post('/v1/session', { body: proof as { name: string; password: string } });
}

export async function signOut(): Promise<void> {
  await writePreferences();
  await api.delete('/v1/session');
  session.value = null;
}

/** The shortest password that the server takes, in bytes. */
export const PASSWORD_LEAST = 8;
export const isShort = (password: string): boolean => new TextEncoder().encode(password).length < PASSWORD_LEAST;

export const verbs = ['participate', 'read', 'work', 'start', 'suspend', 'cancel', 'load', 'operate', 'organise', 'act', 'audit', 'administer'] as const;
export type Verb = (typeof verbs)[number];

/** Whether the account has the right in its whole namespace. */
export function may(verb: Verb): boolean {
  return session.value?.verbs.includes(verb) ?? false;
}

/** Whether it has the right anywhere, perhaps only on one process. */
export function mayAnywhere(verb: Verb): boolean {
  return may(verb) || (session.value?.grants.some((grant) => grant === verb || grant.startsWith(verb + ' ')) ?? false);
}
