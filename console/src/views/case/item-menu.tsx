// SPDX-License-Identifier: Apache-2.0
// The menu of a work item: all that its account may ever do with one, each
// with the reason when not now.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { mayAnywhere } from '../../app/session';
import { t } from '../../text/text';
import { Menu } from '../../ui/control';
import { ask, attempt, Await } from '../../ui/message';
import { Choices } from '../shared/choices';
import { notAllowed, type Permission } from './actions';
import type { Item } from './apply';
import { doItem, itemActions, type ItemAction } from './item-actions';
import { ItemDialog } from './item-dialog';
import type { CaseModel } from './model';

async function begin(item: Item, action: ItemAction, of: CaseModel, open: (action: ItemAction) => void): Promise<void> {
  if (action.needs !== 'nothing' && action.needs !== 'reason') { open(action); return; }
  let body = {};
  if (action.needs === 'reason' || action.warning) {
    const reason = await ask({
      text: t('item.ask', { verb: t(action.label), task: of.names.of(item.task) }),
      detail: action.warning ? t(action.warning) : undefined,
      verb: t(action.label), danger: action.danger ?? false,
      ...(action.needs === 'reason' ? { reason: 'optional' as const } : {}),
    });
    if (reason === undefined) return;
    if (reason !== '') body = { reason };
  }
  await attempt(() => doItem(item, action, body), t('item.done', { verb: t(action.label), task: of.names.of(item.task) }));
  of.changed();
}

const permission = (known: object, action: ItemAction): Permission | undefined => (known as Record<string, Permission | undefined>)[action.id];

function Actions({ item, of, close, open }: { item: Item; of: CaseModel; close: () => void; open: (action: ItemAction) => void }) {
  const allowed = useResource((signal) => api.get('/v1/items/{item}/actions', { path: { item: item.item }, signal }), [item.item]);
  return (
    <Await of={allowed} lines={4}>
      {(known) => {
        const entries = itemActions
          .filter((action) => permission(known, action) !== undefined && permission(known, action)?.lacks === undefined)
          .map((action) => ({ label: t(action.label), danger: action.danger ?? false, refused: notAllowed(permission(known, action)), onDo: () => void begin(item, action, of, open) }));
        return <Choices close={close} entries={entries} />;
      }}
    </Await>
  );
}

export function ItemMenu({ item, of }: { item: Item; of: CaseModel }) {
  const [dialog, setDialog] = useState<ItemAction>();
  if (!(['participate', 'work', 'operate', 'cancel'] as const).some(mayAnywhere)) return null;
  return (
    <>
      <Menu label={t('item.actions', { task: of.names.of(item.task) })} icon="more">
        {(close) => <Actions item={item} of={of} close={close} open={setDialog} />}
      </Menu>
      {dialog && <ItemDialog item={item} action={dialog} of={of} onClose={() => setDialog(undefined)} />}
    </>
  );
}
