// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

Object.defineProperty(globalThis, 'navigator', { value: { language: 'en' }, configurable: true });
const { fill, figure } = await import('../src/text/text');
const { en } = await import('../src/text/en');
const { zh } = await import('../src/text/zh');

test('a text counts', () => {
  assert.equal(fill('{n|# case|# cases} of {name}', { n: 1, name: 'Order' }), '1 case of Order');
  assert.equal(fill('{n|# case|# cases}', { n: 1200 }), '1\u202f200 cases');
  assert.equal(figure(1234567), '1\u202f234\u202f567');
});

test('both languages have the same texts with the same values', () => {
  const values = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort();
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  for (const [key, text] of Object.entries(en)) {
    assert.notEqual(text, '', key);
    assert.deepEqual(values(zh[key as keyof typeof en]), values(text), key);
  }
});
