// SPDX-License-Identifier: Apache-2.0
// Work for a server beside the pages: other cases, by "weft bench http".
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Server } from '../browser/server';

export interface Work {
  items: number;
  perSecond: number;
}

/** Does items for so long, all that can be done or at a rate. */
export function work(server: Server, seconds: number, rate?: number): Promise<Work> {
  const words = ['bench', 'http', '--clients', '64', '--seconds', String(seconds), ...(rate === undefined ? [] : ['--rate', String(rate)])];
  const child = spawn(process.env['WEFT'] ?? '../weft', words, {
    env: { ...process.env, WEFT_SERVER: server.base, WEFT_TOKEN: server.tokens['admin'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => { said += part.toString(); });
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      const found = /^items (\d+) seconds ([\d.]+)$/m.exec(said);
      if (code === 0 && found) resolve({ items: Number(found[1]), perSecond: Number(found[1]) / Number(found[2]) });
      else reject(new Error(`weft ${words.join(' ')}: ${said}`));
    });
    child.on('error', reject);
  });
}

/** Seconds of a processor that the first node and its database have used (Linux). */
export function used(server: Server): number {
  let ticks = 0;
  for (const pid of [String(server.nodes[0]!.process.pid), ...server.store.processes()]) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** When a request was sent and its answer was there, on the clock of `now`. */
export interface Exchange {
  sent: number;
  answered: number;
}
export const now = (): number => performance.timeOrigin + performance.now();

/** Completes an item, over a connection that is kept. */
export function complete(server: Server, item: string): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const sent = now();
    const asked = request(`${server.base}/v1/items/${encodeURIComponent(item)}/complete`, {
      method: 'POST', agent,
      headers: { Authorization: `Bearer ${server.tokens['admin']}`, 'Content-Type': 'application/json', 'Content-Length': 0 },
    }, (response) => {
      const answered = now();
      let text = '';
      response.on('data', (part: Buffer) => { text += part.toString(); });
      response.on('end', () => (response.statusCode === 200 ? resolve({ sent, answered }) : reject(new Error(`${item}: ${response.statusCode} ${text}`))));
    });
    asked.on('error', reject);
    asked.end();
  });
}
