// SPDX-License-Identifier: Apache-2.0
// What the page costs (bench/console.sh).
// usage: node dist-tests/bench/run.mjs [--store KIND] [--OPTION NUMBER].. [PART]..
import { Server, type StoreKind } from '../browser/server';
import { closeBrowser, openBrowser } from '../browser/visitor';
import type { Options } from './figures';
import { latency } from './latency';
import { frames, ready, size } from './page';
import { pages } from './pages';

const parts: Record<string, (server: Server, options: Options) => Promise<void>> = { size, ready, frames, latency, pages };
const options: Options = { rounds: 5, seconds: 6, steps: 300, pages: 200, real: 3, rate: 500 };
const chosen: string[] = [];
let store: StoreKind = 'sqlite';

function refuse(word: string): never {
  console.error(`expected one of ${Object.keys(parts).join(', ')}, or --store or one of ${Object.keys(options).map((name) => `--${name}`).join(', ')} with its value, not ${word}`);
  process.exit(2);
}

const words = process.argv.slice(2);
for (let i = 0; i < words.length; i++) {
  const word = words[i]!;
  const name = word.slice(2);
  if (word in parts) chosen.push(word);
  else if (word === '--store' && ['sqlite', 'postgresql'].includes(words[i + 1] ?? '')) store = words[++i] as StoreKind;
  else if (word.startsWith('--') && name in options && Number(words[i + 1]) >= 0) options[name as keyof Options] = Number(words[++i]);
  else refuse(word);
}

try {
  // What drives the browser records the line of the program that made each
  // request.  Chromium would parse the whole program a second time for that
  // within the time that is measured: so it keeps the lines when it compiles.
  await openBrowser(['--js-flags=--no-enable-lazy-source-positions']);
  for (const [name, part] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const server = await Server.open(store);
    try {
      await server.loadExamples();
      await part(server, options);
    } finally {
      await server.close();
    }
  }
} finally {
  await closeBrowser();
}
