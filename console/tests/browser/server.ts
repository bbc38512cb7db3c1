// SPDX-License-Identifier: Apache-2.0
// Servers to visit: nodes on a store of their own, with the examples loaded.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const weft = process.env['WEFT'] ?? '../weft';
/** The top folder of the sources. */
export const root = path.resolve(process.env['WEFT_ROOT'] ?? '..');

export type StoreKind = 'sqlite' | 'postgresql';

interface Node {
  process: ChildProcess;
  base: string;
}

interface Store {
  url: string;
  /** The processes of PostgreSQL that serve its connections. */
  processes(): string[];
  close(): void;
}

/** A store on PostgreSQL is a schema of the server that the tests have. */
function openStore(kind: StoreKind, folder: string): Store {
  if (kind === 'sqlite') return { url: `sqlite:${folder}/weft.db`, processes: () => [], close: () => undefined };
  const server = process.env['WEFT_TEST_POSTGRESQL'] ?? '';
  const name = `console_${randomBytes(6).toString('hex')}`;
  const sql = (text: string) => {
    const done = spawnSync('psql', ['-qAt', '-v', 'ON_ERROR_STOP=1', '-c', text, server], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
    return done.stdout;
  };
  sql(`CREATE SCHEMA ${name}`);
  return {
    url: `${server}${server.includes('?') ? '&' : '?'}options=-csearch_path%3D${name}&application_name=${name}`,
    processes: () => sql(`SELECT pid FROM pg_stat_activity WHERE application_name = '${name}'`).split('\n').filter((pid) => pid !== ''),
    close: () => { sql(`DROP SCHEMA ${name} CASCADE`); },
  };
}

export class Server {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'weft-console-'));
  readonly store: Store;
  readonly nodes: Node[] = [];
  readonly tokens: Record<string, string> = {};
  readonly kind: StoreKind;

  private constructor(kind: StoreKind) {
    this.kind = kind;
    this.store = openStore(kind, this.folder);
  }

  static async open(kind: StoreKind, nodes = 1): Promise<Server> {
    const server = new Server(kind);
    try {
      for (let i = 0; i < nodes; i++) await server.startNode();
      server.tokens['admin'] = readFileSync(path.join(server.folder, 'weft.token'), 'utf8').trim();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get base(): string {
    return this.nodes[0]!.base;
  }

  /** Starts a node; at `listen` it is where one was that was stopped. */
  async startNode(listen = '127.0.0.1:0'): Promise<Node> {
    const log = openSync(path.join(this.folder, 'log'), 'a');
    const child = spawn(weft, ['serve', '--people', '--allow-address', '127.0.0.0/8', '--db', this.store.url, '--listen', listen], { cwd: this.folder, stdio: ['ignore', 'pipe', log] });
    const base = await new Promise<string>((resolve, reject) => {
      const lines = createInterface({ input: child.stdout! });
      lines.on('line', (line) => {
        const found = /listening on (http\S+)/.exec(line);
        if (found) resolve(found[1]!);
      });
      child.on('exit', () => reject(new Error(`the server did not start: ${readFileSync(path.join(this.folder, 'log'), 'utf8')}`)));
    });
    const node = { process: child, base };
    this.nodes.push(node);
    return node;
  }

  /** How it ended: the exit code, or the signal that ended it. */
  async stopNode(node: Node, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    const { process } = node;
    this.nodes.splice(this.nodes.indexOf(node), 1);
    if (process.exitCode === null && process.signalCode === null) {
      const over = new Promise((resolve) => process.once('exit', resolve));
      process.kill(signal);
      await over;
    }
    return process.exitCode ?? process.signalCode!;
  }

  /** Runs the command line against the first node; what it printed. */
  weft(words: string[], input = '', account = 'admin'): string {
    const done = spawnSync(weft, words, {
      cwd: root, input, encoding: 'utf8',
      env: { ...process.env, WEFT_SERVER: this.base, WEFT_TOKEN: this.tokens[account] ?? '' },
    });
    if (done.status !== 0) throw new Error(`weft ${words.join(' ')}: ${done.stderr}${done.stdout}`);
    return done.stdout.trim();
  }

  /** A request to the first node, beside any page. */
  async rest(method: string, target: string, body?: unknown, account = 'admin'): Promise<unknown> {
    const xml = typeof body === 'string';
    const response = await fetch(this.base + target, {
      method,
      headers: { Authorization: `Bearer ${this.tokens[account]}`, 'Content-Type': xml ? 'application/xml' : 'application/json' },
      ...(body === undefined ? {} : { body: xml ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }

  /** Adds an account with the password "word of NAME", and its token. */
  async addAccount(name: string, role: string, grants: string[] = []): Promise<void> {
    const answer = (await this.rest('POST', '/v1/accounts', { name, ...(role === '' ? {} : { role }), ...(grants.length > 0 ? { grants } : {}), password: `word of ${name}`, token: { name: 'test' } })) as { token?: string; tokens?: { token?: string }[] };
    this.tokens[name] = answer.token ?? answer.tokens?.[0]?.token ?? '';
  }

  /** Loads the examples, their people, and an account of each kind. */
  async loadExamples(): Promise<void> {
    this.weft(['people', 'import', '--quiet', 'examples/people/organisation.json']);
    const files = ['examples', 'examples/people'].flatMap((folder) =>
      readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.yawl')).map((name) => path.join(folder, name)));
    this.weft(['spec', 'load', '--quiet', ...files]);
    await this.addAccount('anna', '', ['participate', 'start process:UID_WeftPurchase']);
    await this.addAccount('ben', '', ['participate', 'start process:UID_WeftPurchase']);
    await this.addAccount('cara', 'participant');
    await this.addAccount('rita', 'reader');
    await this.addAccount('otto', 'operator');
  }

  /** Starts a case; its id. */
  async startCase(specification: string, data?: unknown, title?: string): Promise<string> {
    const done = (await this.rest('POST', '/v1/cases', { specification, ...(data === undefined ? {} : { data }), ...(title === undefined ? {} : { title }) })) as { case: string };
    return done.case;
  }

  private log(): string {
    const file = path.join(this.folder, 'log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** How each node ended, and what all have logged. */
  async close(): Promise<{ ends: (number | NodeJS.Signals)[]; log: string }> {
    const ends: (number | NodeJS.Signals)[] = [];
    for (const node of [...this.nodes]) ends.push(await this.stopNode(node));
    const log = this.log();
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
    return { ends, log };
  }
}
