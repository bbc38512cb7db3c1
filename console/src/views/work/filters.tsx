// SPDX-License-Identifier: Apache-2.0
// Narrowing the list.
import { useResource } from '../../api/resource';
import { argument, setQuery } from '../../app/router';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Menu, Field } from '../../ui/control';
import { findPeople, PersonField } from '../../form/person';
import type { Option } from '../../ui/combobox';

const priorities = ['25', '50', '75', '90'];
const dues: [string, 'work.due.now' | 'work.due.day' | 'work.due.week'][] = [['PT0S', 'work.due.now'], ['P1D', 'work.due.day'], ['P7D', 'work.due.week']];

export function Filters() {
  const count = [argument('priority'), argument('due'), argument('person')].filter((one) => one !== undefined).length;
  return (
      <Menu label={count === 0 ? t('common.filter') : t('work.filtered', { n: count })}>
        <div class="column" style={{ padding: '4px 8px 8px', gap: '12px' }}>
          <Field id="work-priority" label={t('work.priority')}>
            <select id="work-priority" value={argument('priority') ?? ''} onChange={(event) => setQuery({ priority: event.currentTarget.value })}>
              <option value="">{t('work.any')}</option>
              {priorities.map((one) => <option key={one} value={one}>{t('work.priorityFrom', { n: Number(one) })}</option>)}
            </select>
          </Field>
          <Field id="work-due" label={t('work.dueTime')}>
            <select id="work-due" value={argument('due') ?? ''} onChange={(event) => setQuery({ due: event.currentTarget.value })}>
              <option value="">{t('work.any')}</option>
              {dues.map(([value, label]) => <option key={value} value={value}>{t(label)}</option>)}
            </select>
          </Field>
          {may('act') && <OfPerson />}
        </div>
        {(count > 0 || argument('q') !== undefined) && <button type="button" onClick={() => setQuery({ priority: undefined, due: undefined, person: undefined, q: undefined })}>{t('work.noFilter')}</button>}
      </Menu>
  );
}

/** The list of another participant, for who may act for others. */
function OfPerson() {
  const user = argument('person');
  const person = useResource(async () => (user === undefined ? undefined : (await findPeople(user)).find((one) => one.value === user)), [user]);
  const chosen: Option | undefined = person.data.value ?? (user === undefined ? undefined : { value: user, label: user });
  return (
    <Field id="work-person" label={t('work.listOf')}>
      <PersonField id="work-person" value={chosen} onChoose={(one) => setQuery({ person: one?.value, view: undefined })} />
    </Field>
  );
}
