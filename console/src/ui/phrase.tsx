// SPDX-License-Identifier: Apache-2.0
// A sentence whose parts are more than words: links, names of others, times.
import { Fragment, type ComponentChildren } from 'preact';
import { pieces, type Values } from '../text/text';

/**
 * A name that somebody else has given: of any length and direction.  `title` is
 * shown on pointing at it, if that is not the name.
 */
export function Name({ value, title = value }: { value: string; title?: string }) {
  return <bdi class="name-of-others" title={title}>{value}</bdi>;
}

export function Phrase({ of, parts, values }: { of: string; parts: Record<string, ComponentChildren>; values?: Values }) {
  return <>{pieces(of, parts, values).map((piece, index) => <Fragment key={index}>{piece}</Fragment>)}</>;
}
