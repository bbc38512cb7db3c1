// SPDX-License-Identifier: Apache-2.0
// What a view reads from the server: being read, there, or refused.
//
//     reading ──answer──► there ──reload──► there, being read again
//        └──refusal──► failed ──again──► reading
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Problem, retryWhenReachable } from './client';

export interface Resource<T> {
  readonly data: ReadonlySignal<T | undefined>;
  readonly error: ReadonlySignal<Problem | undefined>;
  /** Reads again; what is there stays until the answer. */
  reload(): Promise<void>;
  /** Puts what a command has answered in the place of what was read. */
  set(value: T): void;
}

/**
 * Reads with `read`, and again whenever one of `dependencies` changes.  An
 * answer that comes after a later request began is dropped.  `first` may have
 * what is there without reading.
 */
export function useResource<T>(read: (signal: AbortSignal) => Promise<T>, dependencies: unknown[], first?: () => T | undefined): Resource<T> {
  const latest = useRef(read);
  latest.current = read;
  const resource = useMemo(() => {
    const data = signal<T | undefined>(first?.());
    const error = signal<Problem | undefined>(undefined);
    let abort: AbortController | undefined;
    const reload = async (): Promise<void> => {
      abort?.abort();
      const mine = (abort = new AbortController());
      try {
        const value = await latest.current(mine.signal);
        if (mine.signal.aborted) return;
        error.value = undefined;
        data.value = value;
      } catch (failure) {
        if (mine.signal.aborted) return;
        error.value = Problem.of(failure);
      }
    };
    const set = (value: T): void => {
      abort?.abort();
      error.value = undefined;
      data.value = value;
    };
    return { data, error, reload, set, stop: () => abort?.abort() };
    // A resource is of its dependencies: with others it begins anew.
  }, dependencies);
  useEffect(() => {
    if (resource.data.value === undefined) void resource.reload();
    const off = retryWhenReachable(resource.error, () => void resource.reload());
    return () => { off(); resource.stop(); };
  }, [resource]);
  return resource;
}
