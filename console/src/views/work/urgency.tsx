// SPDX-License-Identifier: Apache-2.0
// The priority and the due time of an item, shown and changed.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { instantOf, localOf } from '../../form/times';
import { t } from '../../text/text';
import { Field } from '../../ui/control';
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
  const before = detail.due === undefined ? '' : localOf(detail.due).slice(0, 16);
  const [priority, setPriority] = useState(String(detail.priority ?? ''));
  const [due, setDue] = useState(before);
  const number = Number(priority);
  const valid = priority !== '' && Number.isInteger(number) && number >= 0 && number <= 100;
  const save = async () => {
    const body = {
      ...(number === detail.priority ? {} : { priority: number }),
      ...(due === before ? {} : { due: due === '' ? null : instantOf(due, '') }),
    };
    const done = Object.keys(body).length === 0 || (await attempt(() => api.patch('/v1/items/{item}', {
      path: { item: detail.item }, query: of.inPlaceOf === undefined ? {} : { for: of.inPlaceOf }, body,
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
    }>
      <Field id="urgency-priority" label={t('work.priority')} hint={t('work.priorityHint')}>
        <input id="urgency-priority" type="number" min="0" max="100" step="1" value={priority} onInput={(event) => setPriority(event.currentTarget.value)} />
      </Field>
      <Field id="urgency-due" label={t('work.dueTime')} hint={t('work.dueHint')}>
        <input id="urgency-due" type="datetime-local" value={due} onInput={(event) => setDue(event.currentTarget.value)} />
      </Field>
    </Dialog>
  );
}
