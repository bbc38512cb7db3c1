// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bandBox, distance, firstView, fitView, keepInside, lengthOf, mapScale, pointAt, READABLE, reveal, roundPath, shorten, shown, signPath,
  toPicture, wayOf, zoomAt, type Point,
} from '../src/picture/geometry';
import { flowKey, indexNet, neighbours, placeOf, wayOfMove, type Net } from '../src/picture/model';
import { movesOfEvents, movesOfWitness, Pace } from '../src/picture/moves';
import { orderPlaces } from '../src/picture/order';
import { walk } from '../src/picture/walk';

const task = (id: string, x: number, y: number, more: object = {}) => ({ id, kind: 'task' as const, line: 1, x, y, width: 120, height: 48, lines: [id], ...more });
const circle = (id: string, kind: 'input' | 'output' | 'condition', x: number, y: number) => ({ id, kind, line: 1, x, y, width: 36, height: 36, lines: [] });
const flow = (from: string, to: string, points: Point[], more: object = {}) => ({ from, to, points, ...more });

// Start ─► Split ─┬─► Upper ─┬─► End, and back from Lower to Split
//                 └─► Lower ─┘
const net: Net = {
  id: 'N', root: true, width: 700, height: 200,
  elements: [
    circle('Start', 'input', 0, 82), task('Split', 100, 76, { split: 'xor', split_side: 'east' }), task('Upper', 320, 0), task('Lower', 320, 150),
    circle('End', 'output', 600, 82),
  ],
  flows: [
    flow('Start', 'Split', [[36, 100], [100, 100]]),
    flow('Split', 'Upper', [[240, 100], [280, 100], [280, 24], [320, 24]], { condition: 'c{Split_Upper}' }),
    flow('Split', 'Lower', [[240, 100], [280, 100], [280, 174], [320, 174]], { condition: 'c{Split_Lower}', label: 'otherwise', label_at: [280, 140] }),
    flow('Upper', 'End', [[440, 24], [600, 100]]),
    flow('Lower', 'End', [[440, 174], [600, 100]]),
    flow('Lower', 'Split', [[380, 198], [160, 198], [160, 124]], { condition: 'c{Lower_Split}' }),
  ],
};
const index = indexNet(net, { decorator: 20, stack: 5 });

test('a way has a length and points along it', () => {
  const way = wayOf([[0, 0], [30, 0], [30, 40]]);
  assert.equal(lengthOf(way), 70);
  assert.deepEqual(pointAt(way, 0), [0, 0]);
  assert.deepEqual(pointAt(way, 0.5), [30, 5]);
  assert.deepEqual(pointAt(way, 1), [30, 40]);
  assert.deepEqual(pointAt(way, 7), [30, 40]);
  assert.deepEqual(shorten(way, 10).at(-1), [30, 30]);
  assert.deepEqual(pointAt(wayOf([[5, 5], [5, 5]]), 0.5), [5, 5]);
  assert.deepEqual(pointAt(wayOf([[5, 6]]), 0.5), [5, 6]);
});

test('corners are round, and not larger than the pieces between them', () => {
  assert.equal(roundPath([[0, 0], [30, 0], [30, 40]], 8), 'M0 0L22 0Q30 0 30 8L30 40');
  assert.equal(roundPath([[0, 0], [4, 0], [4, 40]], 8), 'M0 0L2 0Q4 0 4 8L4 40');
  assert.equal(roundPath([], 8), '');
});

test('bands of joins and splits lie outside of the task and of its stack', () => {
  const box = { x: 100, y: 50, width: 120, height: 48 };
  assert.deepEqual(bandBox(box, 'east', 20, 10), { x: 230, y: 50, width: 20, height: 48 });
  assert.deepEqual(bandBox(box, 'west', 20, 10), { x: 80, y: 50, width: 20, height: 48 });
  assert.deepEqual(bandBox(box, 'north', 20, 10), { x: 100, y: 20, width: 120, height: 20 });
  assert.deepEqual(bandBox(box, 'south', 20, 10), { x: 100, y: 98, width: 120, height: 20 });
  const band = { x: 0, y: 0, width: 20, height: 40 };
  assert.equal(signPath(band, 'east', 'and'), 'M0 20L20 0L20 40Z');
  assert.equal(signPath(band, 'west', 'and'), 'M20 20L0 0L0 40Z');
  assert.notEqual(signPath(band, 'east', 'xor'), signPath(band, 'east', 'and'));
  assert.equal(signPath(band, 'east', 'or').split('L').length, 4);
});

test('fit shows all of it in the middle, and enlarges little', () => {
  const view = fitView({ width: 2000, height: 500 }, { width: 1048, height: 800 });
  assert.equal(view.scale, 0.5);
  assert.equal(view.x, 24);
  assert.equal(view.y, 275);
  assert.equal(fitView({ width: 50, height: 50 }, { width: 1000, height: 1000 }).scale, 1.25);
});

test('what cannot be read as a whole begins at a point', () => {
  const screen = { width: 1000, height: 600 };
  const start = firstView({ width: 9000, height: 400 }, screen, [20, 200]);
  assert.deepEqual(start, { x: 24, y: 200, scale: READABLE });
  const phone = { width: 328, height: 300 };
  assert.deepEqual(firstView({ width: 9000, height: 100 }, phone, [20, 50]), fitView({ width: 9000, height: 100 }, phone));
  const middle = firstView({ width: 9000, height: 400 }, screen, [4000, 200]);
  assert.equal(toPicture(middle, [500, 300])[0], 4000);
  const end = firstView({ width: 9000, height: 400 }, screen, [8990, 200]);
  assert.equal(end.x, 1000 - 4500 - 24);
  assert.deepEqual(firstView({ width: 500, height: 400 }, screen, [0, 0]), fitView({ width: 500, height: 400 }, screen));
});

test('zooming keeps what is under the pointer, within bounds', () => {
  const view = { x: 40, y: -20, scale: 1 };
  const at: Point = [300, 200];
  const larger = zoomAt(view, 1.5, at);
  assert.ok(distance(toPicture(view, at), toPicture(larger, at)) < 1e-9);
  assert.equal(zoomAt(view, 1e9, at).scale, 4);
  assert.equal(zoomAt(view, 1e-9, at).scale, 0.05);
});

test('some of the picture stays on the screen; revealing moves as little as needed', () => {
  const screen = { width: 800, height: 600 };
  const picture = { width: 400, height: 300 };
  assert.deepEqual(keepInside({ x: 5000, y: -5000, scale: 1 }, picture, screen), { x: 752, y: -252, scale: 1 });
  const view = { x: 0, y: 0, scale: 1 };
  assert.deepEqual(reveal(view, { x: 100, y: 100, width: 50, height: 50 }, screen), view);
  assert.equal(reveal(view, { x: 900, y: 100, width: 50, height: 50 }, screen).x, -182);
  assert.equal(reveal(view, { x: -90, y: 100, width: 50, height: 50 }, screen).x, 122);
  assert.deepEqual(shown({ x: -100, y: 0, scale: 2 }, screen), { x: 50, y: 0, width: 400, height: 300 });
  assert.equal(mapScale({ width: 2000, height: 600 }, { width: 200, height: 120 }), 0.1);
});

test('tokens of an implicit condition lie on its flow, beside the label', () => {
  assert.deepEqual(placeOf(index, 'Start'), [18, 100]);
  assert.deepEqual(placeOf(index, 'c{Split_Upper}'), pointAt(wayOf(net.flows[1]!.points as Point[]), 0.5));
  assert.ok(distance(placeOf(index, 'c{Split_Lower}')!, [280, 140]) > 20);
  assert.equal(placeOf(index, 'Upper'), undefined);
  assert.equal(placeOf(index, 'elsewhere'), undefined);
});

test('a token goes along the flow from the condition to the task, and from the task on', () => {
  assert.deepEqual(wayOfMove(index, { kind: 'take', condition: 'Start', task: 'Split' })?.points, [[36, 100], [100, 100]]);
  const take = wayOfMove(index, { kind: 'take', condition: 'c{Split_Upper}', task: 'Upper' })!;
  assert.deepEqual(take.points.at(-1), [320, 24]);
  const give = wayOfMove(index, { kind: 'give', condition: 'c{Split_Upper}', task: 'Split' })!;
  assert.deepEqual(give.points, [[240, 100], placeOf(index, 'c{Split_Upper}')]);
  assert.equal(wayOfMove(index, { kind: 'give', condition: 'nowhere', task: 'Split' }), undefined);
  assert.deepEqual(neighbours(index, 'Split').after.map((element) => element.id), ['Upper', 'Lower']);
  assert.notEqual(flowKey('a', 'b'), flowKey('b', 'a'));
});

test('arrow keys go along flows', () => {
  assert.equal(walk(index, undefined, 'right'), 'Start');
  assert.equal(walk(index, 'Start', 'right'), 'Split');
  assert.equal(walk(index, 'Split', 'left'), 'Start');
  assert.ok(['Upper', 'Lower'].includes(walk(index, 'Split', 'right')!));
  assert.equal(walk(index, 'Upper', 'down'), 'Lower');
  assert.equal(walk(index, 'Lower', 'up'), 'Upper');
  assert.equal(walk(index, 'Upper', 'right'), 'End');
  assert.equal(walk(index, 'End', 'right'), 'End');
});

test('the moves of a step are those of its events in one net, in order', () => {
  const events = [
    { event: 'TASK_FIRED', net: '7', task: 'Split', conditions: ['Start'] },
    { event: 'TASK_FIRED', net: '7.1', task: 'Other', conditions: ['x'] },
    { event: 'INSTANCE_ENDED', net: '7', task: 'Split' },
    { event: 'TASK_EXITED', net: '7', task: 'Split', conditions: ['c{Split_Upper}'] },
  ];
  assert.deepEqual(movesOfEvents(events, '7'), [
    [{ kind: 'take', condition: 'Start', task: 'Split' }],
    [{ kind: 'give', condition: 'c{Split_Upper}', task: 'Split' }],
  ]);
});

test('the moves of a witness follow from its markings', () => {
  const start = { marking: { Start: 1 } };
  const chosen = { fires: 'Split', exit: ['c{Split_Lower}'], marking: { 'c{Split_Lower}': 1 } };
  assert.deepEqual(movesOfWitness(index, undefined, start), []);
  assert.deepEqual(movesOfWitness(index, start, chosen), [
    [{ kind: 'take', condition: 'Start', task: 'Split' }],
    [{ kind: 'give', condition: 'c{Split_Lower}', task: 'Split' }],
  ]);
  const begun = { fires: 'Lower', part: 'start' as const, marking: {}, busy: ['Lower'] };
  assert.deepEqual(movesOfWitness(index, chosen, begun), [[{ kind: 'take', condition: 'c{Split_Lower}', task: 'Lower' }]]);
  const ended = { fires: 'Lower', part: 'end' as const, marking: { 'c{Lower_Split}': 1, End: 1 } };
  assert.deepEqual(movesOfWitness(index, begun, ended), [[
    { kind: 'give', condition: 'End', task: 'Lower' }, { kind: 'give', condition: 'c{Lower_Split}', task: 'Lower' },
  ]]);
});

test('more than five steps a second are not shown as motion', () => {
  const pace = new Pace();
  const first = Array.from({ length: 7 }, (_, i) => pace.allows(i * 100));
  assert.deepEqual(first, [true, true, true, true, true, false, false]);
  assert.equal(pace.allows(5000), true);
});

test('the order of a split stands beside its band, each place clear of the others', () => {
  const ways = [wayOf([[0, 0], [40, 0], [40, -60]]), wayOf([[0, 0], [40, 0], [40, 60]]), wayOf([[0, 0], [120, 0]])];
  const places = orderPlaces(ways);
  assert.equal(places.length, 3);
  for (const [i, place] of places.entries()) {
    assert.ok(distance(place, [0, 0]) < 70, `near the band: ${place.join(' ')}`);
    for (const other of places.slice(i + 1)) assert.ok(distance(place, other) >= 14);
  }
  const apart = orderPlaces([wayOf([[0, 0], [80, 0]]), wayOf([[0, 40], [80, 40]])]);
  assert.deepEqual(apart, [[14, -10], [14, 30]]);
  const passed = orderPlaces([wayOf([[0, 0], [80, 0]])], [wayOf([[0, -10], [80, -10]])]);
  assert.deepEqual(passed, [[14, 10]], 'not where another flow passes');
  assert.equal(orderPlaces([wayOf([[5, 5], [5, 5]])]).length, 1, 'a flow of no length');
});
