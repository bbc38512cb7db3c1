// SPDX-License-Identifier: Apache-2.0
// Single rights: of the whole namespace, or on one process or service.
import { useState } from 'preact/hooks';
import { verbs, type Verb } from '../../app/session';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';

/** Grants as a list of texts such as "start process:Expense". */
export function Grants({ id, value, onChange }: { id: string; value: string[]; onChange: (value: string[]) => void }) {
  const [verb, setVerb] = useState<Verb>('read');
  const [object, setObject] = useState('');
  const add = () => {
    const grant = object.trim() === '' ? verb : `${verb} ${object.trim()}`;
    if (!value.includes(grant)) onChange([...value, grant]);
    setObject('');
  };
  return (
    <fieldset class="grants">
      <legend class="label">{t('accounts.rights')}</legend>
      <div class="row wrap">
        {value.length === 0 && <span class="muted">{t('common.none')}</span>}
        {value.map((one) => (
          <span key={one} class="chip"><span class="mono words">{one}</span>
            <button type="button" class="chip-remove" aria-label={`${t('common.remove')} ${one}`} onClick={() => onChange(value.filter((other) => other !== one))}><Icon name="close" size={12} /></button>
          </span>
        ))}
      </div>
      <div class="row">
        <select aria-label={t('accounts.verb')} class="short" value={verb} onChange={(event) => setVerb(event.currentTarget.value as Verb)}>
          {verbs.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
        <input id={id} aria-label={t('accounts.object')} placeholder="process:Order, service:mail" value={object} onInput={(event) => setObject(event.currentTarget.value)} />
        <button type="button" class="button" onClick={add}>{t('common.add')}</button>
      </div>
      <span class="small muted">{t(`verb.${verb}`)}</span>
    </fieldset>
  );
}
