// SPDX-License-Identifier: Apache-2.0
// A draft is saved in the place of what this page knows, and of nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';

const { draftOf } = await import('../src/views/work/draft');

/** A server with one draft, which is slow, and the tags it was asked with. */
class Drafts {
  version = 1;
  fails = 0;
  readonly tags: (string | undefined)[] = [];

  async answer(init: RequestInit): Promise<Response> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const json = { 'Content-Type': 'application/json' };
    if (this.fails > 0) {
      this.fails--;
      return new Response('{}', { status: 500, headers: json });
    }
    if (init.method === 'PUT') {
      const tag = (init.headers as Record<string, string>)['If-Match'];
      this.tags.push(tag);
      if (tag !== undefined && tag !== `"${this.version}"`) return new Response('{}', { status: 412, headers: json });
      this.version++;
    }
    return new Response('{"saved":"2026-01-01T00:00:00Z"}', { headers: { ...json, ETag: `"${this.version}"` } });
  }
}

function open(fails = 0) {
  const drafts = new Drafts();
  drafts.fails = fails;
  globalThis.fetch = (_target, init) => drafts.answer(init!);
  return { drafts, draft: draftOf('7:Ask', { changes: signal(0), output: () => ({ need: 'a lamp' }) }) };
}

test('saves that are asked for at once come one after the other', async () => {
  const { drafts, draft } = open();
  await Promise.all([draft.save(), draft.save(), draft.save()]);
  assert.equal(draft.state.value, 'kept');
  assert.deepEqual(drafts.tags, [undefined, '"2"', '"3"']);
});

test('a save replaces the draft that the form shows, and no later one', async () => {
  const { drafts, draft } = open();
  draft.begin('2026-01-01T00:00:00Z', '"1"');
  drafts.version++;
  await draft.save();
  assert.deepEqual(drafts.tags, ['"1"']);
  assert.equal(draft.state.value, 'refused');
});

test('a save that failed is tried again with the same tag', async () => {
  const { drafts, draft } = open(1);
  draft.begin('2026-01-01T00:00:00Z', '"1"');
  await draft.save();
  assert.equal(draft.state.value, 'failed');
  await draft.save();
  assert.deepEqual(drafts.tags, ['"1"']);
});

test('what another has saved meanwhile is replaced only when that is said', async () => {
  const { drafts, draft } = open();
  await draft.save();
  drafts.version++;
  await draft.save();
  assert.equal(draft.state.value, 'refused');
  await draft.replace();
  assert.equal(draft.state.value, 'kept');
});

test('nothing is saved of an item that is done', async () => {
  const { drafts, draft } = open();
  const first = draft.save();
  const second = draft.save();
  draft.end();
  await Promise.all([first, second]);
  assert.ok(drafts.tags.length <= 1);
});
