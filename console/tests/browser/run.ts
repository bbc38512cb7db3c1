// SPDX-License-Identifier: Apache-2.0
// The stories in a browser.
// usage: node dist-tests/browser/run.mjs [--store KIND:NODES].. [CHAPTER]..
import { closeBrowser } from './visitor';
import { sumUp, runAll } from './story';
import type { StoreKind } from './server';

const chapters: string[] = [];
const stores: { kind: StoreKind; nodes: number }[] = [];
const words = process.argv.slice(2);
for (let i = 0; i < words.length; i++) {
  if (words[i] !== '--store') chapters.push(words[i]!);
  else {
    const [kind, nodes] = words[++i]!.split(':');
    stores.push({ kind: kind as StoreKind, nodes: Number(nodes) });
  }
}
await runAll(chapters, stores.length > 0 ? stores : [{ kind: 'sqlite', nodes: 1 }]);
await closeBrowser();
sumUp();
