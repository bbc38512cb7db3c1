// SPDX-License-Identifier: Apache-2.0
// Choosing a service, of those that are registered.
import { useState } from 'preact/hooks';
import { api } from '../api/client';
import { useResource } from '../api/resource';
import { t } from '../text/text';
import { Combobox } from '../ui/combobox';
import { CommandDialog } from '../ui/command-dialog';
import { Field } from '../ui/control';
import { Await } from '../ui/message';

function ServiceField({ id, value, onChoose }: { id: string; value: string; onChoose: (service: string) => void }) {
  const services = useResource((signal) => api.get('/v1/services', { signal }), []);
  return (
    <Await of={services} lines={1}>
      {(read) => (
        <Field label={t('item.service')} id={id}>
          <Combobox id={id} value={value} options={read.services.map((one) => ({ value: one.name, label: one.name }))} onChoose={onChoose} />
        </Field>
      )}
    </Await>
  );
}

/** Asks for the service that an item is redirected to. */
export function ServiceDialog({ title, verb, onDo, onClose }: { title: string; verb: string; onDo: (body: { service: string }) => Promise<boolean>; onClose: () => void }) {
  const [service, setService] = useState('');
  return (
    <CommandDialog title={title} verb={verb} ready={service !== ''} onDo={() => onDo({ service })} onClose={onClose}>
      <p>{t('item.redirect.warning')}</p>
      <ServiceField id="service-chosen" value={service} onChoose={setService} />
    </CommandDialog>
  );
}
