// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowKey, type Net } from '../src/picture/model';
import { differences } from '../src/views/processes/compare';
import { countIn, countsOf, daysOf, processesOf, type Specification, type Statistic } from '../src/views/processes/figures';
import { heatOf, rowsOf, takenOf, valueOf } from '../src/views/processes/heat';

const specification = (key: string, uri: string, loaded: string, more: Partial<Specification> = {}): Specification => ({ key, uri, version: key, loaded, ...more });

test('versions of a URI are one process, the newest first', () => {
  const statistics: Statistic[] = [
    { specification: 'a', uri: 'Order', started: 3, completed: 1, cancelled: 0 },
    { specification: 'b', uri: 'Order', started: 4, completed: 2, cancelled: 1 },
    { specification: 'c', uri: 'Other', started: 9 },
  ];
  const [order, trip] = processesOf([
    specification('t', 'Trip', '2026-01-03T00:00:00Z', { title: 'Zurich trip' }),
    specification('a', 'Order', '2026-01-01T00:00:00Z', { suspended: { since: '2026-01-05T00:00:00Z' } }),
    specification('b', 'Order', '2026-01-02T00:00:00Z', { title: 'An order' }),
  ], statistics);
  assert.equal(order?.title, 'An order');
  assert.deepEqual(order?.versions.map((one) => one.key), ['b', 'a']);
  assert.deepEqual([order?.started, order?.completed, order?.cancelled, order?.suspended], [7, 3, 1, 1]);
  assert.deepEqual([trip?.uri, trip?.started], ['Trip', 0]);
});

test('counts of versions are added; one that was cut makes the sum a lower bound', () => {
  const none = { suspended: 0, deadlocked: 0, completed: 0, cancelled: 0, incidents: 0 };
  const counts = countsOf({ maximum: 10, more_incidents: true, counts: [{ ...none, specification: 'a', running: 10 }, { ...none, specification: 'b', running: 3, suspended: 2 }] });
  assert.deepEqual(countIn(counts, ['a', 'b'], 'running'), { n: 13, atLeast: true });
  assert.deepEqual(countIn(counts, ['b'], 'running'), { n: 3, atLeast: false });
  assert.deepEqual(countIn(counts, ['b', 'unknown'], 'suspended'), { n: 2, atLeast: false });
  assert.deepEqual(countIn(counts, ['b'], 'incidents'), { n: 0, atLeast: true });
});

test('two processes with one URI are two, and each is found by its own name', () => {
  const rows = processesOf([
    specification('a', 'Order', '2026-01-01T00:00:00Z', { identifier: 'UID_shop', title: 'Shop' }),
    specification('b', 'Order', '2026-01-02T00:00:00Z', { identifier: 'UID_depot', title: 'Depot' }),
    specification('c', 'Trip', '2026-01-03T00:00:00Z', { identifier: 'UID_trip' }),
    specification('d', 'Journey', '2026-01-04T00:00:00Z', { identifier: 'UID_trip' }),
    specification('e', 'Visit', '2026-01-05T00:00:00Z', { identifier: 'UID_visit' }),
  ], [
    { specification: 'a', uri: 'Order', identifier: 'UID_shop', started: 1 },
    { specification: 'gone', uri: 'Order', identifier: 'UID_shop', started: 2 },
    { specification: 'b', uri: 'Order', identifier: 'UID_depot', started: 5 },
  ]);
  assert.deepEqual(rows.map((row) => [row.id, row.title, row.uri, row.versions.length, row.started]), [
    ['UID_depot', 'Depot', 'Order', 1, 5], ['UID_trip', 'Journey', 'Journey', 2, 0], ['UID_shop', 'Shop', 'Order', 1, 3], ['Visit', 'Visit', 'Visit', 1, 0],
  ]);
});

test('a day on which nothing was counted is a day, too', () => {
  const days = daysOf([
    { specification: 'a', time: '2026-03-01T00:00:00Z', started: 2, completed: 1 },
    { specification: 'a', time: '2026-03-03T00:00:00Z', started: 5 },
  ], '2026-02-28T19:00:00Z', '2026-03-03T20:00:00Z');
  assert.deepEqual(days.map((one) => [one.day, one.started, one.completed]), [['2026-02-28', 0, 0], ['2026-03-01', 2, 1], ['2026-03-02', 0, 0], ['2026-03-03', 5, 0]]);
});

const box = { line: 1, x: 0, y: 0, width: 10, height: 10, lines: [] };
const net = (more: Partial<Net> = {}): Net => ({
  id: 'N', root: true, width: 1, height: 1,
  elements: [{ id: 'A', kind: 'task', ...box }, { id: 'B', kind: 'task', name: 'Pay', split: 'xor', ...box }, { id: 'C', kind: 'condition', ...box }],
  flows: [{ from: 'A', to: 'B', points: [] }, { from: 'B', to: 'C', points: [], predicate: 'amount > 1', order: 1 }],
  ...more,
});
const times = (median: number, p95: number) => ({ count: 1, mean: 1, median, p95 });
const rows: Statistic[] = [
  { specification: 's', net: 'N', task: 'A', completed: 4, waited: times(10, 50), took: times(1, 2) },
  { specification: 's', net: 'N', task: 'B', completed: 2, waited: times(40, 100) },
  { specification: 's', net: 'Other', task: 'A', completed: 99 },
];

test('heat is the share of the most, of one net', () => {
  const byTask = rowsOf(rows, 'N');
  const { heat, most } = heatOf(net(), 'waitedMedian', byTask, new Map(), (value) => `${value} s`, (task) => task);
  assert.equal(most, 40);
  assert.deepEqual(heat, { A: { share: 0.25, figures: '10 s', title: 'A' }, B: { share: 1, figures: '40 s', title: 'B' } });
  const standing = new Map([['A', { items: 1000, atLeast: true, oldest: undefined }], ['B', { items: 0, atLeast: false, oldest: undefined }]]);
  assert.deepEqual(heatOf(net(), 'standing', byTask, standing, (value, more) => `${value}${more ? '+' : ''}`, () => '').heat, { A: { share: 1, figures: '1000+', title: '' } });
  assert.equal(valueOf('tookP95', byTask.get('A'), undefined), 2);
  assert.equal(valueOf('tookP95', byTask.get('B'), undefined), undefined);
  assert.equal(valueOf('completedCount', byTask.get('A'), undefined), 4);
  assert.deepEqual(heatOf(net(), 'standing', byTask, new Map(), String, () => ''), { heat: {}, most: 0 });
});

test('taken flows are those of one net', () => {
  const flows: Statistic[] = [
    { specification: 's', net: 'N', from: 'A', to: 'B', taken: 7 },
    { specification: 's', net: 'Other', from: 'A', to: 'B', taken: 9 },
  ];
  assert.deepEqual(takenOf(flows, 'N'), { [flowKey('A', 'B')]: 7 });
});

test('versions are compared by the ids of their elements', () => {
  assert.deepEqual(differences([net()], [net()]), []);
  const changed = net({
    elements: [{ id: 'A', kind: 'task', ...box, x: 500 }, { id: 'B', kind: 'task', name: 'Pay all', split: 'or', ...box }, { id: 'D', kind: 'condition', ...box }],
    flows: [{ from: 'A', to: 'B', points: [[1, 2]] }, { from: 'B', to: 'C', points: [], predicate: 'amount > 2', order: 1 }],
  });
  assert.deepEqual(differences([net()], [changed]), [
    { what: 'changed', part: 'element', name: 'Pay all (B)', net: 'N', changes: [{ member: 'name', from: 'Pay', to: 'Pay all' }, { member: 'split', from: 'xor', to: 'or' }] },
    { what: 'removed', part: 'element', name: 'C', net: 'N', changes: [] },
    { what: 'added', part: 'element', name: 'D', net: 'N', changes: [] },
    { what: 'changed', part: 'flow', name: 'Pay all → C', net: 'N', changes: [{ member: 'predicate', from: 'amount > 1', to: 'amount > 2' }] },
  ]);
  assert.deepEqual(differences([net()], [net(), net({ id: 'M' })]), [{ what: 'added', part: 'net', name: 'M', changes: [] }]);
});
