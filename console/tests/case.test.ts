// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { applyStep } = await import('../src/views/case/apply');
const { clusters, countsUpTo, doingsOf, tickOf, whole } = await import('../src/views/case/case-log');
const { compareData } = await import('../src/views/shared/difference');
const { fits, headline, isRepair, mainKind } = await import('../src/views/shared/events');
const { eventsOf } = await import('../src/views/shared/item-events');
const { linked } = await import('../src/views/case/linked');
const { inNet } = await import('../src/views/case/marks');
const { planOf, rowsFor, decide } = await import('../src/views/case/plan');
const { append, dragged } = await import('../src/views/case/repair-changes');

type Step = Parameters<typeof applyStep>[1];
type State = Parameters<typeof applyStep>[0];
type CaseEvent = Step['events'][number];

const shape = {
  input: (net: string) => (net === 'Delivery' ? 'Begin' : 'Start'),
  subnet: (net: string, task: string) => (net === 'Order' && task === 'Deliver' ? 'Delivery' : undefined),
};
const step = (sequence: number, ...events: CaseEvent[]): Step => ({ id: `${sequence}`, case: '3', specification: 's', sequence, time: `2026-01-01T00:00:0${sequence}.000Z`, events });
const start: State = {
  case: '3', specification: 's', status: 'running', sequence: 1, launched: '', changed: '',
  nets: [{ id: '3', net: 'Order', marking: { Start: 1 }, busy: [] }],
  items: [{ item: '3:Receive', case: '3', specification: 's', task: 'Receive', status: 'enabled', assignment: 'offered' }],
  timers: [], data: { goods: '', papers: '' },
};

test('a step is applied as the server does it', () => {
  const after = applyStep(start, step(2,
    { event: 'TASK_FIRED', net: '3', task: 'Receive', item: '3.1:Receive', conditions: ['Start'] },
    { event: 'VARIABLES_SET', net: '3', values: { goods: 'Lamp' } },
    { event: 'TASK_EXITED', net: '3', task: 'Receive', item: '3.1:Receive', status: 'complete', conditions: ['c'] },
    { event: 'TASK_FIRED', net: '3', task: 'Deliver', item: '3.2:Deliver', conditions: ['c'] },
    { event: 'NET_STARTED', net: '3', task: 'Deliver', item: '3.2:Deliver' },
    { event: 'TASK_ENABLED', net: '3.2', task: 'Pack', item: '3.2:Pack', number: 0 },
    { event: 'ITEM_OFFERED', net: '3.2', task: 'Pack', item: '3.2:Pack' },
  ), shape);
  assert.equal(after.sequence, 2);
  assert.deepEqual(after.nets, [
    { id: '3', net: 'Order', marking: {}, busy: ['Deliver'] },
    { id: '3.2', net: 'Delivery', marking: { Begin: 1 }, busy: [] },
  ]);
  assert.deepEqual(after.items?.map((item) => [item.item, item.status, item.assignment]), [['3.2:Pack', 'enabled', 'offered']]);
  assert.deepEqual(after.data, { goods: 'Lamp', papers: '' });
  assert.deepEqual(start.nets[0]?.marking, { Start: 1 }, 'the state before is not changed');
});

test('the end of a net takes its items, the end of a case its state', () => {
  const inner: State = { ...start, nets: [...start.nets, { id: '3.2', net: 'Delivery', marking: {}, busy: ['Pack'] }], items: [{ item: '3.2.1:Pack', case: '3', specification: 's', task: 'Pack', status: 'executing' }] };
  const after = applyStep(inner, step(3, { event: 'NET_ENDED', net: '3.2', status: 'complete' }, { event: 'CASE_SUSPENDED' }), shape);
  assert.deepEqual(after.nets.map((net) => net.id), ['3']);
  assert.deepEqual(after.items, []);
  assert.equal(after.status, 'suspended');
});

test('instances of a task are not those of an inner net', () => {
  assert.ok(inNet('3:Pack', '3'));
  assert.ok(inNet('3.1:Pack', '3'));
  assert.ok(!inNet('3.2.1:Pack', '3'));
  assert.ok(!inNet('31:Pack', '3'));
});

test('data are compared member by member', () => {
  const [goods, lines, gone] = compareData({ goods: 'Lamp', lines: [{ n: 1 }, { n: 2 }] }, { goods: '', lines: [{ n: 1 }], gone: true });
  assert.equal(goods?.change, 'changed');
  assert.equal(goods?.before, '');
  assert.equal(lines?.change, 'inside');
  assert.deepEqual(lines?.branches?.map((branch) => [branch.path, branch.change]), [['lines/1', 'same'], ['lines/2', 'added']]);
  assert.equal(gone?.change, 'removed');
  assert.ok(compareData({ a: { b: 1 } }, undefined).every((branch) => branch.change === 'same'));
});

test('a step is named after what weighs', () => {
  const events: CaseEvent[] = [
    { event: 'TASK_FIRED', net: '3', task: 'A', item: '3.1:A' },
    { event: 'TASK_EXITED', net: '3', task: 'A', item: '3.1:A' },
    { event: 'RESULTS_KEPT', net: '3', task: 'A', item: '3.1:A' },
    { event: 'LATER_VERSION' },
  ];
  const { said, rest } = headline(events);
  assert.deepEqual(said.map((event) => event.event), ['TASK_EXITED', 'LATER_VERSION']);
  assert.equal(rest.length, 2);
  assert.equal(mainKind(events), 'work');
  assert.ok(fits({ actor: 'anna', events }, { kind: 'work', task: 'A', actor: 'anna' }));
  assert.ok(!fits({ actor: 'anna', events }, { kind: 'timer' }));
  assert.ok(!fits({ events }, { actor: 'anna' }));
});

test('one act of a person is one line', () => {
  const completed: CaseEvent[] = [
    { event: 'INSTANCE_ENDED', task: 'A', item: '3.1:A', status: 'complete' },
    { event: 'ITEM_DONE_BY', task: 'A', item: '3.1:A', participant: 'anna' },
    { event: 'TASK_EXITED', task: 'A', item: '3:A', status: 'complete' },
    { event: 'TASK_ENABLED', task: 'B', item: '3:B' },
    { event: 'ITEM_OFFERED', task: 'B', item: '3:B' },
    { event: 'TASK_ENABLED', task: 'C', item: '3:C' },
  ];
  assert.deepEqual(headline(completed).said.map((event) => [event.event, event.task]), [['ITEM_DONE_BY', 'A'], ['ITEM_OFFERED', 'B'], ['TASK_ENABLED', 'C']]);
  const failed: CaseEvent[] = [{ event: 'TASK_EXITED', task: 'A', status: 'failed' }, { event: 'ITEM_DONE_BY', task: 'A', participant: 'anna' }];
  assert.equal(headline(failed).said.length, 2);
});

test('a repair is neither a migration nor a cancellation', () => {
  assert.ok(isRepair([{ event: 'CONDITION_EMPTIED' }, { event: 'CONDITION_MARKED' }]));
  assert.ok(isRepair([{ event: 'CASE_REVIVED' }]));
  assert.ok(!isRepair([{ event: 'CASE_MIGRATED' }, { event: 'CASE_REVIVED' }]));
  assert.ok(!isRepair([{ event: 'TASK_FIRED' }, { event: 'CONDITION_EMPTIED' }]));
});

test('ticks cover each step once', () => {
  for (const [last, most] of [[1, 160], [5, 160], [161, 160], [10_000, 160]] as const) {
    const all = clusters(last, most);
    assert.equal(all[0]?.from, 1);
    assert.equal(all.at(-1)?.to, last);
    assert.ok(all.length <= most);
    for (let i = 1; i < all.length; i++) assert.equal(all[i]!.from, all[i - 1]!.to + 1);
  }
});

test('what was done is counted up to a step', () => {
  const ticks = new Map([
    [1, tickOf(step(1, { event: 'CASE_LAUNCHED' }))],
    [2, tickOf(step(2, { event: 'TASK_FIRED', net: '3', task: 'A', conditions: ['p'] }, { event: 'TASK_EXITED', net: '3', task: 'A', status: 'complete', conditions: ['q'] }))],
    [3, tickOf(step(3, { event: 'TASK_EXITED', net: '3', task: 'A', status: 'failed', conditions: ['q'] }))],
  ]);
  assert.ok(whole(ticks, 3) && !whole(ticks, 4));
  assert.deepEqual(countsUpTo(ticks, 1, '3'), { done: {}, given: {}, taken: {} });
  assert.deepEqual(countsUpTo(ticks, 3, '3'), { done: { A: 1 }, given: { 'A\nq': 2 }, taken: { 'p\nA': 1 } });
});

test('names in a sentence are the longest that fit, as whole words', () => {
  const elements = ['Pay', 'Pay later', 'c.1'].map((id) => ({ id }));
  assert.deepEqual(linked('Payment waits: Pay later or Pay (c.1)', elements), ['Payment waits: ', elements[1], ' or ', elements[0], ' (', elements[2], ')']);
  assert.deepEqual(linked('nothing', []), ['nothing']);
});

test('changes of a repair are put together', () => {
  const add = dragged(undefined, 'p', '3')!;
  const remove = dragged('p', undefined, '3')!;
  assert.deepEqual(append([add], add), [{ ...add, tokens: 2 }]);
  assert.deepEqual(append([add], remove), []);
  assert.deepEqual(append([dragged('p', 'q', '3')!], dragged('q', 'r', '3')!), [{ change: 'move', net: '3', from: 'p', to: 'r', tokens: 1 }]);
  assert.deepEqual(append([dragged('p', 'q', '3')!], dragged('q', 'p', '3')!), []);
  assert.equal(append([add], { ...remove, net: '3.1' }).length, 2);
  assert.equal(dragged(undefined, undefined, '3'), undefined);
});

test('a plan has what was decided, and keeps it while problems go', () => {
  const problems = [
    { net: '3', kind: 'task' as const, element: 'Pay', text: 'no such task' },
    { net: '3.2', kind: 'condition' as const, element: 'p', text: 'no such condition' },
    { net: '3.2', kind: 'timer' as const, element: 'T', text: 'a timer' },
  ];
  const names = (id: string) => (id === '3' ? 'Order' : 'Delivery');
  const rows = rowsFor([], problems, names);
  assert.deepEqual(rows.map((row) => [row.net, row.kind, row.element]), [['Order', 'task', 'Pay'], ['Delivery', 'condition', 'p']]);
  assert.equal(planOf(rows, 'Order', false), undefined);
  const decided = rowsFor(decide(decide(rows, rows[0]!, 'Settle'), rows[1]!, null), [], names);
  assert.deepEqual(planOf(decided, 'Order', true), { tasks: { Pay: 'Settle' }, nets: { Delivery: { conditions: { p: null } } }, reoffer: true });
});

test('how often a task was done is counted back to the first step that is not known', () => {
  const done = (sequence: number, task: string, status = 'complete') => [sequence, tickOf(step(sequence, { event: 'TASK_EXITED', net: '3', task, status, conditions: [] }))] as const;
  const ticks = new Map([done(2, 'Pack'), done(4, 'Pack'), done(5, 'Pack', 'cancelled'), done(6, 'Send'), done(7, 'Pack'), done(8, 'Send')]);
  assert.deepEqual(doingsOf(ticks, 8, 'Pack'), { count: 2, last: 7, from: 4 });
  assert.deepEqual(doingsOf(ticks, 6, 'Pack'), { count: 1, last: 4, from: 4 });
  assert.deepEqual(doingsOf(ticks, 3, 'Pack'), { count: 0, last: undefined, from: 4 });
});

test('the events of an item begin where its task was enabled last', () => {
  const again = step(5,
    { event: 'INSTANCE_ENDED', net: '3', task: 'Pack', item: '3.1:Pack' },
    { event: 'TASK_ENABLED', net: '3', task: 'Pack', item: '3:Pack' },
    { event: 'TASK_ENABLED', net: '3', task: 'Send', item: '3:Send' },
    { event: 'ITEM_OFFERED', net: '3', task: 'Pack', item: '3:Pack' },
  );
  const started = step(6, { event: 'REASON_STATED', reason: 'in haste' }, { event: 'TASK_FIRED', net: '3', task: 'Pack', item: '3.4:Pack' }, { event: 'INSTANCE_STARTED', net: '3', task: 'Pack', item: '3.5:Pack' });
  const events = eventsOf('3.4:Pack');
  assert.deepEqual(events.of(again).map((event) => event.event), ['TASK_ENABLED', 'ITEM_OFFERED']);
  assert.ok(events.isFirst(again));
  assert.deepEqual(events.of(started).map((event) => event.event), ['TASK_FIRED', 'REASON_STATED'], 'not those of another instance');
  assert.ok(!events.isFirst(started));
  assert.ok(eventsOf('3:Pack').isFirst(again), 'as well before it is started');
});
