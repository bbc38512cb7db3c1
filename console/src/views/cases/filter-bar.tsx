// SPDX-License-Identifier: Apache-2.0
// The controls by which cases are found; all that they say is in the address.
import { useEffect, useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { processOf } from '../../app/specifications';
import { setQuery } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { useTyped } from '../../app/typed';
import { t } from '../../text/text';
import { Field } from '../../ui/control';
import { Icon } from '../../ui/icons';
import { ProcessSelect } from '../../ui/process-select';
import { codeName, codes } from '../shared/codes';
import { SavedFilters } from './saved-filters';
import { filterNames, type Filter } from '../shared/case-filter';

const states: Schema['CaseStatus'][] = ['running', 'suspended', 'deadlocked', 'completed', 'cancelled'];
const ages = ['PT1H', 'P1D', 'P7D', 'P30D', 'P90D'];

function Words() {
  const [text, setText] = useTyped('q');
  return <input id="filter-q" type="search" value={text} placeholder={t('cases.wordsHint')} onInput={(event) => setText(event.currentTarget.value)} />;
}

function Age({ name, label, value }: { name: 'older' | 'newer' | 'unchanged' | 'ended'; label: string; value: string | undefined }) {
  return (
    <Field id={`filter-${name}`} label={label}>
      <select id={`filter-${name}`} value={value ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{t('cases.anyTime')}</option>
        {[...ages, ...(value !== undefined && !ages.includes(value) ? [value] : [])].map((age) => <option key={age} value={age}>{ageName(age)}</option>)}
      </select>
    </Field>
  );
}

function ageName(age: string): string {
  const found = /^P(?:T(\d+)H|(\d+)D)$/.exec(age);
  if (!found) return age;
  return found[1] !== undefined ? t('cases.hours', { n: Number(found[1]) }) : t('cases.days', { n: Number(found[2]) });
}

function Where({ value }: { value: string | undefined }) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const indexes = useResource((signal) => api.get('/v1/indexes', { signal }), []);
  const ready = indexes.data.value?.indexes.filter((index) => index.state === 'ready') ?? [];
  const names = [...new Set(ready.map((index) => index.variable))];
  return (
    <form class="field grow" onSubmit={(event) => { event.preventDefault(); setQuery({ where: text.trim() }); }}>
      <label for="filter-where">{t('cases.where')}</label>
      <input id="filter-where" class="mono" value={text} placeholder={'amount > 100 and customer = "Miller"'} list="filter-variables" disabled={ready.length === 0} onInput={(event) => setText(event.currentTarget.value)} onBlur={() => setQuery({ where: text.trim() })} />
      <datalist id="filter-variables">{names.map((name) => <option key={name} value={name} />)}</datalist>
      <span class="small muted words">
        {ready.length > 0 ? t('cases.indexed', { names: names.join(', ') }) : t('cases.noIndex')}
      </span>
    </form>
  );
}

export function FilterBar({ filter, order }: { filter: Filter; order: 'oldest' | 'newest' }) {
  const chosen = processOf(filter.specification ?? '');
  const more = (['older', 'newer', 'unchanged', 'ended', 'where', 'version', 'set_aside'] as const).some((name) => filter[name] !== undefined);
  const status = new Set((filter.status ?? '').split(',').filter((one) => one !== ''));
  const toggle = (state: string) => {
    if (!status.delete(state)) status.add(state);
    setQuery({ status: [...status].join(',') });
  };
  return (
    <section class="filter" aria-label={t('common.filter')}>
      <div class="filter-row">
        <Field id="filter-q" label={t('cases.words')}><Words /></Field>
        {(mayAnywhere('read') || filter.specification !== undefined) && <Field id="filter-process" label={t('cases.process')}>
          <ProcessSelect id="filter-process" value={filter.specification ?? ''} first={[{ value: '', label: t('common.all') }]} onChoose={(specification) => setQuery({ specification, version: undefined })} />
        </Field>}
        <Field id="filter-incident" label={t('cases.incident')}>
          <select id="filter-incident" value={filter.incident ?? ''} onChange={(event) => setQuery({ incident: event.currentTarget.value })}>
            <option value="">{t('cases.withOrWithout')}</option>
            <option value="any">{t('cases.anyIncident')}</option>
            {codes.map((code) => <option key={code} value={code}>{codeName(code)}</option>)}
            {filter.incident !== undefined && !['any', ...codes].includes(filter.incident) && <option value={filter.incident}>{codeName(filter.incident)}</option>}
          </select>
        </Field>
        <Field id="filter-order" label={t('cases.order')}>
          <select id="filter-order" value={order} onChange={(event) => setQuery({ order: event.currentTarget.value === 'oldest' ? 'oldest' : undefined })}>
            <option value="newest">{t('cases.newest')}</option>
            <option value="oldest">{t('cases.oldest')}</option>
          </select>
        </Field>
        <SavedFilters view="cases" />
      </div>
      <div class="filter-row">
        <div class="row wrap" role="group" aria-label={t('cases.state')}>
          {states.map((state) => (
            <button key={state} type="button" class="chip toggle" aria-pressed={status.has(state)} onClick={() => toggle(state)}>{t(`state.${state}`)}</button>
          ))}
          {Object.keys(filter).length > 0 && (
            <button type="button" class="button plain" onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}><Icon name="close" size={14} />{t('cases.noFilter')}</button>
          )}
        </div>
      </div>
      <details open={more}>
        <summary class="muted">{t('cases.moreFilters')}</summary>
        <div class="filter-row">
          {chosen && (
            <Field id="filter-version" label={t('cases.version')}>
              <select id="filter-version" value={filter.version ?? ''} onChange={(event) => setQuery({ version: event.currentTarget.value })}>
                <option value="">{t('common.all')}</option>
                {chosen.versions.map((one) => <option key={one.key} value={one.version}>{one.version}</option>)}
              </select>
            </Field>
          )}
          <Age name="older" label={t('cases.olderThan')} value={filter.older} />
          <Age name="newer" label={t('cases.newerThan')} value={filter.newer} />
          <Age name="unchanged" label={t('cases.unchangedFor')} value={filter.unchanged} />
          <Age name="ended" label={t('cases.endedWithin')} value={filter.ended} />
          <Field id="filter-quarantine" label={t('cases.quarantine')}>
            <select id="filter-quarantine" value={filter.set_aside ?? ''} onChange={(event) => setQuery({ set_aside: event.currentTarget.value })}>
              <option value="">{t('common.all')}</option>
              <option value="true">{t('cases.onlyQuarantined')}</option>
            </select>
          </Field>
          {may('read') && <Where value={filter.where} />}
        </div>
      </details>
    </section>
  );
}
