// SPDX-License-Identifier: Apache-2.0
// The pages of a list, read one after the other before its end is seen.
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef, type MutableRef } from 'preact/hooks';
import { Problem, retryWhenReachable } from '../api/client';

export interface Page<T> {
  rows: T[];
  next?: string | undefined;
}

export interface Pages<T> {
  rows: ReadonlySignal<T[]>;
  error: ReadonlySignal<Problem | undefined>;
  /** Whether all pages were read. */
  whole: ReadonlySignal<boolean>;
  /** Whether the first page was read. */
  ready: ReadonlySignal<boolean>;
  /** How many pages were read; one may be empty and have a next one. */
  turns: ReadonlySignal<number>;
  more(): Promise<void>;
  reload(): Promise<void>;
  /** Repeats the read that failed. */
  again(): Promise<void>;
  replace(change: (rows: T[]) => T[]): void;
}

type Read<T> = (after: string | undefined, signal: AbortSignal) => Promise<Page<T>>;

export function pagesOf<T>(read: Read<T>): Pages<T> & { stop: () => void } {
  const rows = signal<T[]>([]);
  const error = signal<Problem | undefined>(undefined);
  const whole = signal(false);
  const ready = signal(false);
  const turns = signal(0);
  let next: string | undefined;
  let abort = new AbortController();
  let reading = false;
  let failedFirst = false;
  const get = async (first: boolean): Promise<void> => {
    if (reading && !first) return;
    if (first) {
      abort.abort();
      abort = new AbortController();
    }
    const mine = abort;
    reading = true;
    try {
      const page = await read(first ? undefined : next, mine.signal);
      if (mine.signal.aborted) return;
      rows.value = first ? page.rows : [...rows.value, ...page.rows];
      next = page.next;
      whole.value = next === undefined;
      error.value = undefined;
      ready.value = true;
      reading = false;
      turns.value++;
    } catch (failure) {
      if (mine.signal.aborted) return;
      failedFirst = first;
      error.value = Problem.of(failure);
      reading = false;
    }
  };
  return {
    rows, error, whole, ready, turns,
    more: async () => (whole.value ? undefined : get(false)),
    reload: () => get(true),
    again: () => get(failedFirst),
    replace: (change) => { rows.value = change(rows.value); },
    stop: () => abort.abort(),
  };
}

/** The pages of a list, read anew with others of `dependencies`. */
export function usePages<T>(read: Read<T>, dependencies: unknown[]): Pages<T> {
  const latest = useRef(read);
  latest.current = read;
  const pages = useMemo(() => pagesOf<T>((after, signal) => latest.current(after, signal)), dependencies);
  useEffect(() => {
    void pages.reload();
    const off = retryWhenReachable(pages.error, () => void pages.again());
    return () => { off(); pages.stop(); };
  }, [pages]);
  return pages;
}

const BEFORE_END = '800px';

/** For what is below the last row: more is read before it is seen. */
export function useMore<T>(pages: Pages<T>): MutableRef<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement | null>(null);
  // What is observed anew is reported anew: so a page that moved nothing has a next one, too.
  const turns = pages.turns.value;
  useEffect(() => {
    const at = end.current;
    if (!at) return;
    const observer = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) void pages.more(); }, { rootMargin: BEFORE_END });
    observer.observe(at);
    return () => observer.disconnect();
  }, [pages, turns]);
  return end;
}
