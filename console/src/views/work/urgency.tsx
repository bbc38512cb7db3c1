// SPDX-License-Identifier: Apache-2.0
// The priority and the due time of an item, shown and changed.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useUrgency } from '../../form/urgency';
import { t } from '../../text/text';
import { attempt, Dialog } from '../../ui/message';
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
  const save = async () => {
    const done = Object.keys(body).length === 0 || (await attempt(() => api.patch('/v1/items/{item}', {
      path: { item: detail.item }, query: { for: of.inPlaceOf }, body,
    })));
    if (!done) return;
    await of.onChanged(detail.item);
    onClose();
  };
  return (
    <Dialog title={t('work.urgency')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={!valid} onClick={() => void save()}>{t('common.save')}</button>
      </>
    }>{fields}</Dialog>
  );
}
