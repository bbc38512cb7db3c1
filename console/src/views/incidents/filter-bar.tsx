// SPDX-License-Identifier: Apache-2.0
import { argument, setQuery } from '../../app/router';
import { useTyped } from '../../app/typed';
import { t } from '../../text/text';
import { Field } from '../../ui/control';
import { ProcessSelect } from '../../ui/process-select';
import { codeName, codes } from '../shared/codes';
import { conditions } from './filter';

function Words({ name, label }: { name: 'text' | 'task' | 'service'; label: string }) {
  const [text, setText] = useTyped(name);
  return (
    <Field id={`incidents-${name}`} label={label}>
      <input id={`incidents-${name}`} type="search" dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </Field>
  );
}

export function FilterBar() {
  const specification = argument('specification');
  const code = argument('code');
  const more = (['code', 'task', 'service'] as const).some((name) => argument(name) !== undefined);
  const filtered = conditions.some((name) => argument(name) !== undefined);
  return (
    <section class="incident-filter" aria-label={t('common.filter')}>
      <Words name="text" label={t('incidents.words')} />
      <Field id="incidents-process" label={t('cases.process')}>
        <ProcessSelect id="incidents-process" value={specification ?? ''} first={[{ value: '', label: t('common.all') }]} onChoose={(chosen) => setQuery({ specification: chosen })} />
      </Field>
      <details open={more}>
        <summary class="muted">{t('cases.moreFilters')}</summary>
        <div>
          <Field id="incidents-code" label={t('incidents.kind')}>
            <select id="incidents-code" value={code?.toLowerCase() ?? ''} onChange={(event) => setQuery({ code: event.currentTarget.value })}>
              <option value="">{t('common.all')}</option>
              {[...codes, ...(code !== undefined && !codes.includes(code.toLowerCase()) ? [code.toLowerCase()] : [])].map((one) => <option key={one} value={one}>{codeName(one)}</option>)}
            </select>
          </Field>
          <Words name="task" label={t('incidents.task')} />
          <Words name="service" label={t('incidents.service')} />
        </div>
      </details>
      {filtered && <button type="button" class="button plain" onClick={() => setQuery(Object.fromEntries(conditions.map((name) => [name, undefined])))}>{t('cases.noFilter')}</button>}
    </section>
  );
}
