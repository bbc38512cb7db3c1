// SPDX-License-Identifier: Apache-2.0
// Adding and changing a service.  A secret that is not typed stays what it is.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { Dialog } from '../../ui/message';
import { ChoiceField, NumberField, TextField, type Form, type Values } from './fields';
import { refusalOf, type Refusal } from './refusal';

type Service = Schema['Service'];
type Kind = Schema['ServiceFields']['kind'];

const kinds: Kind[] = ['push', 'pull', 'yawl', 'built-in', 'listener', 'codelet'];
const texts = ['uri', 'address', 'token_url', 'client', 'scope', 'documentation', 'delay', 'cap', 'timeout', 'secret'] as const;
const numbers = ['attempts', 'backoff', 'concurrency'] as const;
/** Which kinds are called over HTTP, at an address or with a secret. */
const called = new Set<string>(['push', 'yawl']);
const defaults: Values = { kind: 'push', attempts: '8', backoff: '2', concurrency: '16', delay: 'PT1S', cap: 'PT300S', timeout: 'PT30S', assignable: 'true' };

function valuesOf(service: Service | undefined): Values {
  if (!service) return defaults;
  const values: Values = { name: service.name, kind: service.kind, assignable: String(service.assignable ?? true) };
  for (const name of [...texts, ...numbers]) {
    const value = name === 'secret' ? undefined : service[name];
    if (value !== undefined) values[name] = String(value);
  }
  return values;
}

function bodyOf(values: Values): Schema['NewService'] {
  const body: Record<string, unknown> = { kind: values['kind'], assignable: values['assignable'] === 'true' };
  for (const name of texts) if ((values[name] ?? '') !== '') body[name] = values[name];
  for (const name of numbers) body[name] = Number(values[name]);
  return body as unknown as Schema['NewService'];
}

export function ServiceEditor({ service, onClose, onDone }: { service?: Service; onClose: () => void; onDone: (service: Service) => void }) {
  const [values, setValues] = useState<Values>(() => valuesOf(service));
  const [refusal, setRefusal] = useState<Refusal>();
  const form: Form = { id: 'service', values, refusal, set: (name, value) => setValues((before) => ({ ...before, [name]: value })) };
  const kind = values['kind']!;

  async function submit(event: Event) {
    event.preventDefault();
    try {
      onDone(await api.put('/v1/services/{service}', { path: { service: service?.name ?? (values['name'] ?? '').trim() }, body: bodyOf(values) }));
    } catch (error) {
      setRefusal(refusalOf(error, ['name', ...texts, ...numbers]));
    }
  }

  return (
    <Dialog wide title={t(service ? 'services.change' : 'services.add')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="service-form" class="button primary">{t('common.save')}</button>
      </>
    }>
      {refusal?.member === undefined && refusal && <div class="notice failed words" role="alert">{refusal.text}</div>}
      <form id="service-form" class="form-grid" onSubmit={(event) => void submit(event)}>
        {!service && <TextField form={form} name="name" label={t('common.name')} required />}
        <ChoiceField form={form} name="kind" label={t('services.kind')} options={kinds.map((one) => ({ value: one, label: t(`services.kind.${one}`) }))} hint={t(`services.about.${kind as Kind}`)} />
        <TextField form={form} name="uri" label={t('services.uri')} hint={t('services.uriHint')} required mono most={1000} />
        {(kind === 'push' || kind === 'built-in') && <TextField form={form} name="address" label={t('services.address')} hint={t('services.addressHint')} mono most={1000} />}
        <TextField form={form} name="documentation" label={t('services.documentation')} />
        {(called.has(kind) || kind === 'built-in') && <TextField form={form} name="secret" label={t('services.secret')} type="password" hint={t(service?.has_secret ? 'services.secretKept' : kind === 'yawl' ? 'services.secretYawl' : 'services.secretHint')} />}
        {kind === 'built-in' && (
          <>
            <TextField form={form} name="token_url" label={t('services.tokenUrl')} hint={t('services.tokenUrlHint')} mono />
            <TextField form={form} name="client" label={t('services.client')} />
            <TextField form={form} name="scope" label={t('services.scope')} />
          </>
        )}
        <ChoiceField form={form} name="assignable" label={t('services.assignable')} options={[{ value: 'true', label: t('common.yes') }, { value: 'false', label: t('common.no') }]} />
        <NumberField form={form} name="attempts" label={t('services.attempts')} least={1} most={1000} hint={t('services.attemptsHint')} />
        <TextField form={form} name="delay" label={t('services.delay')} hint={t('services.durationHint')} mono required />
        <NumberField form={form} name="backoff" label={t('services.backoff')} least={1} most={10} />
        <TextField form={form} name="cap" label={t('services.cap')} hint={t('services.durationHint')} mono required />
        <TextField form={form} name="timeout" label={t(kind === 'pull' ? 'services.lease' : 'services.timeout')} hint={t('services.durationHint')} mono required />
        <NumberField form={form} name="concurrency" label={t('services.concurrency')} least={1} most={1000} />
      </form>
    </Dialog>
  );
}
