// SPDX-License-Identifier: Apache-2.0
// How elements are called, of all processes that a stream is about: the nets of
// each are read once, when the first step of it comes.
import { signal } from '@preact/signals';
import { readPictures } from '../../picture/nets';
import { t } from '../../text/text';
import { namesOf, type Names, type Pictures } from '../case/names';

export interface ElementNames {
  /** The id, as long as the name is not known, or where there is none. */
  of(specification: string, id: string): string;
}

export function newNames(read: (specification: string) => Promise<Pictures> = readPictures): ElementNames {
  const known = signal<ReadonlyMap<string, Names>>(new Map());
  const asked = new Set<string>();

  async function ask(specification: string): Promise<void> {
    asked.add(specification);
    // Who may see the steps but not the nets sees ids.
    const pictures = await read(specification).catch(() => undefined);
    known.value = new Map(known.value).set(specification, namesOf(pictures, (from, to) => t('case.between', { from, to })));
  }

  return {
    of(specification, id) {
      if (!asked.has(specification)) void ask(specification);
      return known.value.get(specification)?.of(id) ?? id;
    },
  };
}
