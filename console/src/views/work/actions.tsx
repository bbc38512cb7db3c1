// SPDX-License-Identifier: Apache-2.0
// What a person can do with an item: at once, or after a question.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { t } from '../../text/text';
import { Menu } from '../../ui/control';
import { ask, attempt, Await } from '../../ui/message';
import { PersonDialog } from '../../form/person';
import { ServiceDialog } from '../../form/service';
import { Choices } from '../shared/choices';

export type Detail = Schema['ItemDetail'];
type ActionName = NonNullable<Detail['actions']>[number] | 'redirect';

/** Whom one acts for, and what happens after an action. */
export interface Acting {
  detail: Detail;
  inPlaceOf: string | undefined;
  /** The item is the participant's no more: the next one is to be opened. */
  onLeft: () => Promise<void>;
  /** It goes on, perhaps under another id. */
  onChanged: (item: string) => Promise<void>;
}

async function act(of: Acting, action: ActionName, body: Record<string, unknown> = {}): Promise<Schema['Done']> {
  // Each action has the path of the item and the argument `for`; those with no
  // body take an empty one.
  const path = `/v1/items/{item}/${action}` as '/v1/items/{item}/accept';
  const query = { for: FOR_NOBODY.has(action) ? undefined : of.inPlaceOf };
  return (await api.post(path, { path: { item: of.detail.item }, query, body }));
}

/** What they do is seen at the item. */
const SEEN = ['accept', 'start', 'suspend', 'resume'] as const;
const isSeen = (action: ActionName): action is (typeof SEEN)[number] => (SEEN as readonly ActionName[]).includes(action);
/** Those of administrators, who do them in nobody's place. */
const FOR_NOBODY = new Set<ActionName>(['reoffer', 'restart', 'redirect']);
const LEAVES = new Set<ActionName>(['redirect', 'deallocate', 'delegate', 'reallocate', 'skip', 'allocate', 'offer', 'reoffer', 'restart']);
const ASKS_MORE = new Set<ActionName>(['redirect', 'delegate', 'reallocate', 'allocate', 'offer', 'reoffer', 'restart']);
const OPTIONAL_PERSON = new Set<ActionName>(['offer', 'reoffer']);
/** In the order of the menu; accept, start, complete and resume are buttons beside it. */
const order: ActionName[] = ['suspend', 'deallocate', 'delegate', 'reallocate', 'skip', 'pile', 'unpile', 'chain', 'unchain', 'offer', 'allocate', 'reoffer', 'restart', 'redirect'];

export async function doAction(of: Acting, action: ActionName, body?: Record<string, unknown>): Promise<boolean> {
  let answer: Schema['Done'] | undefined;
  const done = await attempt(async () => { answer = await act(of, action, body); }, isSeen(action) ? undefined : t(`work.done.${action}`));
  if (!done) return false;
  if (LEAVES.has(action)) await of.onLeft();
  else await of.onChanged(answer?.item ?? of.detail.item);
  return true;
}

async function skip(of: Acting): Promise<void> {
  const reason = await ask({ text: t('work.ask.skip'), verb: t('work.action.skip'), reason: 'optional' });
  if (reason !== undefined) await doAction(of, 'skip', reason === '' ? {} : { reason });
}

/** Asks for what an action needs first. */
function Asked({ of, action, onClose }: { of: Acting; action: ActionName; onClose: () => void }) {
  const title = t(`work.ask.${action as 'delegate'}`);
  const verb = t(`work.action.${action}`);
  const onDo = (body: Record<string, unknown>) => doAction(of, action, body);
  if (action === 'redirect') return <ServiceDialog title={title} verb={verb} onDo={onDo} onClose={onClose} />;
  return <PersonDialog title={title} verb={verb} except={of.detail.holder} optional={OPTIONAL_PERSON.has(action)} withoutData={action === 'reallocate'} onDo={(body) => onDo({ ...body })} onClose={onClose} />;
}

/** What the server says of each action, asked when the menu opens. */
function Actions({ of, close, open }: { of: Acting; close: () => void; open: (action: ActionName) => void }) {
  const { item } = of.detail;
  const allowed = useResource((signal) => api.get('/v1/items/{item}/actions', { path: { item }, query: { for: of.inPlaceOf }, signal }), [item, of.inPlaceOf]);
  const begin = (action: ActionName) => {
    if (ASKS_MORE.has(action)) open(action);
    else if (action === 'skip') void skip(of);
    else void doAction(of, action);
  };
  return (
    <Await of={allowed} lines={4}>
      {(known: Partial<Record<ActionName, Schema['Permission']>>) => (
        <Choices close={close} entries={order
          .filter((action) => known[action] !== undefined && known[action].lacks === undefined)
          .map((action) => ({
            label: t(`work.action.${action}`) + (ASKS_MORE.has(action) ? '…' : ''),
            refused: known[action]!.allowed ? undefined : (known[action]!.reason ?? ''),
            onDo: () => begin(action),
          }))} />
      )}
    </Await>
  );
}

export function MoreActions({ of }: { of: Acting }) {
  const [asked, setAsked] = useState<ActionName>();
  return (
    <>
      <Menu label={t('common.more')}>{(close) => <Actions of={of} close={close} open={setAsked} />}</Menu>
      {asked !== undefined && <Asked of={of} action={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
