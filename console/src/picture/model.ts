// SPDX-License-Identifier: Apache-2.0
// A net as the server draws it (GET /v1/specifications/{specification}/nets),
// with what a picture looks up in it, and what a view may put on it.
import type { Schema } from '../api/client';
import { centre, pointAt, wayOf, type Point, type Way } from './geometry';

export type Pictures = Schema['Pictures'];
export type Net = Schema['PictureOfNet'];
export type Element = Schema['PictureOfElement'];
export type Flow = Schema['PictureOfFlow'];
export type Control = NonNullable<Element['join']>;

/** Sizes that all nets of a picture share: those of Pictures. */
export interface Sizes {
  decorator: number;
  stack: number;
}

/** What a task is doing in a case, if it does something, and has done. */
export interface TaskMark {
  state?: 'waiting' | 'enabled' | 'offered' | 'allocated' | 'busy' | 'suspended' | 'failed' | 'here' | undefined;
  /** The name of who has it; its initials are shown. */
  holder?: string | undefined;
  /** How often it was done. */
  done?: number | undefined;
  /** Of several instances: so many are over, of so many. */
  instances?: { done: number; of: number } | undefined;
  /** An incident is open: a mark that opens it. */
  incident?: boolean | undefined;
}

/** How much there is at an element: a tint, and the figures beside it. */
export interface Heat {
  /** 0 to 1. */
  share: number;
  figures: string;
  /** The figures in words, on pointing. */
  title: string;
}

/** A token that a task takes from a condition, or gives to it. */
export interface Move {
  kind: 'take' | 'give';
  condition: string;
  task: string;
}
/** The moves of a step: those of a group are at the same time. */
export interface Moves {
  /** A further step has another key. */
  key: string | number;
  groups: Move[][];
}

/** The key of a flow in `taken`: its ends, of elements of the picture. */
export const flowKey = (from: string, to: string): string => `${from}\n${to}`;

export const isTask = (element: Element): boolean => element.kind === 'task';
export const nameOf = (element: Element): string => element.name ?? element.id;

export interface NetIndex {
  net: Net;
  sizes: Sizes;
  elements: Map<string, Element>;
  /** Flows by the id of the element where they begin, and where they end. */
  out: Map<string, Flow[]>;
  in: Map<string, Flow[]>;
  ways: Map<Flow, Way>;
  /** By the id of an implicit condition: its flow. */
  implicit: Map<string, Flow>;
}

export function indexNet(net: Net, sizes: Sizes): NetIndex {
  const index: NetIndex = {
    net, sizes,
    elements: new Map(net.elements.map((element) => [element.id, element])),
    out: new Map(), in: new Map(), ways: new Map(), implicit: new Map(),
  };
  const add = (map: Map<string, Flow[]>, id: string, flow: Flow) => map.set(id, [...(map.get(id) ?? []), flow]);
  for (const flow of net.flows) {
    add(index.out, flow.from, flow);
    add(index.in, flow.to, flow);
    index.ways.set(flow, wayOf(flow.points as Point[]));
    if (flow.condition !== undefined) index.implicit.set(flow.condition, flow);
  }
  return index;
}

/** Where the tokens of a condition are drawn; undefined: not in this net. */
export function placeOf(index: NetIndex, condition: string): Point | undefined {
  const element = index.elements.get(condition);
  if (element) return isTask(element) ? undefined : centre(element);
  const flow = index.implicit.get(condition);
  // Beside the label, if there is one.
  return flow && pointAt(index.ways.get(flow)!, flow.label_at ? 0.3 : 0.5);
}

/** The way of a token between a condition and a task, from one to the other. */
export function wayOfMove(index: NetIndex, move: Move): Way | undefined {
  const implicit = index.implicit.get(move.condition);
  if (implicit) {
    const place = placeOf(index, move.condition)!;
    const way = index.ways.get(implicit)!;
    const end = move.kind === 'take' ? way.points.at(-1)! : way.points[0]!;
    return wayOf(move.kind === 'take' ? [place, end] : [end, place]);
  }
  const [from, to] = move.kind === 'take' ? [move.condition, move.task] : [move.task, move.condition];
  const flow = index.out.get(from)?.find((one) => one.to === to);
  return flow && index.ways.get(flow);
}

/** What stands beside a condition or task in words, for who cannot see it. */
export function neighbours(index: NetIndex, id: string): { before: Element[]; after: Element[] } {
  const pick = (flows: Flow[] | undefined, end: 'from' | 'to') =>
    [...new Set((flows ?? []).map((flow) => index.elements.get(flow[end])))].filter((one) => one !== undefined);
  return { before: pick(index.in.get(id), 'from'), after: pick(index.out.get(id), 'to') };
}
