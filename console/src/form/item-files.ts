// SPDX-License-Identifier: Apache-2.0
// The files of the form of an item.
import { api } from '../api/client';
import { contentOf, upload } from '../api/upload';
import type { Files } from './around';

export const itemFiles = (item: string): Files => ({
  href: contentOf,
  add: async (file, parameter, progress) => {
    const added = await upload(api.address('/v1/items/{item}/documents', { item }, { name: file.name, parameter }), file, progress);
    return { id: added.document, name: added.name };
  },
});
