// SPDX-License-Identifier: Apache-2.0
// A sentence of the server that names elements of a net, cut at their ids.
import { Element } from '../shared/words';
import type { CaseModel } from './model';

/** The longest id first, so that none is taken for a part of another. */
export function linked<T extends { id: string }>(text: string, elements: readonly T[]): (string | T)[] {
  const byId = new Map(elements.map((element) => [element.id, element]));
  const ids = [...byId.keys()].filter((id) => id !== '').sort((a, b) => b.length - a.length);
  if (ids.length === 0) return [text];
  const escaped = ids.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // An id is a whole word of its sentence.
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${escaped.join('|')})(?![\\p{L}\\p{N}_])`, 'u');
  return text.split(pattern).map((piece, index) => (index % 2 === 1 ? byId.get(piece)! : piece)).filter((piece) => piece !== '');
}

/** A sentence of the server; the elements that it names point into the picture. */
export function Linked({ text, of }: { text: string; of: CaseModel }) {
  const elements = [...of.names.tasks, ...of.names.conditions];
  return <span class="words">{linked(text, elements).map((piece, index) => (typeof piece === 'string' ? <bdi key={index}>{piece}</bdi> : <Element key={index} id={piece.id} of={of} />))}</span>;
}
