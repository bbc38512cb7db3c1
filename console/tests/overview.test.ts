// SPDX-License-Identifier: Apache-2.0
// The overview is read until it is of after the change.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { follow, type Made } from '../src/views/overview/follow';

const immediate = setImmediate;
const settled = () => new Promise((resolve) => immediate(() => immediate(resolve)));

/** How often it is read in a minute when `made` says what each reading gets. */
async function reads(made: (Made | undefined)[]): Promise<number> {
  mock.timers.enable();
  let count = 0;
  const following = follow(() => Promise.resolve(made[Math.min(count++, made.length - 1)]));
  following.changed();
  for (let i = 0; i < 60; i++) {
    await settled();
    mock.timers.tick(1000);
  }
  following.stop();
  mock.timers.reset();
  return count;
}

test('an old text is read again until it was made after the change', async () => {
  assert.equal(await reads([{ answered: 10_000, made: 5000 }, { answered: 12_000, made: 5000 }, { answered: 14_000, made: 5000 }, { answered: 16_000, made: 15_900 }]), 4);
});

test('a text of the second of the change may be from before it', async () => {
  assert.equal(await reads([{ answered: 10_000, made: 10_400 }, { answered: 12_000, made: 12_500 }]), 2);
});

test('a server whose text stays old is not read for ever; a failure ends it', async () => {
  assert.equal(await reads([{ answered: 10_000, made: 5000 }]), 6);
  assert.equal(await reads([undefined]), 1);
});

test('a change begins anew', async () => {
  mock.timers.enable();
  let count = 0;
  const following = follow(() => { count++; return Promise.resolve({ answered: 10_000, made: 5000 }); });
  following.changed();
  await settled();
  following.changed();
  await settled();
  mock.timers.tick(2200);
  await settled();
  following.stop();
  mock.timers.tick(10_000);
  await settled();
  mock.timers.reset();
  assert.equal(count, 3);
});
