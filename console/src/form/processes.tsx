// SPDX-License-Identifier: Apache-2.0
// Processes by their URIs: chosen from those that the account may start or see,
// or typed, as one may work in others, too.  The server refuses unknown ones.
import { useState } from 'preact/hooks';
import { api } from '../api/client';
import { useResource } from '../api/resource';
import { specifications } from '../app/specifications';
import { t } from '../text/text';
import { Field } from '../ui/control';
import { Name } from '../ui/phrase';
import './form.css';

export function ProcessesField({ id, value, onChange }: { id: string; value: string[]; onChange: (processes: string[]) => void }) {
  const [typed, setTyped] = useState('');
  const startable = useResource((signal) => api.get('/v1/startable', { signal }), []);
  const add = (uri: string) => {
    setTyped('');
    if (uri !== '' && !value.includes(uri)) onChange([...value, uri]);
  };
  const known = [...(startable.data.value?.specifications ?? []), ...specifications()];
  const all = [...new Map(known.map((one) => [one.uri, one])).values()].filter((one) => !value.includes(one.uri));
  return (
    <div class="processes-field">
      {value.length > 0 && (
        <div class="row wrap">
          {value.map((uri) => <button key={uri} type="button" class="chip" title={t('common.remove')} onClick={() => onChange(value.filter((one) => one !== uri))}><Name value={uri} /> ×</button>)}
        </div>
      )}
      <Field id={id} label={t('form.processes')}>
        <div class="row">
          <input id={id} list={`${id}-known`} dir="auto" value={typed} maxLength={500} class="grow"
            onInput={(event) => { const text = event.currentTarget.value; if (all.some((one) => one.uri === text)) add(text); else setTyped(text); }}
            onKeyDown={(event) => { if (event.key === 'Enter') { event.preventDefault(); add(typed.trim()); } }} />
          <button type="button" class="button icon" aria-label={t('form.processes.add')} title={t('form.processes.add')} disabled={typed.trim() === ''} onClick={() => add(typed.trim())}>+</button>
        </div>
      </Field>
      <datalist id={`${id}-known`}>{all.map((one) => <option key={one.uri} value={one.uri} label={one.title ?? one.uri} />)}</datalist>
    </div>
  );
}
