// SPDX-License-Identifier: Apache-2.0
// What open pages of cases cost the server: what it works for an item, with the
// pages open at it, and with the same pages open at another server, in turns: so
// in both it shares the processors with as many browsers and programs.  Most are
// programs that read as such a page does (the state, a stream of the steps, the
// state again when steps pause); a few are in a browser.  The cases make steps.
import { get, type ClientRequest } from 'node:http';
import { Server } from '../browser/server';
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

async function signIn(server: Server): Promise<string> {
  const answer = await fetch(`${server.base}/v1/session`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: server.tokens['admin'] }) });
  const cookie = answer.headers.get('Set-Cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`no session: ${answer.status}`);
  return cookie;
}

/** A server with cases, and the pages that are open there. */
class Place {
  readonly movers: Movers;
  private visitors: Visitor[] = [];
  private readers: Reader[] = [];

  private constructor(readonly server: Server, private readonly ids: string[], private readonly cookie: string) {
    this.movers = new Movers(server, ids);
  }

  static async make(server: Server, count: number): Promise<Place> {
    const loaded = (await server.rest('POST', '/v1/specifications', turns)) as { specifications: { key: string }[] };
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await server.startCase(loaded.specifications[0]!.key));
    return new Place(server, ids, await signIn(server));
  }

  async open(real: number): Promise<void> {
    this.readers = this.ids.slice(real).map((id) => new Reader(this.server, id, this.cookie));
    for (const id of this.ids.slice(0, real)) {
      const visitor = await Visitor.as(this.server, 'admin', `/cases/${id}`);
      this.visitors.push(visitor);
      await visitor.page.locator('.live-dot.on').waitFor();
    }
    for (const reader of this.readers) await reader.open();
    this.movers.start();
  }

  async close(): Promise<void> {
    await this.movers.stop();
    await pause(500);
    if (!this.readers.some((reader) => reader.steps > 0)) throw new Error('no stream has a step');
    for (const reader of this.readers) reader.close();
    for (const visitor of this.visitors) await visitor.leave();
    this.visitors = [];
  }
}

interface Round extends Work {
  /** Microseconds of a processor that the server and its database took for an item. */
  cost: number;
}

export async function pages(server: Server, { rounds, seconds, pages: count, real }: Options): Promise<void> {
  const other = await Server.open(server.kind);
  try {
    await other.loadExamples();
    const places = { here: await Place.make(server, count), there: await Place.make(other, count) };
    const found: Record<keyof typeof places, Round[]> = { here: [], there: [] };
    await work(server, Math.min(seconds, 2)); // files and caches as in the rounds
    for (let i = 0; i < rounds; i++) {
      for (const name of i % 2 === 0 ? (['there', 'here'] as const) : (['here', 'there'] as const)) {
        await places[name].open(real);
        const before = used(server);
        const done = await work(server, seconds);
        found[name].push({ ...done, cost: ((used(server) - before) * 1e6) / done.items });
        await places[name].close();
      }
    }
    const rate = (of: Round[]) => median(of.map((one) => one.perSecond));
    const cost = (of: Round[]) => median(of.map((one) => one.cost));
    report('pages', cost(found.there) / cost(found.here), `of the items with ${count} open pages of cases, ${real} of them in a browser`, { least: 0.98 },
      `the server and its database worked ${cost(found.here).toFixed(1)} us for an item with them, and ${cost(found.there).toFixed(1)} with them at another server; beside them it did ${rate(found.here).toFixed(0)} and ${rate(found.there).toFixed(0)} items a second`);
  } finally {
    await other.close();
  }
}
