// SPDX-License-Identifier: Apache-2.0
// Where the place of a flow in the order of its split is written: beside the
// flow, near the band, and free of the places of its siblings.
import { distance, lengthOf, pointAt, type Point, type Way } from './geometry';

const NEAREST = 10;
const FARTHEST = 90;
const PACE = 8;
const ASIDE = 10;
/** Two figures closer than this would touch. */
const APART = 14;

/** The point beside a way, so far along it; side 1 is to the left. */
function beside(way: Way, along: number, side: 1 | -1): Point {
  const length = Math.max(1, lengthOf(way));
  const [x, y] = pointAt(way, along / length);
  const [nx, ny] = pointAt(way, (along + 1) / length);
  const [px, py] = pointAt(way, (along - 1) / length);
  const pace = Math.max(0.01, Math.hypot(nx - px, ny - py));
  return [x + (side * ASIDE * (ny - py)) / pace, y - (side * ASIDE * (nx - px)) / pace];
}

/** How near a point is to a way, of its first part. */
function nearTo(way: Way, point: Point): number {
  const length = Math.max(1, lengthOf(way));
  let nearest = Infinity;
  for (let along = 0; along <= Math.min(length, FARTHEST + ASIDE); along += PACE / 2) nearest = Math.min(nearest, distance(point, pointAt(way, along / length)));
  return nearest;
}

/** For the flows of one split, in their order. */
export function orderPlaces(ways: readonly Way[]): Point[] {
  const placed: Point[] = [];
  for (const way of ways) {
    const candidates: Point[] = [];
    for (let along = NEAREST; along <= Math.min(FARTHEST, Math.max(NEAREST, lengthOf(way) - NEAREST)); along += PACE) candidates.push(beside(way, along, 1), beside(way, along, -1));
    const free = candidates.find((point) => placed.every((other) => distance(point, other) >= APART) && ways.every((other) => other === way || nearTo(other, point) >= ASIDE - 2));
    placed.push(free ?? candidates.find((point) => placed.every((other) => distance(point, other) >= APART)) ?? candidates[0]!);
  }
  return placed;
}
