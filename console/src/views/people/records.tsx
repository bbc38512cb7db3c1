// SPDX-License-Identifier: Apache-2.0
// The records of one kind: a list on the left, the chosen one on the right.
import { useRef, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { argument, go, to } from '../../app/router';
import { may } from '../../app/session';
import { useTyped } from '../../app/typed';
import { t } from '../../text/text';
import { Action, Id } from '../../ui/control';
import { ask, attempt, Await, say } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Table, type Column } from '../../ui/table';
import { called, kinds, naming, text, type Kind, type Member, type OrgRecord } from './kinds';
import { listRecords } from './link-picker';
import { Away } from '../shared/away';
import { RecordEditor } from './record-editor';

const withMembers: readonly Kind[] = ['roles', 'positions', 'groups', 'capabilities'];

/** A value of a record in words. */
function inWords({ word }: Member, value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  return word && Array.isArray(value) ? value.map((one) => t(word(text(one)))).join('; ') : text(value);
}

const columns = (kind: Kind): Column<OrgRecord>[] => [
  { id: 'name', label: t('common.name'), cell: (row) => <span class="strong" dir="auto">{kind === 'people' ? text(row['user']) : called(kind, row)}</span> },
  ...kinds[kind].members.filter((member) => member.name !== naming(kind)).map((member): Column<OrgRecord> => ({
    id: member.name, label: t(member.label), extra: member.listed !== true,
    cell: (row) => <span dir="auto" title={text(row[member.name])}>{inWords(member, row[member.name])}</span>,
  })),
];

export function Records({ kind, id }: { kind: Kind; id: string | undefined }) {
  const q = argument('q') ?? '';
  const [typed, setTyped] = useTyped('q');
  const [adding, setAdding] = useState(false);
  useCrumbs({ label: t('frame.people'), href: '/people' }, { label: t(kinds[kind].label), href: to(['people', kind]) }, id === undefined ? undefined : { label: id });
  const pages = usePages<OrgRecord>((after, signal) => listRecords(kind, { names: true, limit: 100, q, after }, signal), [kind, q]);
  return (
    <div class={`split ${id === undefined ? '' : 'both'}`}>
      <div class="side">
        <div class="row wrap" style={{ marginBottom: '12px' }}>
          <input type="search" class="grow" style={{ maxWidth: '360px' }} aria-label={t('common.search')} placeholder={t('common.search')} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          {may('organise') && <Action primary icon="plus" label={t('people.addOne', { kind: t(kinds[kind].one) })} onDo={() => setAdding(true)} />}
        </div>
        <Table name={`people.${kind}`} label={t(kinds[kind].label)} pages={pages} columns={columns(kind)} keyOf={(row) => row.id} href={(row) => to(['people', kind, row.id], { q })} current={id} empty={q === '' ? t('people.none') : t('people.noneSuch')} />
      </div>
      {id !== undefined && <div class="detail"><RecordView key={`${kind} ${id}`} kind={kind} id={id} onChanged={() => void pages.reload()} /></div>}
      {adding && <RecordEditor kind={kind} onClose={() => setAdding(false)} onDone={(record) => { setAdding(false); void pages.reload(); go(to(['people', kind, record.id])); }} />}
    </div>
  );
}

function RecordView({ kind, id, onChanged }: { kind: Kind; id: string; onChanged: () => void }) {
  const [editing, setEditing] = useState(false);
  const version = useRef<string>();
  const answered = (headers: Headers) => { version.current = headers.get('ETag') ?? undefined; };
  const record = useResource((signal) => api.get(`/v1/${kind}/{record}` as '/v1/roles/{record}', { path: { record: id }, query: { names: true }, signal, answered }), [kind, id]);
  return (
    <div class="record">
      <Await of={record}>
        {(data) => (
          <>
            <div class="view-head">
              <h2 class="grow words" dir="auto">{called(kind, data)}</h2>
              {may('organise') && (
                <div class="row">
                  <Action label={t('common.change')} onDo={() => setEditing(true)} />
                  <Action label={t('common.remove')} danger onDo={async () => {
                    const said = await ask({ text: t(kind === 'people' ? 'people.removePerson' : 'people.removeRecord', { name: called(kind, data) }), verb: t('common.remove'), danger: true });
                    if (said === undefined) return;
                    if (await attempt(() => api.delete(`/v1/${kind}/{record}` as '/v1/roles/{record}', { path: { record: id } }))) { say(t('people.removed', { name: called(kind, data) })); onChanged(); go(to(['people', kind])); }
                  }} />
                </div>
              )}
            </div>
            <dl class="facts">
              <dt>{t('people.id')}</dt><dd><Id value={data.id} copy /></dd>
              {kinds[kind].members.filter((member) => data[member.name] !== undefined && text(data[member.name]) !== '').map((member) => (
                <MemberRow key={member.name} member={member} value={data[member.name]} />
              ))}
            </dl>
            {kind === 'people' && <Away user={text(data['user'])} />}
            {withMembers.includes(kind) && <Members kind={kind as 'roles'} id={id} />}
            {editing && <RecordEditor kind={kind} record={data} version={version.current} onClose={() => { setEditing(false); void record.reload(); }} onDone={() => { setEditing(false); onChanged(); void record.reload(); }} />}
          </>
        )}
      </Await>
    </div>
  );
}

function MemberRow({ member, value }: { member: Member; value: unknown }) {
  return (
    <>
      <dt>{t(member.label)}</dt>
      <dd dir="auto">{member.type === 'object' ? <pre>{JSON.stringify(value, null, 2)}</pre> : inWords(member, value)}</dd>
    </>
  );
}

/** Who has a role, a position or a capability, or is in a group. */
function Members({ kind, id }: { kind: 'roles' | 'positions' | 'groups' | 'capabilities'; id: string }) {
  const pages = usePages<OrgRecord>(async (after, signal) => {
    const answer = await api.get(`/v1/${kind}/{record}/members`, { path: { record: id }, query: { limit: 100, after }, signal });
    return { rows: answer.people, next: answer.next };
  }, [kind, id]);
  return (
    <section class="panel">
      <h2>{t('people.members')}</h2>
      <Table name="people.members" label={t('people.members')} pages={pages} keyOf={(row) => row.id} href={(row) => to(['people', 'people', row.id])} empty={t('people.noMembers')} columns={[
        { id: 'user', label: t('people.user'), cell: (row) => <span class="mono" dir="auto">{text(row['user'])}</span> },
        { id: 'name', label: t('common.name'), cell: (row) => <span dir="auto">{called('people', row)}</span> },
      ]} />
    </section>
  );
}
