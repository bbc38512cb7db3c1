// SPDX-License-Identifier: Apache-2.0
// The fields for the priority and the due time of an item; only what was
// changed is sent, so that what others changed meanwhile stays.
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { t } from '../text/text';
import { Field } from '../ui/control';
import { instantOf, localOf } from './times';

interface Urgency {
  fields: ComponentChildren;
  /** What was changed; empty: nothing. */
  body: { priority?: number; due?: string | null };
  valid: boolean;
}

export function useUrgency(of: { priority?: number | undefined; due?: string | undefined }): Urgency {
  const before = { priority: String(of.priority ?? ''), due: of.due === undefined ? '' : localOf(of.due).slice(0, 16) };
  const [priority, setPriority] = useState(before.priority);
  const [due, setDue] = useState(before.due);
  const number = Number(priority);
  return {
    fields: (
      <>
        <Field id="urgency-priority" label={t('work.priority')} hint={t('work.priorityHint')}>
          <input id="urgency-priority" type="number" min="0" max="100" step="1" value={priority} onInput={(event) => setPriority(event.currentTarget.value)} />
        </Field>
        <Field id="urgency-due" label={t('work.dueTime')} hint={t('work.dueHint')}>
          <input id="urgency-due" type="datetime-local" value={due} onInput={(event) => setDue(event.currentTarget.value)} />
        </Field>
      </>
    ),
    body: {
      ...(priority === before.priority ? {} : { priority: number }),
      ...(due === before.due ? {} : { due: instantOf(due, '') ?? null }),
    },
    valid: priority === before.priority || (priority !== '' && Number.isInteger(number) && number >= 0 && number <= 100),
  };
}
