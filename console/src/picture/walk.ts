// SPDX-License-Identifier: Apache-2.0
// Going through a net with the arrow keys: along flows, in the direction of the
// key; where no flow leads there, to the nearest element on that side.
import { centre, distance, type Point } from './geometry';
import { neighbours, type Element, type NetIndex } from './model';

export type Direction = 'left' | 'right' | 'up' | 'down';
const vectors: Record<Direction, Point> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
/** A flow counts as one to the right up to this angle from it. */
const WIDEST = Math.cos((60 * Math.PI) / 180);

/** How well an element lies in a direction: the cosine of the angle. */
function aim(from: Element, to: Element, direction: Direction): number {
  const [a, b] = [centre(from), centre(to)];
  const length = distance(a, b);
  const [x, y] = vectors[direction];
  return length === 0 ? -1 : ((b[0] - a[0]) * x + (b[1] - a[1]) * y) / length;
}

function best(from: Element, among: Element[], direction: Direction): Element | undefined {
  let found: Element | undefined;
  let score = WIDEST;
  for (const element of among) {
    const aimed = aim(from, element, direction);
    if (aimed > score) [found, score] = [element, aimed];
  }
  return found;
}

function nearest(index: NetIndex, from: Element, direction: Direction): Element | undefined {
  let found: Element | undefined;
  let least = Infinity;
  for (const element of index.net.elements) {
    const aimed = aim(from, element, direction);
    if (element === from || aimed <= WIDEST) continue;
    const cost = distance(centre(from), centre(element)) / aimed;
    if (cost < least) [found, least] = [element, cost];
  }
  return found;
}

/** Where an arrow key leads from an element; from nowhere, to the start. */
export function walk(index: NetIndex, from: string | undefined, direction: Direction): string | undefined {
  const here = from === undefined ? undefined : index.elements.get(from);
  if (!here) return (index.net.elements.find((element) => element.kind === 'input') ?? index.net.elements[0])?.id;
  const { before, after } = neighbours(index, here.id);
  const along = best(here, [...after, ...before].filter((element) => element !== here), direction);
  if (along) return along.id;
  // A flow that leads back still is the way on.
  const way = direction === 'right' ? after : direction === 'left' ? before : [];
  return (nearest(index, here, direction) ?? way.find((element) => element !== here))?.id ?? here.id;
}
