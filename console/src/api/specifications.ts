// SPDX-License-Identifier: Apache-2.0
// The specifications by key, which many views show by their names.
import { signal } from '@preact/signals';
import { api, session, type Schema } from './client';

export type Specification = Schema['Specification'];

const known = signal<Map<string, Specification>>(new Map());
let reading: Promise<void> | undefined;
let account: string | undefined;

/** Reads them again: after one was loaded or removed. */
export async function readSpecifications(): Promise<void> {
  reading ??= api
    .get('/v1/specifications')
    .then((answer) => {
      known.value = new Map(answer.specifications.map((one) => [one.key, one]));
    })
    .catch(() => undefined)
    .finally(() => {
      reading = undefined;
    });
  return reading;
}

/** All of them, oldest first; what is not known yet comes later. */
export function specifications(): Specification[] {
  if (account !== session.value?.account) {
    account = session.value?.account;
    void readSpecifications();
  }
  return [...known.value.values()];
}

/** Process and version of a key; the key itself, as long as it is unknown. */
export function nameOf(key: string): { process: string; version: string; uri: string | undefined } {
  specifications();
  const found = known.value.get(key);
  return found ? { process: found.title ?? found.uri, version: found.version, uri: found.uri } : { process: key, version: '', uri: undefined };
}

/** The versions of each process, by its URI. */
export function byUri(all: readonly Specification[]): Map<string, Specification[]> {
  const versions = new Map<string, Specification[]>();
  for (const one of all) versions.set(one.uri, [...(versions.get(one.uri) ?? []), one]);
  return versions;
}

/** One entry for each process: its URI, its title, its versions. */
export function processes(): { uri: string; title: string; versions: Specification[] }[] {
  return [...byUri(specifications())].map(([uri, versions]) => ({ uri, title: versions[versions.length - 1]?.title ?? uri, versions }));
}

/** The title of a process by its URI; the URI as long as it is not known. */
export const titleOf = (uri: string): string => processes().find((one) => one.uri === uri)?.title ?? uri;
