// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../src/api/client';
import { pagesOf } from '../src/ui/pages';

test('an empty page that has a next one is a turn, too', async () => {
  const answers: Record<string, { rows: number[]; next?: string }> = { first: { rows: [], next: 'a' }, a: { rows: [], next: 'b' }, b: { rows: [1] } };
  const pages = pagesOf<number>((after) => Promise.resolve(answers[after ?? 'first']!));
  await pages.reload();
  assert.equal(pages.turns.value, 1);
  await pages.more();
  assert.equal(pages.turns.value, 2);
  await pages.more();
  assert.deepEqual(pages.rows.value, [1]);
  assert.equal(pages.whole.value, true);
});

test('what failed is what is tried again', async () => {
  const asked: (string | undefined)[] = [];
  let fails = false;
  const pages = pagesOf<number>((after) => {
    asked.push(after);
    return fails ? Promise.reject(new Problem(500, { title: 'no' }, '')) : Promise.resolve(after === undefined ? { rows: [1], next: 'a' } : { rows: [2] });
  });
  await pages.reload();
  fails = true;
  await pages.more();
  assert.equal(pages.error.value?.status, 500);
  fails = false;
  await pages.again();
  assert.deepEqual(pages.rows.value, [1, 2]);
  // All pages are read: a reading of the first one fails, and is repeated.
  fails = true;
  await pages.reload();
  assert.equal(pages.error.value?.status, 500);
  fails = false;
  await pages.again();
  assert.equal(pages.error.value, undefined);
  assert.deepEqual(asked, [undefined, 'a', 'a', undefined, undefined]);
});

test('a mistake of the page is not said to be one of the network', () => {
  const problem = Problem.of(new TypeError('x is not a function'));
  assert.equal(problem.code, 'page');
  assert.match(problem.message, /x is not a function/);
  assert.equal(new Problem(0, {}, '').code, 'unreachable');
});
