// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field } from '../src/form/values';

process.env.TZ = 'Europe/Zurich';
const v = await import('../src/form/values');
const m = await import('../src/form/mistakes');
const times = await import('../src/form/times');
const bounds = await import('../src/form/bounds');

const field = (name: string, more: Partial<Field> = {}): Field => ({ path: name, name, widget: 'text', required: true, read_only: false, hidden: false, ...more });
const integer = field('n', { widget: 'number', base: 'integer' });
const decimal = field('n', { widget: 'number', base: 'decimal' });
const double = field('n', { widget: 'number', base: 'double' });

test('numbers are numbers up to 15 digits, and texts beyond', () => {
  assert.equal(v.numberOf(' 42 ', integer), 42);
  assert.equal(v.numberOf('-1.50', decimal), -1.5);
  assert.equal(v.numberOf('.5', decimal), 0.5);
  assert.equal(v.numberOf('000123456789012345', integer), 123456789012345);
  assert.equal(v.numberOf('1234567890123456', integer), '1234567890123456');
  assert.equal(v.numberOf('+12345678.901234567890', decimal), '12345678.901234567890');
  assert.equal(v.numberOf('1e3', decimal), '1e3');
  assert.equal(v.numberOf('', integer), undefined);
  assert.equal(v.numberOf('many', integer), 'many');
});

test('doubles have INF, -INF and NaN', () => {
  assert.equal(v.numberOf('inf', double), 'INF');
  assert.equal(v.numberOf('-INF', double), '-INF');
  assert.equal(v.numberOf('nan', double), 'NaN');
  assert.equal(v.numberOf('1e3', double), 1000);
  assert.equal(v.numberOf('1e999', double), '1e999');
});

test('a decimal is shown without an exponent', () => {
  assert.equal(v.textOfNumber(1e-7, decimal), '0.0000001');
  assert.equal(v.textOfNumber(1e-7, double), '1e-7');
  assert.equal(v.textOfNumber('12345678901234567890', integer), '12345678901234567890');
  assert.equal(v.textOfNumber(undefined, integer), '');
});

const line = field('line', {
  path: 'order/line', widget: 'group', repeat: { minimum: 1, maximum: 3 },
  fields: [field('text', { path: 'order/line/text' }), field('price', { path: 'order/line/price', widget: 'number', base: 'decimal', default: '1.5' })],
});
const choice = field('', {
  path: 'order', widget: 'choice',
  alternatives: [[field('card', { path: 'order/card' })], [field('bank', { path: 'order/bank' }), field('branch', { path: 'order/branch' })], [field('cash', { path: 'order/cash', widget: 'flag' })]],
});
const order = field('order', { widget: 'group', fields: [line, choice] });
const part = field('part', {
  widget: 'group', required: false,
  fields: [field('id', { path: 'part/id' }), field('part', { path: 'part/part', widget: 'group', required: false, like: 'part', repeat: { minimum: 0 } })],
});
const form = [order, part, field('note', { required: false })];
const groups = v.groupsOf(form);

test('a form begins with what must be there', () => {
  assert.deepEqual(v.prepare(form, {}, groups), { order: { line: [{ price: 1.5 }] } });
  assert.deepEqual(v.prepare(form, { order: { line: [{ text: 'a', price: 2 }] } }, groups), { order: { line: [{ text: 'a', price: 2 }] } });
});

test('a field like a group has its fields', () => {
  const inner = part.fields![1]!;
  assert.deepEqual(v.fieldsOf(inner, groups).map((one) => one.name), ['id', 'part']);
  assert.deepEqual(v.prepare([part], { part: { id: 'a', part: [{ id: 'b' }] } }, groups), { part: { id: 'a', part: [{ id: 'b' }] } });
});

test('an optional group that is empty is not given', () => {
  assert.equal(v.groupOf(part, {}), undefined);
  assert.equal(v.groupOf(part, { part: [] }), undefined);
  assert.deepEqual(v.groupOf(part, { id: 'x' }), { id: 'x' });
  assert.deepEqual(v.groupOf(order, {}), {});
});

test('of a choice exactly one alternative is given', () => {
  assert.equal(v.chosenAlternative(choice, {}), undefined);
  assert.equal(v.chosenAlternative(choice, { branch: 'x' }), 1);
  assert.equal(v.chosenAlternative(choice, { cash: '' }), 2);
  assert.deepEqual(v.chooseAlternative(choice, { line: [], bank: 'b', branch: 'c' }, 0, groups), { line: [] });
  assert.deepEqual(v.chooseAlternative(choice, { card: 'k', bank: 'b' }, 1, groups), { bank: 'b' });
});

test('only what is taken is sent', () => {
  assert.deepEqual(v.given({ a: 1, b: undefined, c: false }, undefined), { a: 1, c: false });
  assert.deepEqual(v.given({ a: 1, c: false }, ['c', 'd']), { c: false });
});

test('a repeated group of simple fields is a table', () => {
  assert.equal(v.isFlat(line.fields!), true);
  assert.equal(v.isFlat(order.fields!), false);
});

test('a mistake stands at its field, or at the nearest that is shown', () => {
  const values = { order: { line: [{ text: 'a' }, {}], bank: 'b' } };
  const shown = m.shownPaths(form, values, groups);
  assert.deepEqual([...shown].sort(), ['note', 'order', 'order/bank', 'order/branch', 'order/line', 'order/line[1]', 'order/line[1]/price', 'order/line[1]/text', 'order/line[2]', 'order/line[2]/price', 'order/line[2]/text', 'order/choice:order/card', 'part', 'part/id', 'part/part'].sort());
  const mistake = (path: string) => ({ path, rule: 'type', message: path });
  const places = m.placed(['order/line[2]/price', 'order/line[3]/price', 'order/card', 'hidden/one', '', 'note/id'].map(mistake), shown);
  assert.deepEqual(Object.fromEntries([...places].map(([path, all]) => [path, all.map((one) => one.path)])), {
    'order/line[2]/price': ['order/line[2]/price'], 'order/line': ['order/line[3]/price'], order: ['order/card'], '': ['hidden/one', ''], note: ['note/id'],
  });
  assert.equal(m.words({ path: '', rule: 'type', message: 'm', alert: 'a' }), 'a');
});

test('a mistake of the content of a group stands at what is missing in it', () => {
  const content = { path: 'order/line', rule: 'content', message: 'Expected is ( text )' };
  const paths = (values: object, mistakes = [content]) => m.refined(mistakes, form, values as Record<string, unknown>, groups).map((one) => `${one.path} ${one.rule}`);
  assert.deepEqual(paths({ order: { line: [{ text: 'a', price: 1 }, { price: 1 }], card: 'k' } }), ['order/line[2]/text required']);
  assert.deepEqual(paths({ order: { line: [{ text: 'a', price: 1 }], card: 'k' } }), ['order/line content']);
  assert.deepEqual(paths({ order: { line: [{ price: 1 }], card: 'k' } }, [{ ...content, path: 'order/line[1]/price' }]), ['order/line[1]/text required']);
  assert.deepEqual(paths({ order: { line: [{ text: 'a', price: 1 }] } }, [{ ...content, path: 'order' }]), ['order/choice:order/card required']);
  assert.deepEqual(paths({ order: {} }, [{ ...content, path: 'order' }, { path: 'order/line', rule: 'required', message: 'm' }]), ['order/line required', 'order/choice:order/card required']);
});

test('times keep their zone, and instants are shown in that of the reader', () => {
  assert.equal(times.momentOf('2026-01-02', '2025-01-01Z'), '2026-01-02Z');
  assert.equal(times.momentOf('2026-01-02', '2025-01-01'), '2026-01-02');
  assert.equal(times.momentOf('10:00', '09:00:00+02:00'), '10:00:00+02:00');
  assert.equal(times.momentOf('', 'x'), undefined);
  assert.equal(times.localOf('2026-01-02T10:00:00Z'), '2026-01-02T11:00');
  assert.equal(times.localOf('2026-01-02T10:00:30'), '2026-01-02T10:00:30');
  assert.equal(times.instantOf('2026-07-02T10:00', ''), '2026-07-02T10:00:00+02:00');
  assert.equal(times.instantOf('2026-01-02T10:00', '2026-01-01T00:00:00'), '2026-01-02T10:00:00');
});

test('a duration has days, hours, minutes, seconds, or is a text', () => {
  assert.deepEqual(times.partsOf('P1DT2H30M'), { days: 1, hours: 2, minutes: 30, seconds: 0 });
  for (const text of ['P1M', 'P', 'PT', '-P1D', 'PT1.5S', 'soon']) assert.equal(times.partsOf(text), undefined, text);
  assert.equal(times.durationOf({ days: 1, hours: 0, minutes: 5, seconds: 0 }), 'P1DT5M');
  assert.equal(times.durationOf({ days: 0, hours: 0, minutes: 0, seconds: 0 }), 'PT0S');
});

test('digits are enough for an integer of 0 or more', () => {
  assert.equal(bounds.isNatural({ ...integer, facets: { min_inclusive: '0' } }), true);
  assert.equal(bounds.isNatural(field('n', { widget: 'number', base: 'positiveInteger' })), true);
  assert.equal(bounds.isNatural(integer), false);
  assert.equal(bounds.isNatural({ ...decimal, facets: { min_inclusive: '0' } }), false);
});

test('what is expected is said in words', () => {
  assert.equal(bounds.expected({ ...integer, facets: { min_inclusive: '1', max_inclusive: '6' } }), '1 to 6');
  assert.equal(bounds.expected(field('t')), undefined);
});
