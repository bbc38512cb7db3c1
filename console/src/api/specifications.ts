// SPDX-License-Identifier: Apache-2.0
// The specifications by key, which many views show by their names.
import { signal } from '@preact/signals';
import { api, Problem, session, type Schema } from './client';

export type Specification = Schema['Specification'];

const AGAIN_MS = 5000;
/** Who may not read them, or has no session, gets none by trying again. */
const FINAL = new Set([401, 403]);

const known = signal<Map<string, Specification>>(new Map());
let reading: Promise<void> | undefined;
/** What is read when that is over: it may have been answered before the change. */
let following: Promise<void> | undefined;
/** Who has asked for them. */
let account: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

async function read(): Promise<void> {
  clearTimeout(timer);
  try {
    const { specifications: all } = await api.get('/v1/specifications');
    known.value = new Map(all.map((one) => [one.key, one]));
  } catch (failure) {
    if (!FINAL.has(Problem.of(failure).status)) timer = setTimeout(() => void readSpecifications(), AGAIN_MS);
  }
}

/** Reads them again: after one was loaded or removed. */
export function readSpecifications(): Promise<void> {
  if (reading) {
    following ??= reading.then(() => {
      following = undefined;
      return readSpecifications();
    });
    return following;
  }
  reading = read().finally(() => {
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
