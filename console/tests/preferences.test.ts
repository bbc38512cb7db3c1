// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../src/api/client';

const { session } = await import('../src/api/client');
const { preference, readPreferences, setPreference, writePreferences } = await import('../src/app/preferences');

const store = new Map<string, string>();
Object.assign(globalThis, { localStorage: { getItem: (name: string) => store.get(name) ?? null, setItem: (name: string, value: string) => void store.set(name, value), removeItem: (name: string) => void store.delete(name) } });

const written: string[] = [];
globalThis.fetch = (_target, init) => {
  if (init?.method === 'PUT') written.push(`${session.value?.account} ${init.body as string}`);
  return Promise.resolve(new Response('{}', { headers: { 'Content-Type': 'application/json' } }));
};
const signedIn = (account: string) => { session.value = { account, verbs: [], grants: [] } as unknown as Session; };

test('the choices of one person are not those of who signs in next', async () => {
  signedIn('anna');
  await readPreferences();
  setPreference('theme', 'dark');
  signedIn('bert');
  await readPreferences();
  assert.equal(preference('theme', 'system'), 'system');
  await writePreferences();
  assert.deepEqual(written, []);
});

test('a choice is written before its person signs out', async () => {
  signedIn('anna');
  await readPreferences();
  setPreference('density', 'compact');
  await writePreferences();
  // Also what she chose before, which was not written then.
  assert.deepEqual(written, ['anna {"theme":"dark"}', 'anna {"theme":"dark","density":"compact"}']);
});

test('choices that could not be read are not written over', async () => {
  const { fetch } = globalThis;
  signedIn('bert');
  globalThis.fetch = () => Promise.resolve(new Response('{}', { status: 500, headers: { 'Content-Type': 'application/problem+json' } }));
  await readPreferences();
  globalThis.fetch = fetch;
  written.length = 0;
  setPreference('theme', 'light');
  await writePreferences();
  assert.deepEqual(written, []);
});

test('a choice is not lost when the page is left before it is written', async () => {
  signedIn('carl');
  await readPreferences();
  written.length = 0;
  setPreference('language', 'zh');
  // What another page reads when it is opened.
  await readPreferences();
  assert.equal(preference('language', 'en'), 'zh');
  assert.deepEqual(written, ['carl {"language":"zh"}']);
  await readPreferences();
  assert.equal(preference('language', 'en'), 'en');
});

test('a choice that was left unwritten leaves others as they were made elsewhere', async () => {
  const { fetch } = globalThis;
  signedIn('dora');
  await readPreferences();
  setPreference('theme', 'dark');
  await writePreferences();
  written.length = 0;
  setPreference('density', 'compact');
  // Meanwhile she has chosen another theme on another machine.
  globalThis.fetch = (target, init) => (init?.method === 'PUT' ? fetch(target, init) : Promise.resolve(new Response('{"theme":"light","columns":[1]}', { headers: { 'Content-Type': 'application/json' } })));
  await readPreferences();
  globalThis.fetch = fetch;
  assert.equal(preference('theme', 'system'), 'light');
  assert.equal(preference('density', 'normal'), 'compact');
  assert.deepEqual(written, ['dora {"theme":"light","columns":[1],"density":"compact"}']);
});

test('a choice made before the choices of the account are read is kept and written', async () => {
  signedIn('dora');
  await readPreferences();
  // Another page of hers is opened.
  session.value = null;
  await readPreferences();
  signedIn('dora');
  const reading = readPreferences();
  setPreference('last', 'cases');
  written.length = 0;
  await reading;
  assert.equal(preference('last', ''), 'cases');
  assert.deepEqual(written, ['dora {"last":"cases"}']);
});
