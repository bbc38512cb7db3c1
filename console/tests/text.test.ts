// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { fill, figure, language, speak, t } = await import('../src/text/text');
const { en } = await import('../src/text/en');
const { zh } = await import('../src/text/zh');

test('a text counts', () => {
  assert.equal(fill('{n|# case|# cases} of {name}', { n: 1, name: 'Order' }), '1 case of Order');
  assert.equal(fill('{n|# case|# cases}', { n: 1200 }), '1\u202f200 cases');
  assert.equal(figure(1234567), '1\u202f234\u202f567');
  assert.deepEqual([0, -4, 999, 1000, -12345, 1234.5678, 0.25, 1e21].map(figure), ['0', '-4', '999', '1\u202f000', '-12\u202f345', '1\u202f234.568', '0.25', '1e+21']);
});

test('both languages have the same texts with the same values', () => {
  const values = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort();
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  for (const [key, text] of Object.entries(en)) {
    assert.notEqual(text, '', key);
    assert.deepEqual(values(zh[key as keyof typeof en]), values(text), key);
  }
});

test('a language is spoken when its texts are there, and the last one that was wanted', async () => {
  await speak('zh');
  assert.deepEqual([language.value, t('common.yesterday')], ['zh', zh['common.yesterday']]);
  const first = speak('zh');
  const last = speak('en');
  await Promise.all([first, last]);
  assert.deepEqual([language.value, t('common.yesterday')], ['en', en['common.yesterday']]);
  // What is kept with an account may be of another version of the page.
  await speak('zh');
  await speak('fr');
  assert.equal(language.value, 'en');
});

test('how long ago it is', async () => {
  const { ago } = await import('../src/ui/time');
  const from = (seconds: number) => ago(1e12 + seconds * 1000, 1e12);
  assert.deepEqual([-3, 15, -59, -61, -7200, -86_400, -200_000, -1e8].map(from), ['now', 'now', '59 sec. ago', '1 min. ago', '2 hr. ago', 'yesterday', '2 days ago', '3 yr. ago']);
  assert.deepEqual([20, 90, 90_000, 3e6].map(from), ['in 20 sec.', 'in 1 min.', 'tomorrow', 'in 1 mo.']);
});
