// SPDX-License-Identifier: Apache-2.0
// What a person can do with an item: at once, or after a question.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { Menu, type MenuEntry } from '../../ui/control';
import { ask, attempt } from '../../ui/message';
import { PersonDialog } from '../../form/person';

export type Detail = Schema['ItemDetail'];
type ActionName = NonNullable<Detail['actions']>[number];

/** Whom one acts for, and what happens after an action. */
export interface Acting {
  detail: Detail;
  inPlaceOf: string | undefined;
  /** The item is the participant's no more: the next one is to be opened. */
  onLeft: () => Promise<void>;
  /** It goes on, perhaps under another id. */
  onChanged: (item: string) => Promise<void>;
}

interface Person {
  person: string | string[] | undefined;
  reason: string;
  withoutData: boolean;
}

export async function act(of: Acting, action: ActionName, body: Record<string, unknown> = {}): Promise<Schema['Done']> {
  // Each action has the path of the item and the argument `for`; those with no
  // body take an empty one.
  const path = `/v1/items/{item}/${action}` as '/v1/items/{item}/accept';
  return (await api.post(path, { path: { item: of.detail.item }, query: of.inPlaceOf === undefined ? {} : { for: of.inPlaceOf }, body }));
}

/** What they do is seen at the item. */
const SEEN = new Set<ActionName>(['accept', 'start', 'suspend', 'resume']);
const LEAVES = new Set<ActionName>(['deallocate', 'delegate', 'reallocate', 'skip', 'allocate', 'offer', 'reoffer', 'restart']);
const ASKS_PERSON = new Set<ActionName>(['delegate', 'reallocate', 'allocate', 'offer', 'reoffer', 'restart']);
const OPTIONAL_PERSON = new Set<ActionName>(['offer', 'reoffer']);
/** Those that stand as buttons beside the menu. */
const BUTTONS = new Set<ActionName>(['accept', 'start', 'complete', 'resume']);
const order: ActionName[] = ['suspend', 'deallocate', 'delegate', 'reallocate', 'skip', 'pile', 'unpile', 'chain', 'unchain', 'offer', 'allocate', 'reoffer', 'restart'];

export async function doAction(of: Acting, action: ActionName, body?: Record<string, unknown>): Promise<boolean> {
  let answer: Schema['Done'] | undefined;
  const done = await attempt(async () => { answer = await act(of, action, body); }, SEEN.has(action) ? undefined : t(`work.done.${action}`));
  if (!done) return false;
  if (LEAVES.has(action)) await of.onLeft();
  else await of.onChanged(answer?.item ?? of.detail.item);
  return true;
}

const withPerson = ({ person, reason, withoutData }: Person): Record<string, unknown> => ({
  ...(person === undefined ? {} : { to: person }),
  ...(reason === '' ? {} : { reason }),
  ...(withoutData ? { without_data: true } : {}),
});

async function skip(of: Acting): Promise<void> {
  const reason = await ask({ text: t('work.ask.skip'), verb: t('work.action.skip'), reason: 'optional' });
  if (reason !== undefined) await doAction(of, 'skip', reason === '' ? {} : { reason });
}

export function MoreActions({ of }: { of: Acting }) {
  const [asked, setAsked] = useState<ActionName>();
  const possible = order.filter((action) => of.detail.actions?.includes(action) && !BUTTONS.has(action));
  const entries: MenuEntry[] = possible.map((action) => ({
    label: t(`work.action.${action}`) + (ASKS_PERSON.has(action) ? '…' : ''),
    onDo: () => {
      if (ASKS_PERSON.has(action)) setAsked(action);
      else if (action === 'skip') void skip(of);
      else void doAction(of, action);
    },
  }));
  if (entries.length === 0) return null;
  return (
    <>
      <Menu label={t('common.more')} entries={entries} />
      {asked !== undefined && (
        <PersonDialog title={t(`work.ask.${asked as 'delegate'}`)} verb={t(`work.action.${asked}`)} except={of.detail.holder} optional={OPTIONAL_PERSON.has(asked)} withoutData={asked === 'reallocate'}
          onChoose={(person, reason, withoutData) => doAction(of, asked, withPerson({ person, reason, withoutData }))} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}
