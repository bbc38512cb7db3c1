// SPDX-License-Identifier: Apache-2.0
// Choosing a service, of those that are registered.
import { api } from '../api/client';
import { useResource } from '../api/resource';
import { t } from '../text/text';
import { Combobox } from '../ui/combobox';
import { Field } from '../ui/control';
import { Await } from '../ui/message';

export function ServiceField({ id, value, onChoose }: { id: string; value: string; onChoose: (service: string) => void }) {
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
