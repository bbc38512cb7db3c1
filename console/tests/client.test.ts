// SPDX-License-Identifier: Apache-2.0
// Requests of the page, where the browser has less and when answers are refusals.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Session } from '../src/api/client';

const { api, askEarly, Problem, session, there } = await import('../src/api/client');
const { readSpecifications, specifications } = await import('../src/app/specifications');
const { openStream } = await import('../src/api/stream');
const { upload } = await import('../src/api/upload');
const { changed, news } = await import('../src/app/changes');
const { ask, attempt, reasonOf } = await import('../src/ui/message');

const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
const signedIn = (account = 'anna', verbs = ['read']) => { session.value = { account, verbs, grants: [] } as unknown as Session; };
const immediate = setImmediate;
const settled = () => new Promise((resolve) => immediate(() => immediate(resolve)));

test('commands have keys of their own where a browser has no randomUUID', async () => {
  const keys: string[] = [];
  globalThis.fetch = (_target, init) => {
    keys.push((init!.headers as Record<string, string>)['Idempotency-Key']!);
    return Promise.resolve(answer({}));
  };
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
  for (let i = 0; i < 2; i++) await api.post('/v1/cases', { body: { specification: 'Purchase' } });
  delete (crypto as { randomUUID?: unknown }).randomUUID;
  assert.match(keys[0]!, /^[0-9a-f]{32}$/);
  assert.notEqual(keys[0], keys[1]);
});

test('a password that is wrong ends no session, another 401 does', async () => {
  globalThis.fetch = () => Promise.resolve(answer({ code: 'unauthorized' }, 401));
  signedIn();
  await assert.rejects(api.post('/v1/session/password', { body: { name: 'anna', password: 'wrong', new_password: 'longer word' } }));
  assert.equal(session.value?.account, 'anna');
  await assert.rejects(api.get('/v1/worklist'));
  assert.equal(session.value, null);
});

test('what was asked early is taken once, and not if it was refused', async () => {
  const statuses = [200, 401];
  const targets: string[] = [];
  globalThis.fetch = (target) => {
    targets.push(target as string);
    return Promise.resolve(answer({ n: targets.length }, statuses.shift() ?? 200));
  };
  signedIn();
  void askEarly('/v1/overview');
  void askEarly('/v1/cases/7');
  const read = async (path: '/v1/overview' | '/v1/cases/{case}') => ((await api.get(path as '/v1/cases/{case}', { path: { case: '7' } })) as unknown as { n: number }).n;
  assert.deepEqual([await read('/v1/overview'), await read('/v1/overview'), await read('/v1/cases/{case}')], [1, 3, 4]);
  assert.equal(session.value?.account, 'anna');
});

test('what is asked for by an early answer is early, too', async () => {
  globalThis.fetch = (target) => Promise.resolve(answer({ of: target }));
  await askEarly<{ of: string }>('/v1/cases/8', (value) => askEarly(`/v1/specifications/${value.of.length}/nets`));
  assert.deepEqual(there('/v1/specifications/11/nets'), { of: '/v1/specifications/11/nets' });
  assert.equal(there('/v1/specifications/11/nets'), undefined);
});

test('a stream that is opened again reads first what the account may do now', async () => {
  let opened: (again: boolean) => void = () => undefined;
  const again = new Promise((resolve) => { opened = resolve; });
  const sources: EventSource[] = [];
  Object.assign(globalThis, { EventSource: class {
    constructor() {
      if (sources.push(this as unknown as EventSource) > 1) opened(session.value?.verbs.includes('suspend') ?? true);
    }
    addEventListener() {}
    close() {}
  } });
  globalThis.fetch = () => Promise.resolve(answer({ account: 'anna', verbs: ['read'], grants: [] }));
  signedIn('anna', ['read', 'suspend']);
  const stream = openStream('/v1/events', {});
  sources[0]!.onerror!(new Event("error"));
  assert.equal(await again, false);
  assert.equal(session.value?.account, 'anna');
  stream.close();
});

/** A file that is being sent, to end it as the test says. */
class Sending {
  static last: Sending;
  upload = {};
  status = 0;
  response: unknown = null;
  onload = () => undefined;
  onabort = () => undefined;
  constructor() { Sending.last = this; }
  open() {}
  setRequestHeader() {}
  send() {}
}

test('a file that is refused with 401 ends the session; one broken off says so', async () => {
  Object.assign(globalThis, { XMLHttpRequest: Sending });
  const file = { type: 'text/plain' } as File;
  signedIn();
  const broken = upload('/v1/documents', file, () => undefined);
  Sending.last.onabort();
  await assert.rejects(broken, (failure) => failure instanceof Problem && failure.code === 'aborted');
  assert.equal(session.value?.account, 'anna');
  const refused = upload('/v1/documents', file, () => undefined);
  Sending.last.status = 401;
  Sending.last.onload();
  await assert.rejects(refused, (failure) => failure instanceof Problem && failure.status === 401);
  assert.equal(session.value, null);
});

test('a question is over when another is asked', async () => {
  const first = ask({ text: 'The first', verb: 'Do' });
  void ask({ text: 'The second', verb: 'Do' });
  assert.equal(await Promise.race([first, new Promise((resolve) => setTimeout(() => resolve('open'), 50))]), undefined);
});

test('specifications that could not be read are read again', async () => {
  mock.timers.enable();
  let reads = 0;
  globalThis.fetch = () => Promise.resolve(++reads === 1 ? answer({ code: 'internal' }, 500) : answer({ specifications: [{ key: 'k', uri: 'u', version: '1' }] }));
  signedIn();
  specifications();
  for (let i = 0; i < 20; i++) await settled();
  mock.timers.tick(60_000);
  for (let i = 0; i < 20; i++) await settled();
  mock.timers.reset();
  assert.equal(reads, 2);
  assert.equal(specifications().length, 1);
});

test('who may read none asks for no specifications', () => {
  globalThis.fetch = () => { throw new Error('asked'); };
  signedIn('bert', ['participate']);
  assert.deepEqual(specifications(), []);
  signedIn();
});

test('what changed while specifications were read is read, too', async () => {
  const waiting: (() => void)[] = [];
  globalThis.fetch = () => new Promise((resolve) => waiting.push(() => resolve(answer({ specifications: [{ key: `k${waiting.length}`, uri: 'u', version: '1' }] }))));
  const first = readSpecifications();
  const second = Promise.all([readSpecifications(), readSpecifications()]);
  waiting[0]!();
  await first;
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(waiting.length, 2);
  waiting[1]!();
  await second;
  assert.equal(specifications()[0]!.key, 'k2');
});

test('an answer that is no problem of the server is not said to be none', async () => {
  globalThis.fetch = () => Promise.resolve(new Response('<html>', { status: 502, statusText: 'Bad Gateway' }));
  await assert.rejects(api.get('/v1/overview'), (failure) => failure instanceof Problem && !failure.unanswered && reasonOf(failure) === 'Bad Gateway');
});

test('what stands beside the views learns of commands, and of changes that no view reads', async () => {
  const before = news.value;
  assert.ok(await attempt(() => Promise.resolve()));
  const failures: unknown[] = [];
  assert.ok(!(await attempt(() => Promise.reject(new Problem(422, {}, '')), undefined, (failure) => failures.push(failure))));
  assert.equal(failures.length, 1);
  changed();
  assert.equal(news.value, before + 2);
});
