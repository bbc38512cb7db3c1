// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../src/views/work/order';

const { byDue, isLate, listQuery, merged, nextItem, stateOf } = await import('../src/views/work/order');

const row = (item: string, more: Partial<Row> = {}): Row => ({ item, case: '1', specification: 's', task: 'T', status: 'enabled', assignment: 'offered', priority: 50, enabled: '2026-01-01T00:00:00Z', actions: ['accept', 'start'], ...more });
const items = (rows: readonly Row[]) => rows.map((one) => one.item).join(' ');

test('items are in the order in which they are due', () => {
  const rows = [row('a'), row('b', { priority: 90 }), row('c', { due: '2026-03-01T00:00:00Z' }), row('d', { due: '2026-02-01T00:00:00Z' }), row('e', { enabled: '2025-12-31T00:00:00Z' })];
  assert.equal(items(rows.sort(byDue)), 'd c b e a');
});

test('the next item is one that the person has, before what is offered', () => {
  const rows = [row('offered', { due: '2026-01-02T00:00:00Z' }), row('mine', { assignment: 'allocated' }), row('sooner', { assignment: 'started', status: 'executing', actions: ['complete'], due: '2026-05-01T00:00:00Z' }), row('waits', { assignment: 'allocated', actions: [], due: '2026-01-01T00:00:00Z' })];
  assert.equal(nextItem(rows, 'done')?.item, 'sooner');
  assert.equal(nextItem(rows, 'sooner')?.item, 'mine');
  assert.equal(nextItem([row('done')], 'done'), undefined);
});

test('a row that has changed takes its place', () => {
  const rows = [row('a', { due: '2026-01-01T00:00:00Z' }), row('b', { due: '2026-03-01T00:00:00Z' })];
  assert.equal(items(merged(rows, row('c', { due: '2026-02-01T00:00:00Z' }), 'due', true)), 'a c b');
  assert.equal(items(merged(rows, row('c'), 'due', true)), 'a b c');
  assert.equal(items(merged(rows, row('c'), 'due', false)), 'a b');
  assert.equal(merged(rows, row('a', { holder: 'anna' }), 'due', true)[0]!.holder, 'anna');
  assert.equal(items(merged(rows, row('c', { priority: 60 }), 'priority', true)), 'c a b');
});

test('lists, states and lateness', () => {
  assert.deepEqual(listQuery('all'), { view: 'mine' });
  assert.deepEqual(listQuery('mine'), { view: 'mine', state: 'allocated,started,suspended' });
  assert.deepEqual(listQuery('team'), { view: 'team' });
  assert.equal(stateOf({ status: 'suspended', assignment: 'started' }), 'suspended');
  assert.equal(stateOf({ status: 'executing', assignment: 'started' }), 'started');
  assert.equal(isLate({ due: '2026-01-01T00:00:00Z' }, Date.parse('2026-01-02')), true);
  assert.equal(isLate({}, 0), false);
});
