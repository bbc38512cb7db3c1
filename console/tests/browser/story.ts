// SPDX-License-Identifier: Apache-2.0
// Stories: what a person does at the page, and what must hold then.
import { Visitor, type Setting } from './visitor';
import { Server, type StoreKind } from './server';

let passed = 0;
let failed = 0;
let skipped = 0;

/** One thing that must hold. */
export function check(what: string, holds: boolean, ...seen: unknown[]): void {
  if (holds) passed++;
  else {
    failed++;
    console.log(`does not hold: ${what}`, ...seen);
  }
}

export class Scene {
  readonly server: Server;
  private readonly visitors: Visitor[] = [];

  constructor(server: Server) {
    this.server = server;
  }

  /** What a story does by itself is done at the first node, and another has it a moment later. */
  async visitor(account: string, address = '/', setting: Setting = {}, node = 0): Promise<Visitor> {
    const visitor = await Visitor.as(this.server, account, address, setting, node);
    this.visitors.push(visitor);
    return visitor;
  }

  async stranger(setting: Setting = {}): Promise<Visitor> {
    const visitor = await Visitor.come(this.server, setting);
    this.visitors.push(visitor);
    return visitor;
  }

  async end(name: string, broken: boolean): Promise<void> {
    let number = 0;
    for (const visitor of this.visitors) {
      if (broken) await visitor.picture(`failed-${name.replace(/\W+/g, '-')}-${++number}`).catch(() => undefined);
      check(`${name}: the browser complains of nothing`, visitor.faults.length === 0, ...visitor.faults.slice(0, 5));
      await visitor.leave();
    }
  }
}

type Story = { name: string; file: string; run: (scene: Scene) => Promise<void> };
const stories: Story[] = [];
let file = '';

/** Says of which file the stories that follow are. */
export function chapter(name: string): void {
  file = name;
}

export function story(name: string, run: (scene: Scene) => Promise<void>): void {
  stories.push({ name, file, run });
}

/** No barrier for people with disabilities, as axe-core finds them. */
export async function accessible(visitor: Visitor, where: string): Promise<void> {
  const barriers = await visitor.barriers();
  check(`${where} has no barrier`, barriers.length === 0, ...barriers.slice(0, 8));
}

/**
 * Runs the stories of the named chapters (all, if none is named), each store
 * with one server that all of them share.
 */
export async function runAll(chapters: string[], stores: { kind: StoreKind; nodes: number }[]): Promise<void> {
  const unknown = chapters.filter((name) => !stories.some((one) => one.file === name));
  if (unknown.length > 0) throw new Error(`there is no chapter ${unknown.join(', ')}`);
  for (const { kind, nodes } of stores) {
    if (kind === 'postgresql' && (process.env['WEFT_TEST_POSTGRESQL'] ?? '') === '') {
      console.log('the stories on PostgreSQL: there is no server to test on');
      skipped++;
      continue;
    }
    const server = await Server.open(kind, nodes);
    try {
      await server.loadExamples();
      for (const one of stories) {
        if (chapters.length > 0 && !chapters.includes(one.file)) continue;
        const scene = new Scene(server);
        let broken = false;
        const before = failed;
        try {
          await one.run(scene);
        } catch (error) {
          broken = true;
          check(`${one.file}: ${one.name} (${kind})`, false, error);
        }
        await scene.end(`${one.file}-${one.name}`, broken || failed > before);
      }
    } finally {
      const { ends, log } = await server.close();
      check(`the nodes end well (${kind})`, ends.every((end) => end === 0), ends);
      if (failed > 0) console.log(log.split('\n').slice(-10).join('\n'));
    }
  }
}

export function sumUp(): void {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
