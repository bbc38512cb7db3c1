// SPDX-License-Identifier: Apache-2.0
// Filters that a person has saved under a name, and those that others share.
import { preference, setPreference } from '../../app/preferences';
import { go, place } from '../../app/router';
import { t } from '../../text/text';
import { useState } from 'preact/hooks';
import { Field, Menu } from '../../ui/control';
import { Dialog } from '../../ui/message';

type Saved = Record<string, string>;

export function SavedFilters({ view }: { view: string }) {
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const saved = preference<Saved>(`filters.${view}`, {});
  const query = place.value.query.toString();
  const save = () => {
    setPreference(`filters.${view}`, { ...saved, [name.trim()]: query });
    setNaming(false);
  };
  return (
    <div class="row end">
      <Menu
        label={t('cases.savedFilters')}
        entries={[
          ...Object.entries(saved).map(([label, to]) => ({ label, checked: to === query, onDo: () => go(`/${view}${to === '' ? '' : `?${to}`}`) })),
          { label: t('cases.saveFilter'), onDo: () => { setName(''); setNaming(true); }, refused: query === '' ? t('cases.nothingToSave') : undefined },
        ]}
      />
      {naming && (
        <Dialog title={t('cases.saveFilter')} onClose={() => setNaming(false)} foot={
          <>
            <button type="button" class="button" onClick={() => setNaming(false)}>{t('common.cancel')}</button>
            <button type="button" class="button primary" disabled={name.trim() === ''} onClick={save}>{t('common.save')}</button>
          </>
        }>
          <Field id="filter-name" label={t('common.name')}><input id="filter-name" maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
        </Dialog>
      )}
    </div>
  );
}
