// SPDX-License-Identifier: Apache-2.0
// Filters that a person has saved under a name, and those that others share.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { newKey } from '../../api/key';
import { useResource } from '../../api/resource';
import { go, place } from '../../app/router';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Field, Menu, type MenuEntry } from '../../ui/control';
import { attempt, Dialog } from '../../ui/message';

type Saved = Schema['Filter'];

/** The saved filters of a list; `view` is the section whose address they are. */
export function SavedFilters({ view }: { view: string }) {
  const [naming, setNaming] = useState(false);
  const saved = useResource((signal) => api.get('/v1/filters', { query: { view }, signal }), [view]);
  const filters = saved.data.value?.filters ?? [];
  const query = place.value.query.toString();
  const current = filters.find((one) => one.query === query);
  const entry = (one: Saved): MenuEntry => ({
    label: one.own === true ? one.name : t('filters.of', { name: one.name, owner: one.owner ?? '' }),
    checked: one === current,
    onDo: () => go(`/${view}${typeof one.query === 'string' && one.query !== '' ? `?${one.query}` : ''}`),
  });
  return (
    <div class="row">
      <Menu
        label={current?.name ?? t('cases.savedFilters')}
        entries={[
          ...filters.map(entry),
          { label: t('cases.saveFilter'), onDo: () => setNaming(true), refused: query === '' ? t('cases.nothingToSave') : undefined },
          ...(current && (current.own === true || may('administer')) ? [{
            label: t('filters.remove', { name: current.name }), danger: true,
            onDo: () => void attempt(async () => { await api.delete('/v1/filters/{filter}', { path: { filter: current.filter } }); await saved.reload(); }),
          }] : []),
        ]}
      />
      {naming && <NameFilter view={view} query={query} onClose={() => setNaming(false)} onSaved={() => { setNaming(false); void saved.reload(); }} />}
    </div>
  );
}

function NameFilter({ view, query, onClose, onSaved }: { view: string; query: string; onClose: () => void; onSaved: () => void }) {
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = () => attempt(async () => {
    await api.put('/v1/filters/{filter}', { path: { filter: newKey() }, body: { view, name: name.trim(), query, shared } });
    onSaved();
  });
  return (
    <Dialog title={t('cases.saveFilter')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={name.trim() === ''} onClick={() => void save()}>{t('common.save')}</button>
      </>
    }>
      <Field id="filter-name" label={t('common.name')}><input id="filter-name" maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
      {may('operate') && <label class="row"><input type="checkbox" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />{t('filters.share')}</label>}
    </Dialog>
  );
}
