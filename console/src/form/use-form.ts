// SPDX-License-Identifier: Apache-2.0
// A form that is being filled in: its values, and what the server says of them.
//
//     read ──► filled in ──400 ms after a change──► checked by the server
//                  ▲                                     │ conditions, texts,
//                  └─────────────────────────────────────┘ mistakes
//
// A mistake is shown at a field that was left, and at every field once the
// person has tried to complete.
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Problem } from '../api/client';
import { useResource, type Resource } from '../api/resource';
import { given, groupsOf, prepare, type Form, type Mistake, type Values } from './values';

const PAUSE_MS = 400;

export interface Filling {
  /** The reading of the form. */
  readonly resource: Resource<Form>;
  /** The form for the values as they were at the last check. */
  readonly form: ReadonlySignal<Form | undefined>;
  readonly value: ReadonlySignal<Values>;
  /** The mistakes that are to be shown now. */
  readonly mistakes: ReadonlySignal<Mistake[]>;
  /** Why the last check was not made. */
  readonly unchecked: ReadonlySignal<Problem | undefined>;
  /** Why the values as they are were not taken, though the check finds no mistake. */
  readonly refused: ReadonlySignal<Problem | undefined>;
  /** Counts the changes since the form was read. */
  readonly changes: ReadonlySignal<number>;
  /** Counts how often a mistake is to get the focus. */
  readonly refusals: ReadonlySignal<number>;
  change: (value: Values) => void;
  touch: (path: string) => void;
  /** Checks at once, and shows every mistake; true when there is none. */
  verify(): Promise<boolean>;
  /** Says so above the fields until the values change. */
  refuse: (problem: Problem) => void;
  /** While the values are being sent, and when they were taken, nothing is checked. */
  rest: (sending: boolean) => void;
  /** What is sent of the values. */
  output(): Values;
}

/**
 * The form that `load` reads.  `check` is asked after changes, with `names` (the
 * members that are taken; all when undefined).
 */
export function useForm({ load, check, names, dependencies }: {
  load: (signal: AbortSignal) => Promise<Form>;
  check: (values: Values, signal: AbortSignal) => Promise<Form>;
  names?: readonly string[] | undefined;
  dependencies: unknown[];
}): Filling {
  const resource = useResource(load, dependencies);
  const latest = useRef({ check, names });
  latest.current = { check, names };
  const filling = useMemo(() => {
    const changed = signal<Values | undefined>(undefined);
    const checked = signal<Form | undefined>(undefined);
    const unchecked = signal<Problem | undefined>(undefined);
    const refused = signal<Problem | undefined>(undefined);
    const touched = signal<ReadonlySet<string>>(new Set());
    const all = signal(false);
    const changes = signal(0);
    const refusals = signal(0);
    const start = computed(() => {
      const form = resource.data.value;
      return form ? prepare(form.fields, form.data, groupsOf(form.fields)) : {};
    });
    const value = computed(() => changed.value ?? start.value);
    const mistakes = computed(() => (checked.value?.mistakes ?? []).filter((one) => all.value || touched.value.has(one.path)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let abort: AbortController | undefined;
    let resting = false;

    const output = () => given(value.value, latest.current.names);
    const ask = async (): Promise<boolean> => {
      clearTimeout(timer);
      abort?.abort();
      const mine = (abort = new AbortController());
      try {
        const form = await latest.current.check(output(), mine.signal);
        if (mine.signal.aborted) return false;
        checked.value = form;
        unchecked.value = undefined;
        return form.valid ?? false;
      } catch (failure) {
        if (!mine.signal.aborted) unchecked.value = Problem.of(failure);
        return false;
      }
    };
    const later = () => {
      clearTimeout(timer);
      if (!resting) timer = setTimeout(() => void ask(), PAUSE_MS);
    };
    return {
      resource, value, mistakes, unchecked, refused, changes, refusals, output,
      form: computed(() => checked.value ?? resource.data.value),
      change: (next: Values) => {
        changed.value = next;
        refused.value = undefined;
        changes.value++;
        later();
      },
      touch: (path: string) => {
        if (touched.value.has(path)) return;
        touched.value = new Set([...touched.value, path]);
        // A check that is being made for `verify` goes on: it says where the focus goes.
        if (checked.value === undefined && !all.value) later();
      },
      refuse: (problem: Problem) => { refused.value = problem; },
      rest: (sending: boolean) => {
        resting = sending;
        if (!sending) return;
        clearTimeout(timer);
        abort?.abort();
      },
      verify: async () => {
        all.value = true;
        const valid = await ask();
        if (!valid) refusals.value++;
        return valid;
      },
      stop: () => {
        clearTimeout(timer);
        abort?.abort();
      },
    };
  }, [resource]);
  useEffect(() => filling.stop, [filling]);
  return filling;
}
