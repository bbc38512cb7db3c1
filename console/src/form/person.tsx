// SPDX-License-Identifier: Apache-2.0
// Choosing a person: by words of the name, from all participants.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../api/client';
import { t } from '../text/text';
import { Combobox, type Option } from '../ui/combobox';
import { CommandDialog } from '../ui/command-dialog';
import { Field } from '../ui/control';
import { personName, userName } from '../ui/person-name';

const FOUND_MOST = 20;

const optionOf = (record: Schema['Record']): Option => {
  const user = userName(record) || record.id;
  const name = personName(record);
  return { value: user, label: name || user, detail: name === '' ? undefined : user };
};

export async function findPeople(words: string): Promise<Option[]> {
  const answer = await api.get('/v1/people', { query: { limit: FOUND_MOST, q: words } });
  return (answer.people ?? []).map(optionOf);
}

export function PersonField({ id, value, onChoose, except }: { id: string; value: Option | undefined; onChoose: (person: Option | undefined) => void; except?: string | undefined }) {
  return (
    <Combobox id={id} value={value?.value ?? ''} label={value ? `${value.label} (${value.value})` : ''} placeholder={t('form.person.find')}
      search={async (words) => (await findPeople(words)).filter((one) => one.value !== except)}
      onChoose={(_, person) => onChoose(person)} />
  );
}

/** What a command takes of a person who was chosen, with a reason perhaps. */
interface ToPerson {
  to?: string;
  reason?: string;
  without_data?: boolean;
}

/** Asks for a person, and perhaps a reason. */
export function PersonDialog({ title, verb, except, withoutData = false, optional = false, onDo, onClose }: {
  title: string; verb: string; except?: string | undefined;
  /** Offers to drop what was done. */
  withoutData?: boolean;
  /** Nobody may be chosen, too. */
  optional?: boolean;
  onDo: (body: ToPerson) => Promise<boolean>;
  onClose: () => void;
}) {
  const [person, setPerson] = useState<Option>();
  const [reason, setReason] = useState('');
  const [dropped, setDropped] = useState(false);
  const body: ToPerson = { ...(person && { to: person.value }), ...(reason.trim() !== '' && { reason: reason.trim() }), ...(dropped && { without_data: true }) };
  return (
    <CommandDialog title={title} verb={verb} ready={person !== undefined || optional} onDo={() => onDo(body)} onClose={onClose}>
      <Field id="person-chosen" label={t('form.person')} hint={optional ? t('form.person.rule') : undefined}>
        <PersonField id="person-chosen" value={person} onChoose={setPerson} except={except} />
      </Field>
      {withoutData && (
        <label class="row"><input type="checkbox" checked={dropped} onChange={(event) => setDropped(event.currentTarget.checked)} />{t('form.person.withoutData')}</label>
      )}
      <Field id="person-reason" label={t('common.reason')}>
        <input id="person-reason" maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </Field>
    </CommandDialog>
  );
}
