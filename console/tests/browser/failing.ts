// SPDX-License-Identifier: Apache-2.0
// Processes made of the examples, also such of which something fails or waits.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root, type Server } from './server';
import { check } from './story';

export interface Incident { incident: number; status: string; attempts: number; reason?: string; droppedBy?: string }

/** An example with a name of its own, so that its cases are those of one story. */
export const copyOf = (file: string, name: string): string =>
  readFileSync(path.join(root, 'examples', file), 'utf8')
    .replace(/<specification uri="\w+"/, `<specification uri="${name}"`).replace(/<title>[^<]*/, `<title>${name}`).replace(/UID_\w+/, `UID_${name}`);

const example = (name: string): string => copyOf('sequence.yawl', name);

/** After a moment, the output of its first task divides by zero. */
const failing = (name: string): string => example(name)
  .replace('{/Ask/destination/text()}', '{1 idiv 0}')
  .replace('</completedMappings>', '</completedMappings><timer><trigger>OnEnabled</trigger><duration>PT0.2S</duration></timer>');

/** Its first task is done by the service with this URI. */
export const served = (name: string, uri: string): string => example(name)
  .replace('</outputParam>\n</decomposition>', `</outputParam><yawlService id="${uri}"/></decomposition>`);

export async function incidents(server: Server, name: string, status = 'open'): Promise<Incident[]> {
  return ((await server.rest('GET', `/v1/incidents?specification=${name}&status=${status}&limit=1000`)) as { incidents: Incident[] }).incidents;
}

export async function until(holds: () => Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < 600; i++) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

/** Loads a process that fails, and starts cases until each has an incident. */
export async function fail(server: Server, name: string, cases: number): Promise<void> {
  await server.rest('POST', '/v1/specifications', failing(name));
  for (let i = 0; i < cases; i++) await server.startCase(name);
  check(`${cases} cases have failed`, await until(async () => (await incidents(server, name)).length === cases));
}
