// SPDX-License-Identifier: Apache-2.0
// The specifications by key, which many views show by their names.
import { computed, signal } from '@preact/signals';
import { mayAnywhere } from './session';
import { api, Problem, session, type Schema } from '../api/client';

export type Specification = Schema['Specification'];

const AGAIN_MS = 5000;
/** Who may not read them, or has no session, gets none by trying again. */
const FINAL = new Set([401, 403]);

const known = signal<ReadonlyMap<string, Specification>>(new Map());
const listed = computed(() => [...known.value.values()]);
let reading: Promise<void> | undefined;
/** What is read when that is over: it may have been answered before the change. */
let following: Promise<void> | undefined;
/** Who has asked for them. */
let account: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

async function read(): Promise<void> {
  clearTimeout(timer);
  account = session.value?.account;
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

/** They are read once for each account. */
function begin(): void {
  if (account === session.value?.account) return;
  account = session.value?.account;
  // Who may read none is not refused each time.
  if (mayAnywhere('read')) void readSpecifications();
  else if (known.value.size > 0) known.value = new Map();
}

/** All of them, oldest first; what is not known yet comes later. */
export function specifications(): readonly Specification[] {
  begin();
  return listed.value;
}

/** Process and version of a key; the key itself, as long as it is unknown. */
export function nameOf(key: string): { process: string; version: string; uri: string | undefined } {
  begin();
  const found = known.value.get(key);
  return found ? { process: found.title ?? found.uri, version: found.version, uri: found.uri } : { process: key, version: '', uri: undefined };
}

/** The title of the process of a key; `otherwise` as long as it is not known. */
export function processTitle(key: string, otherwise: string): string {
  const { process, uri } = nameOf(key);
  return uri === undefined ? otherwise : process;
}

/** What the versions of a process share: two processes may have one URI. */
export const sharedBy = (one: { identifier?: string | undefined; uri?: string | undefined }): string => one.identifier ?? one.uri ?? '';

interface Versions {
  /** By which filters find it: its URI, unless another process has it, too. */
  id: string;
  versions: Specification[];
}

/** The processes, each with its versions in the order given. */
export function grouped(all: readonly Specification[]): Versions[] {
  const groups = new Map<string, Specification[]>();
  /** How many specifications have a URI. */
  const having = new Map<string, number>();
  for (const one of all) {
    const group = groups.get(sharedBy(one));
    if (group) group.push(one);
    else groups.set(sharedBy(one), [one]);
    having.set(one.uri, (having.get(one.uri) ?? 0) + 1);
  }
  return [...groups].map(([shared, versions]) => {
    const uri = versions[0]!.uri;
    const isOnlyOne = having.get(uri) === versions.length && versions.every((one) => one.uri === uri);
    return { id: isOnlyOne ? uri : shared, versions };
  });
}

interface Process extends Versions { title: string }
const titled = computed((): readonly Process[] => grouped(listed.value).map(({ id, versions }) => ({ id, versions, title: versions.at(-1)?.title ?? versions[0]!.uri })));

/** One entry for each process, with its title. */
export function processes(): readonly Process[] {
  begin();
  return titled.value;
}

/** By what filters take, an identifier or a URI; the first of those that share it. */
export function processOf(name: string): Process | undefined {
  const all = processes();
  return all.find((one) => one.id === name) ?? all.find((one) => one.versions.some((version) => sharedBy(version) === name || version.uri === name));
}

/** By what filters find the process of a version; its key as long as it is not known. */
export const filterOf = (key: string): string => processes().find((one) => one.versions.some((version) => version.key === key))?.id ?? key;

/** The title of a process by identifier or URI; this as long as it is not known. */
export const titleOf = (name: string): string => processOf(name)?.title ?? name;
