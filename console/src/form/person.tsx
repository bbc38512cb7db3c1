// SPDX-License-Identifier: Apache-2.0
// Choosing a person: by words of the name, from all participants.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../api/client';
import { t } from '../text/text';
import { Combobox, type Option } from '../ui/combobox';
import { Dialog } from '../ui/message';
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
    <Combobox id={id} value={value?.value ?? ''} label={value ? `${value.label} (${value.value})` : ''} placeholder={t('work.person.find')}
      search={async (words) => (await findPeople(words)).filter((one) => one.value !== except)}
      onChoose={(_, person) => onChoose(person)} />
  );
}

/** Asks for a person, and perhaps a reason. */
export function PersonDialog({ title, verb, except, withoutData, optional, onChoose, onClose }: {
  title: string; verb: string; except?: string | undefined;
  /** Offers to drop what was done. */
  withoutData?: boolean;
  /** Nobody may be chosen, too. */
  optional?: boolean;
  onChoose: (person: string | undefined, reason: string, withoutData: boolean) => Promise<boolean>;
  onClose: () => void;
}) {
  const [person, setPerson] = useState<Option>();
  const [reason, setReason] = useState('');
  const [dropped, setDropped] = useState(false);
  const [busy, setBusy] = useState(false);
  const ready = !busy && (person !== undefined || optional === true);
  const submit = async () => {
    setBusy(true);
    const done = await onChoose(person?.value, reason.trim(), dropped);
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={!ready} onClick={() => void submit()}>{verb}</button>
      </>
    }>
      <div class="field">
        <label for="person-chosen">{t('work.person')}</label>
        <PersonField id="person-chosen" value={person} onChoose={setPerson} except={except} />
        {optional && <span class="small muted">{t('work.offer.rule')}</span>}
      </div>
      {withoutData && (
        <label class="row"><input type="checkbox" checked={dropped} onChange={(event) => setDropped(event.currentTarget.checked)} />{t('work.withoutData')}</label>
      )}
      <div class="field">
        <label for="person-reason">{t('common.reason')}</label>
        <input id="person-reason" maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </div>
    </Dialog>
  );
}
