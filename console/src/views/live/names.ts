// SPDX-License-Identifier: Apache-2.0
// How elements are called, of all processes that a stream is about: the nets of
// each are read once, when the first step of it comes.
import { signal } from '@preact/signals';
import { readPictures } from '../../picture/nets';

export interface ElementNames {
  /** The id, as long as the name is not known, or where there is none. */
  of(specification: string, id: string): string;
}

export function newNames(read: (specification: string) => Promise<{ nets: readonly { elements: readonly { id: string; name?: string | undefined }[] }[] }> = readPictures): ElementNames {
  const known = signal<ReadonlyMap<string, ReadonlyMap<string, string>>>(new Map());
  const asked = new Set<string>();

  async function ask(specification: string): Promise<void> {
    asked.add(specification);
    // Who may see the steps but not the nets sees ids.
    const { nets } = await read(specification).catch(() => ({ nets: [] }));
    const names = new Map<string, string>();
    for (const net of nets) for (const one of net.elements) if (one.name !== undefined && !names.has(one.id)) names.set(one.id, one.name);
    known.value = new Map(known.value).set(specification, names);
  }

  return {
    of(specification, id) {
      if (!asked.has(specification)) void ask(specification);
      return known.value.get(specification)?.get(id) ?? id;
    },
  };
}
