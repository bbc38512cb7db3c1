// SPDX-License-Identifier: Apache-2.0
// Adding and changing a subscription.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { specifications } from '../../app/specifications';
import { t } from '../../text/text';
import { Dialog } from '../../ui/message';
import { ChoiceField, TextField, type Form, type Values } from './fields';
import { refusalOf, type Refusal } from './refusal';

type Subscription = Schema['Subscription'];
type EventName = Schema['EventKind'];

export const eventNames: EventName[] = ['case_completed', 'case_cancelled', 'case_deadlocked', 'incident_opened', 'worker_lost'];
const targets = ['url', 'service', 'mail', 'participant'] as const;
type Target = (typeof targets)[number];

/** Where notifications go: exactly one of four. */
export function targetOf(one: Schema['SubscriptionFields']): { kind: Target; value: string } {
  const kind = targets.find((name) => one[name] !== undefined) ?? 'url';
  return { kind, value: one[kind] ?? '' };
}

export function SubscriptionEditor({ subscription, onClose, onDone }: { subscription?: Subscription; onClose: () => void; onDone: (made: Subscription) => void }) {
  const before = targetOf(subscription ?? {});
  const [values, setValues] = useState<Values>({
    name: subscription?.name ?? '', kind: before.kind, target: before.value, specification: subscription?.specification ?? '', window: subscription?.window ?? 'PT1S',
  });
  const [events, setEvents] = useState<EventName[]>(subscription?.events ?? eventNames);
  const [refusal, setRefusal] = useState<Refusal>();
  const kind = values['kind'] as Target;
  const form: Form = { id: 'subscription', values, refusal: refusal && refusal.member === kind ? { ...refusal, member: 'target' } : refusal, set: (name, value) => setValues((old) => ({ ...old, [name]: value })) };

  async function submit(event: Event) {
    event.preventDefault();
    const body: Schema['NewSubscription'] = {
      [kind]: values['target'], window: values['window'] ?? '',
      ...(events.length === eventNames.length ? {} : { events }), ...(values['specification'] === '' ? {} : { specification: values['specification']! }),
    };
    try {
      onDone(await api.put('/v1/subscriptions/{subscription}', { path: { subscription: subscription?.name ?? values['name']!.trim() }, body }));
    } catch (error) {
      setRefusal(refusalOf(error, ['name', 'window', 'specification', ...targets]));
    }
  }

  return (
    <Dialog wide title={t(subscription ? 'subscriptions.change' : 'subscriptions.add')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="subscription-form" class="button primary" disabled={events.length === 0}>{t('common.save')}</button>
      </>
    }>
      {refusal && refusal.member === undefined && <div class="notice failed words" role="alert">{refusal.text}</div>}
      <form id="subscription-form" class="form-grid" onSubmit={(event) => void submit(event)}>
        {!subscription && <TextField form={form} name="name" label={t('common.name')} required />}
        <ChoiceField form={form} name="kind" label={t('subscriptions.receiver')} options={targets.map((one) => ({ value: one, label: t(`subscriptions.to.${one}`) }))} />
        <TextField form={form} name="target" label={t(`subscriptions.to.${kind}`)} hint={t(`subscriptions.hint.${kind}`)} required most={1000} />
        <ChoiceField form={form} name="specification" label={t('cases.process')} options={[{ value: '', label: t('common.all') }, ...new Map(specifications().map((one) => [one.uri, { value: one.uri, label: one.title ?? one.uri }])).values()]} />
        <TextField form={form} name="window" label={t('subscriptions.window')} hint={t('subscriptions.windowHint')} mono required />
        <fieldset class="form-choices">
          <legend class="label">{t('subscriptions.events')}</legend>
          {eventNames.map((name) => (
            <label key={name} class="row">
              <input type="checkbox" checked={events.includes(name)} onChange={(event) => setEvents(event.currentTarget.checked ? eventNames.filter((one) => one === name || events.includes(one)) : events.filter((one) => one !== name))} />
              {t(`subscriptions.event.${name}`)}
            </label>
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}
