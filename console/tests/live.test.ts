// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../src/views/shared/step';
import type { Pictures } from '../src/views/case/names';
import { newNames } from '../src/views/live/names';
import { keep, newLog, rates, wait } from '../src/views/live/log';

const step = (sequence: number) => ({ id: String(sequence), sequence, events: [] }) as unknown as Step;
const waiting = (from: number, to: number) => {
  const log = newLog();
  for (let sequence = from; sequence <= to; sequence++) wait(log, step(sequence));
  return log;
};

test('the newest steps are shown first, and what came too fast is counted', () => {
  const log = keep(keep(newLog(), waiting(1, 5)), waiting(6, 105));
  assert.equal(log.steps[0]?.sequence, 105);
  assert.equal(log.steps.length, 25);
  assert.equal(log.missed, 80);
});

test('no more waits than a frame shows, however long it is held', () => {
  const held = waiting(1, 100_000);
  assert.equal(held.steps.length, 20);
  assert.equal(held.steps[19]?.sequence, 100_000);
  assert.equal(held.missed, 99_980);
});

test('no more than 500 are kept', () => {
  let log = newLog();
  for (let i = 0; i < 40; i++) log = keep(log, waiting(i * 20 + 1, i * 20 + 20));
  assert.equal(log.steps.length, 500);
  assert.equal(log.missed, 0);
});

test('rates are of the last seconds, and older counts are dropped', () => {
  const counts = new Map([[90, 7], [99, 3], [100, 4]]);
  assert.deepEqual(rates(counts, 100, 3), [0, 3, 4]);
  assert.equal(counts.has(90), false);
});

test('names of elements are read once for each process, and ids are shown until then', async () => {
  const asked: string[] = [];
  const names = newNames((specification) => {
    asked.push(specification);
    return specification === 'hidden' ? Promise.reject(new Error('403')) : Promise.resolve({ nets: [{ id: 'Trip', elements: [{ id: 'Ask', name: 'Ask for a trip' }, { id: 'End' }], flows: [] }] } as unknown as Pictures);
  });
  assert.equal(names.of('trip', 'Ask'), 'Ask');
  assert.equal(names.of('hidden', 'Ask'), 'Ask');
  await new Promise(setImmediate);
  assert.deepEqual([names.of('trip', 'Ask'), names.of('trip', 'End'), names.of('hidden', 'Ask')], ['Ask for a trip', 'End', 'Ask']);
  assert.deepEqual(asked, ['trip', 'hidden']);
});
