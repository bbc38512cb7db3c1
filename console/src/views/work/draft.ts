// SPDX-License-Identifier: Apache-2.0
// What is filled in is kept by itself: a draft, saved after each pause.
//
//     kept ──change──► changed ──1.2 s──► saving ──► kept
//                                            └──another was saved──► refused
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api, onReachable, Problem } from '../../api/client';
import type { Filling } from '../../form/use-form';

const PAUSE_MS = 1200;

type Kept = 'unchanged' | 'changed' | 'saving' | 'kept' | 'refused' | 'failed';

export interface Draft {
  readonly state: ReadonlySignal<Kept>;
  readonly at: ReadonlySignal<string | undefined>;
  /** Why it is not kept. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  save(): Promise<void>;
  /** Saves in the place of what another has saved. */
  replace(): Promise<void>;
  /** The item is done: nothing is to be saved any more. */
  end(): void;
}

const isOvertaken = (problem: Problem): boolean => problem.status === 409 || problem.status === 412;

/** The draft of an item, and when it is saved; what each save replaces is known by the one before. */
export function draftOf(item: string, filling: Pick<Filling, 'changes' | 'output'>) {
  const path = { item };
  const state = signal<Kept>('unchanged');
  const at = signal<string | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  let tag: string | undefined;
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The saves, one after the other. */
  let last: Promise<void> = Promise.resolve();
  const take = (headers: Headers) => { tag = headers.get('ETag') ?? undefined; };

  const put = async (over: boolean): Promise<void> => {
    if (ended) return;
    clearTimeout(timer);
    state.value = 'saving';
    try {
      const changes = filling.changes.value;
      const saved = await api.put('/v1/items/{item}/draft', {
        path, body: filling.output(), answered: take,
        ...(tag === undefined || over ? {} : { headers: { 'If-Match': tag } }),
      });
      at.value = saved.saved;
      problem.value = undefined;
      state.value = 'kept';
      if (filling.changes.value !== changes && !ended) later();
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      if (ended) return;
      problem.value = failure;
      state.value = isOvertaken(failure) ? 'refused' : 'failed';
    }
  };
  const then = (run: () => Promise<void>): Promise<void> => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
  const later = () => {
    state.value = 'changed';
    clearTimeout(timer);
    timer = setTimeout(() => void then(() => put(false)), PAUSE_MS);
  };
  return {
    state, at, problem, later,
    save: () => then(() => put(false)),
    replace: () => then(() => put(true)),
    end: () => { ended = true; clearTimeout(timer); },
    /** There is a draft, which the form shows. */
    begin: (saved: string, etag: string) => {
      at.value = saved;
      state.value = 'kept';
      tag = etag;
    },
    leave: () => { if (state.value === 'changed' && !ended) void then(() => put(false)); },
  };
}

export function useDraft(item: string, filling: Filling, on: boolean): Draft {
  const draft = useMemo(() => draftOf(item, filling), [item, filling]);

  const changes = filling.changes.value;
  const { saved, etag } = filling.resource.data.value?.draft ?? {};
  useEffect(() => { if (on && saved !== undefined && etag !== undefined) draft.begin(saved, etag); }, [draft, on, saved, etag]);
  useEffect(() => { if (on && changes > 0 && draft.state.value !== 'refused') draft.later(); }, [draft, on, changes]);
  useEffect(() => draft.leave, [draft]);
  useEffect(() => onReachable(() => { if (draft.state.value === 'failed') void draft.save(); }), [draft]);
  return draft;
}
