// SPDX-License-Identifier: Apache-2.0
// What open pages of cases cost the server: what it works in a second with and
// without them, in turns, at half the rate of items that it can do, as a share of
// what it works at all of that rate.  The rate itself would contain what the
// browser and the other programs take of the same processors.  Most are programs that read as such a page does (the state,
// a stream of the steps, the state again when steps pause); a few are in a
// browser.  The cases make steps in both.
import { get, type ClientRequest } from 'node:http';
import type { Server } from '../browser/server';
import { Visitor } from '../browser/visitor';
import { median, pause, report, type Options } from './figures';
import { turns } from './nets';
import { complete, used, work, type Work } from './server-load';

/** console/src/views/case/live.ts */
const PAUSE_MS = 250;
const LONGEST_MS = 1000;

/** Steps of all cases that have pages, in a second. */
const OWN_STEPS = 10;

class Reader {
  steps = 0;
  private stream: ClientRequest | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = 0;

  constructor(private readonly server: Server, private readonly id: string, private readonly cookie: string) {}

  async open(): Promise<void> {
    await this.read();
    await new Promise<void>((resolve, reject) => {
      this.stream = get(`${this.server.base}/v1/events?case=${this.id}`, { headers: { Cookie: this.cookie, Accept: 'text/event-stream' } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream: ${response.statusCode}`));
        else resolve();
        let line = '';
        response.on('data', (part: Buffer) => {
          const lines = (line + part.toString()).split('\n');
          line = lines.pop() ?? '';
          for (const one of lines) if (one === 'event: step') this.take();
        });
        response.on('error', () => undefined);
      });
      this.stream.on('error', reject);
    });
    await this.read();
  }

  close(): void {
    clearTimeout(this.timer);
    this.stream?.destroy();
  }

  private take(): void {
    this.steps++;
    const present = performance.now();
    if (this.timer === undefined) this.due = present + LONGEST_MS;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.read();
    }, Math.min(PAUSE_MS, Math.max(0, this.due - present)));
  }

  private async read(): Promise<void> {
    const answer = await fetch(`${this.server.base}/v1/cases/${this.id}`, { headers: { Cookie: this.cookie } });
    await answer.text();
    if (!answer.ok) throw new Error(`a case: ${answer.status}`);
  }
}

/** Cases that go on, one after the other, until they are stopped. */
class Movers {
  private readonly steps: number[];
  private over = false;
  private running: Promise<void> = Promise.resolve();
  constructor(private readonly server: Server, private readonly ids: string[]) {
    this.steps = ids.map(() => 0);
  }

  start(): void {
    this.over = false;
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.over = true;
    await this.running;
  }

  private async run(): Promise<void> {
    for (let i = 0; !this.over; i = (i + 1) % this.ids.length) {
      await complete(this.server, `${this.ids[i]}:${this.steps[i]! % 2 === 0 ? 'A' : 'B'}`);
      this.steps[i]!++;
      await pause(1000 / OWN_STEPS);
    }
  }
}

/** Seconds of a processor that the server and its database work in a second. */
async function measured(server: Server, movers: Movers, seconds: number, rate?: number): Promise<Work & { worked: number }> {
  movers.start();
  const before = used(server);
  const done = await work(server, seconds, rate);
  const worked = ((used(server) - before) * done.perSecond) / done.items;
  await movers.stop();
  return { ...done, worked };
}

async function signIn(server: Server): Promise<string> {
  const answer = await fetch(`${server.base}/v1/session`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: server.tokens['admin'] }) });
  const cookie = answer.headers.get('Set-Cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`no session: ${answer.status}`);
  return cookie;
}

export async function pages(server: Server, { rounds, seconds, pages: count, real }: Options): Promise<void> {
  const loaded = (await server.rest('POST', '/v1/specifications', turns)) as { specifications: { key: string }[] };
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await server.startCase(loaded.specifications[0]!.key));
  const movers = new Movers(server, ids);
  const cookie = await signIn(server);

  await work(server, Math.min(seconds, 2)); // files and caches as in the rounds
  const full = await measured(server, movers, seconds);
  const rate = Math.ceil(full.perSecond / 2);

  const withPages = async (): Promise<number> => {
    const visitors: Visitor[] = [];
    const readers = ids.slice(real).map((id) => new Reader(server, id, cookie));
    for (const id of ids.slice(0, real)) {
      const visitor = await Visitor.as(server, 'admin', `/cases/${id}`);
      visitors.push(visitor);
      await visitor.page.locator('.live-dot.on').waitFor();
    }
    for (const reader of readers) await reader.open();
    const { worked } = await measured(server, movers, seconds, rate);
    await pause(500);
    if (!readers.some((reader) => reader.steps > 0)) throw new Error('no stream has a step');
    for (const reader of readers) reader.close();
    for (const visitor of visitors) await visitor.leave();
    return worked;
  };

  const without: number[] = [];
  const open: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const alone = async () => without.push((await measured(server, movers, seconds, rate)).worked);
    if (i % 2 === 0) await alone();
    open.push(await withPages());
    if (i % 2 !== 0) await alone();
  }
  const share = (median(open) - median(without)) / full.worked;
  report('pages', 100 * share, `% of what the server works for ${full.perSecond.toFixed(0)} items a second, for ${count} open pages of cases, ${real} of them in a browser`, { most: 2 },
    `at ${rate} items a second ${(100 * median(open)).toFixed(1)} % of a processor with them and ${(100 * median(without)).toFixed(1)} % without; ${(100 * full.worked).toFixed(0)} % at the whole rate`);
}
