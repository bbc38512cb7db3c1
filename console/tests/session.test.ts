// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isShort, ticketGiven } from '../src/app/session';

test('a password is as long as its bytes, as the server counts them', () => {
  assert.ok(isShort('1234567'));
  assert.ok(!isShort('12345678'));
  assert.ok(!isShort('密码密'));
});

test('a ticket is found in the address', () => {
  const hash = (text: string) => Object.assign(globalThis, { location: { hash: text } });
  hash('#ticket=a%2Fb');
  assert.equal(ticketGiven(), 'a%2Fb');
  hash('#net=7');
  assert.equal(ticketGiven(), undefined);
});
