// SPDX-License-Identifier: Apache-2.0
// The priority and the due time of an item, shown and changed.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useUrgency } from '../../form/urgency';
import { t } from '../../text/text';
import { CommandDialog } from '../../ui/command-dialog';
import { attempt } from '../../ui/message';
import type { Acting } from './actions';
import { Due } from './row';

export function Urgency({ of, mayChange }: { of: Acting; mayChange: boolean }) {
  const [open, setOpen] = useState(false);
  const { detail } = of;
  return (
    <>
      {detail.due !== undefined && <Due due={detail.due} />}
      {detail.priority !== undefined && <span class="muted num">{t('work.priorityOf', { n: detail.priority })}</span>}
      {mayChange && detail.priority !== undefined && <button type="button" class="link" onClick={() => setOpen(true)}>{t('work.changeUrgency')}</button>}
      {open && <UrgencyDialog of={of} onClose={() => setOpen(false)} />}
    </>
  );
}

function UrgencyDialog({ of, onClose }: { of: Acting; onClose: () => void }) {
  const { detail } = of;
  const { fields, body, valid } = useUrgency(detail);
  const save = async (): Promise<boolean> => {
    const done = Object.keys(body).length === 0 || (await attempt(() => api.patch('/v1/items/{item}', {
      path: { item: detail.item }, query: { for: of.inPlaceOf }, body,
    })));
    if (done) await of.onChanged(detail.item);
    return done;
  };
  return <CommandDialog title={t('work.urgency')} verb={t('common.save')} ready={valid} onDo={save} onClose={onClose}>{fields}</CommandDialog>;
}
