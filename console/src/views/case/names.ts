// SPDX-License-Identifier: Apache-2.0
// How the elements of a specification are called, and how its nets are made.
import type { Schema } from '../../api/client';
import type { Shape } from './apply';

export type Pictures = Schema['Pictures'];
type Element = Schema['PictureOfElement'];

export interface Names extends Shape {
  /** Of a task or a condition; its id where it has no name. */
  of(id: string): string;
  element(id: string): Element | undefined;
  /** The net that has the element. */
  netOf(id: string): string | undefined;
  tasks: { id: string; name: string; net: string }[];
  conditions: { id: string; name: string; net: string }[];
}

/** The name of an implicit condition says between which tasks it is. */
type Between = (from: string, to: string) => string;

export function namesOf(pictures: Pictures | undefined, between: Between): Names {
  const elements = new Map<string, { element: Element; net: string }>();
  const implicit = new Map<string, { from: string; to: string; net: string }>();
  for (const net of pictures?.nets ?? []) {
    for (const element of net.elements) if (!elements.has(element.id)) elements.set(element.id, { element, net: net.id });
    for (const flow of net.flows) if (flow.condition !== undefined) implicit.set(flow.condition, { from: flow.from, to: flow.to, net: net.id });
  }
  const of = (id: string): string => {
    const flow = implicit.get(id);
    return flow ? between(of(flow.from), of(flow.to)) : (elements.get(id)?.element.name ?? id);
  };
  const all = [...elements.values()];
  return {
    of,
    element: (id) => elements.get(id)?.element,
    netOf: (id) => elements.get(id)?.net ?? implicit.get(id)?.net,
    input: (net) => all.find((one) => one.net === net && one.element.kind === 'input')?.element.id,
    subnet: (net, task) => pictures?.nets.find((one) => one.id === net)?.elements.find((one) => one.id === task)?.net,
    tasks: all.filter((one) => one.element.kind === 'task').map(({ element, net }) => ({ id: element.id, name: of(element.id), net })),
    conditions: [
      ...all.filter((one) => one.element.kind !== 'task').map(({ element, net }) => ({ id: element.id, name: of(element.id), net })),
      ...[...implicit].map(([id, flow]) => ({ id, name: of(id), net: flow.net })),
    ],
  };
}
