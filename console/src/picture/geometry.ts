// SPDX-License-Identifier: Apache-2.0
// Places, ways and views.  Lengths are those of the net's picture; a view says
// where the picture's origin is on the screen and how large it is.
export type Point = [number, number];
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface View {
  x: number;
  y: number;
  scale: number;
}
export interface Size {
  width: number;
  height: number;
}

const SMALLEST = 0.05;
const LARGEST = 4;
const LARGEST_FIT = 1.25;

export const centre = (box: Box): Point => [box.x + box.width / 2, box.y + box.height / 2];
export const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
const mix = (a: Point, b: Point, part: number): Point => [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
const digits = (value: number): string => String(Math.round(value * 10) / 10);
const text = (point: Point): string => `${digits(point[0])} ${digits(point[1])}`;

export function grow(box: Box, by: number): Box {
  return { x: box.x - by, y: box.y - by, width: box.width + 2 * by, height: box.height + 2 * by };
}

export const contains = (box: Box, [x, y]: Point): boolean => x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;

// --- ways ----------------------------------------------------------------------

/** A line through points, with how far each is from the first. */
export interface Way {
  points: Point[];
  lengths: number[];
}

export function wayOf(points: Point[]): Way {
  const lengths = [0];
  for (let i = 1; i < points.length; i++) lengths.push(lengths[i - 1]! + distance(points[i - 1]!, points[i]!));
  return { points, lengths };
}

export const lengthOf = (way: Way): number => way.lengths.at(-1) ?? 0;

/** The point at a part, 0 to 1, of the length of a way. */
export function pointAt(way: Way, part: number): Point {
  const { points, lengths } = way;
  const at = Math.min(1, Math.max(0, part)) * lengthOf(way);
  let i = 1;
  while (i < lengths.length - 1 && lengths[i]! < at) i++;
  if (i >= points.length) return points[0] ?? [0, 0];
  const piece = lengths[i]! - lengths[i - 1]!;
  return mix(points[i - 1]!, points[i]!, piece === 0 ? 0 : (at - lengths[i - 1]!) / piece);
}

/** The same way without its last `by`, so that an arrow head ends it. */
export function shorten(way: Way, by: number): Point[] {
  const length = lengthOf(way);
  if (length <= by) return way.points;
  const kept = way.points.filter((_, i) => way.lengths[i]! < length - by);
  return [...kept, pointAt(way, (length - by) / length)];
}

/** A path through points whose corners are round. */
export function roundPath(points: Point[], radius: number): string {
  const first = points[0];
  if (!first) return '';
  let path = `M${text(first)}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [before, corner, after] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const [a, b] = [distance(before, corner), distance(corner, after)];
    if (a === 0 || b === 0) continue;
    const enter = mix(corner, before, Math.min(radius, a / 2) / a);
    const leave = mix(corner, after, Math.min(radius, b / 2) / b);
    path += `L${text(enter)}Q${text(corner)} ${text(leave)}`;
  }
  return points.length > 1 ? `${path}L${text(points.at(-1)!)}` : path;
}

/** The head of an arrow whose tip ends the way. */
export function arrowHead(way: Way, length: number, half: number): string {
  const tip = way.points.at(-1)!;
  const back = shorten(way, length).at(-1)!;
  const reach = distance(tip, back);
  if (reach < 0.5) return '';
  const [dx, dy] = [((tip[0] - back[0]) / reach) * half, ((tip[1] - back[1]) / reach) * half];
  return `M${text(tip)}L${text([back[0] - dy, back[1] + dx])}L${text([back[0] + dy, back[1] - dx])}Z`;
}

// --- joins and splits ------------------------------------------------------------

export type Side = 'north' | 'south' | 'west' | 'east';

/** The band of a join or split: outside of its task, and of its stack. */
export function bandBox(task: Box, side: Side, thickness: number, stack: number): Box {
  const { x, y, width, height } = task;
  if (side === 'west') return { x: x - thickness, y, width: thickness, height };
  if (side === 'east') return { x: x + width + stack, y, width: thickness, height };
  if (side === 'north') return { x, y: y - thickness - stack, width, height: thickness };
  return { x, y: y + height, width, height: thickness };
}

// From the task (0) outwards (1), and across: an AND points at the task, an XOR
// away from it, an OR is a diamond.
const signs: Record<'and' | 'xor' | 'or', Point[]> = {
  and: [[0, 0.5], [1, 0], [1, 1]],
  xor: [[0, 0], [1, 0.5], [0, 1]],
  or: [[0, 0.5], [0.5, 0], [1, 0.5], [0.5, 1]],
};

export function signPath(band: Box, side: Side, control: 'and' | 'xor' | 'or'): string {
  const place = ([out, across]: Point): Point => {
    const [u, v] = side === 'west' || side === 'north' ? [1 - out, across] : [out, across];
    return side === 'west' || side === 'east'
      ? [band.x + u * band.width, band.y + v * band.height]
      : [band.x + v * band.width, band.y + u * band.height];
  };
  return `M${signs[control].map((point) => text(place(point))).join('L')}Z`;
}

// --- views -----------------------------------------------------------------------

/** The view that shows the whole picture in the middle, not enlarged much. */
export function fitView(picture: Size, screen: Size, margin = 24): View {
  const room = { width: Math.max(1, screen.width - 2 * margin), height: Math.max(1, screen.height - 2 * margin) };
  const scale = Math.max(SMALLEST, Math.min(LARGEST_FIT, room.width / picture.width, room.height / picture.height));
  return { x: (screen.width - picture.width * scale) / 2, y: (screen.height - picture.height * scale) / 2, scale };
}

/** Where a picture is too large to be read as a whole, this scale is enough. */
export const READABLE = 0.5;
/** On a small screen too little is seen at that scale to know where one is. */
const SMALL = 480;
export const isSmall = (screen: Size): boolean => screen.width < SMALL;

/** The view at first: the whole, if that can be read or the screen is small; else what is around a point. */
export function firstView(picture: Size, screen: Size, [x, y]: Point): View {
  const whole = fitView(picture, screen);
  const scale = READABLE;
  if (whole.scale >= scale || isSmall(screen)) return whole;
  const along = (at: number, length: number, room: number) =>
    length * scale <= room - 48 ? (room - length * scale) / 2 : Math.max(room - length * scale - 24, Math.min(24, room / 2 - at * scale));
  return { x: along(x, picture.width, screen.width), y: along(y, picture.height, screen.height), scale };
}

/** The view scaled by a factor, with what is at a place of the screen staying there. */
export function zoomAt(view: View, factor: number, [x, y]: Point): View {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, view.scale * factor));
  const change = scale / view.scale;
  return { x: x - (x - view.x) * change, y: y - (y - view.y) * change, scale };
}

/** The view moved so that some of the picture stays on the screen. */
export function keepInside(view: View, picture: Size, screen: Size, margin = 48): View {
  const clamp = (at: number, length: number, room: number) => Math.min(room - margin, Math.max(margin - length, at));
  return {
    x: clamp(view.x, picture.width * view.scale, screen.width),
    y: clamp(view.y, picture.height * view.scale, screen.height),
    scale: view.scale,
  };
}

/** The view moved as little as needed for a box to be seen. */
export function reveal(view: View, box: Box, screen: Size, margin = 32): View {
  const move = (at: number, start: number, length: number, room: number) => {
    const [from, to] = [at + start * view.scale, at + (start + length) * view.scale];
    if (from < margin) return at + margin - from;
    return to > room - margin ? at - Math.min(to - (room - margin), from - margin) : at;
  };
  return { x: move(view.x, box.x, box.width, screen.width), y: move(view.y, box.y, box.height, screen.height), scale: view.scale };
}

/** A place of the screen as one of the picture. */
export const toPicture = (view: View, [x, y]: Point): Point => [(x - view.x) / view.scale, (y - view.y) / view.scale];

/** What of the picture is on the screen. */
export function shown(view: View, screen: Size): Box {
  const [x, y] = toPicture(view, [0, 0]);
  return { x, y, width: screen.width / view.scale, height: screen.height / view.scale };
}

/** How much smaller a map of the picture is, in at most this room. */
export const mapScale = (picture: Size, room: Size): number => Math.min(room.width / picture.width, room.height / picture.height);
