// SPDX-License-Identifier: Apache-2.0
// Where the place of a flow in the order of its split is written: beside the
// flow, near the band, and free of the places of its siblings.
import { contains, distance, grow, lengthOf, pointAt, type Box, type Point, type Way } from './geometry';

const NEAREST = 14;
const FARTHEST = 90;
const PACE = 8;
const BESIDE = 10;
/** Two figures closer than this would touch. */
const APART = 14;
/** Closer to a flow than this, its line would go through the figure. */
const CLEAR = 7;
/** Half of a figure's height. */
const HALF = 5;

/** The point beside a way, so far along it; side 1 is to the left. */
function beside(way: Way, along: number, side: 1 | -1): Point {
  const length = Math.max(1, lengthOf(way));
  const [x, y] = pointAt(way, along / length);
  const [nx, ny] = pointAt(way, (along + 1) / length);
  const [px, py] = pointAt(way, (along - 1) / length);
  const pace = Math.max(0.01, Math.hypot(nx - px, ny - py));
  return [x + (side * BESIDE * (ny - py)) / pace, y - (side * BESIDE * (nx - px)) / pace];
}

/** Whether a way comes near to a point. */
function touches(way: Way, [x, y]: Point): boolean {
  for (let i = 1; i < way.points.length; i++) {
    const [from, to] = [way.points[i - 1]!, way.points[i]!];
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const part = Math.min(1, Math.max(0, ((x - from[0]) * dx + (y - from[1]) * dy) / Math.max(0.01, dx * dx + dy * dy)));
    if (distance([x, y], [from[0] + part * dx, from[1] + part * dy]) < CLEAR) return true;
  }
  return false;
}

/** For the flows of one split, in their order; clear of other ways and of boxes, where that can be. */
export function orderPlaces(ways: readonly Way[], others: readonly Way[] = [], boxes: readonly Box[] = []): Point[] {
  const placed: Point[] = [];
  for (const way of ways) {
    const candidates: Point[] = [];
    for (let along = NEAREST; along <= Math.min(FARTHEST, Math.max(NEAREST, lengthOf(way) - NEAREST)); along += PACE) candidates.push(beside(way, along, 1), beside(way, along, -1));
    const apart = candidates.filter((point) => placed.every((other) => distance(point, other) >= APART));
    const outside = apart.filter((point) => !boxes.some((box) => contains(grow(box, HALF), point)));
    placed.push(outside.find((point) => ![...ways, ...others].some((other) => touches(other, point))) ?? outside[0] ?? apart[0] ?? candidates[0]!);
  }
  return placed;
}
