// SPDX-License-Identifier: Apache-2.0
// Tokens on their way: what a step takes fades at its task, what it gives
// arrives along its flow.  Drawn outside of rendering, frame by frame.
import { signal, type ReadonlySignal } from '@preact/signals';
import { pointAt, type Way } from './geometry';
import { wayOfMove, type Move, type Moves, type NetIndex } from './model';
import { Pace } from './moves';

const TAKE_MS = 140;
const GIVE_MS = 180;
/** A step of more groups shows only its last ones. */
const MOST_GROUPS = 6;
const SVG = 'http://www.w3.org/2000/svg';

export class Motion {
  /** Tokens that are given and have not arrived, by condition. */
  readonly arriving: ReadonlySignal<ReadonlyMap<string, number>>;
  private readonly waiting = signal<ReadonlyMap<string, number>>(new Map());
  private readonly pace = new Pace();
  private frame = 0;

  constructor(private readonly layer: SVGGElement) {
    this.arriving = this.waiting;
  }

  /** Shows a step; one that is still being shown ends at once. */
  play(index: NetIndex, moves: Moves): void {
    this.end();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden;
    if (!this.pace.allows(performance.now()) || still || moves.groups.length === 0) return;
    const groups = moves.groups.slice(-MOST_GROUPS);
    const waiting = new Map<string, number>();
    for (const move of groups.flat()) if (move.kind === 'give') waiting.set(move.condition, (waiting.get(move.condition) ?? 0) + 1);
    this.waiting.value = waiting;
    this.next(index, groups);
  }

  end(): void {
    cancelAnimationFrame(this.frame);
    this.layer.replaceChildren();
    if (this.waiting.value.size > 0) this.waiting.value = new Map();
  }

  private next(index: NetIndex, groups: Move[][]): void {
    const [group, ...rest] = groups;
    if (!group) {
      this.end();
      return;
    }
    const ghosts = group.flatMap((move) => {
      const way = wayOfMove(index, move);
      return way ? [{ move, way, circle: this.ghost(way) }] : [];
    });
    const began = performance.now();
    const draw = (now: number) => {
      let left = false;
      for (const { move, way, circle } of ghosts) {
        const part = Math.min(1, Math.max(0, (now - began) / (move.kind === 'take' ? TAKE_MS : GIVE_MS)));
        const [x, y] = pointAt(way, 1 - (1 - part) ** 2);
        circle.setAttribute('transform', `translate(${x} ${y})`);
        if (move.kind === 'take') circle.setAttribute('opacity', String(1 - part * part));
        left ||= part < 1;
      }
      if (left) this.frame = requestAnimationFrame(draw);
      else {
        for (const { circle } of ghosts) circle.remove();
        this.arrived(group);
        this.next(index, rest);
      }
    };
    this.frame = requestAnimationFrame(draw);
  }

  private ghost(way: Way): SVGCircleElement {
    const circle = document.createElementNS(SVG, 'circle');
    circle.setAttribute('r', '7');
    circle.setAttribute('class', 'p-ghost');
    const [x, y] = pointAt(way, 0);
    circle.setAttribute('transform', `translate(${x} ${y})`);
    this.layer.append(circle);
    return circle;
  }

  private arrived(group: Move[]): void {
    const waiting = new Map(this.waiting.value);
    for (const move of group) {
      if (move.kind !== 'give') continue;
      const left = (waiting.get(move.condition) ?? 0) - 1;
      if (left > 0) waiting.set(move.condition, left);
      else waiting.delete(move.condition);
    }
    this.waiting.value = waiting;
  }
}
