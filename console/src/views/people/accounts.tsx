// SPDX-License-Identifier: Apache-2.0
// Accounts: who may sign in, and what each may do.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { go, to } from '../../app/router';
import { isShort, PASSWORD_LEAST } from '../../app/session';
import { t } from '../../text/text';
import { Action, Field, refusable } from '../../ui/control';
import { ask, attempt, Await, Dialog, reasonOf, say } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { State } from '../../ui/state';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { Grants } from './grants';
import { Tokens } from './tokens';

type Account = Schema['Account'];

/** identity/rights.def: each role has the rights of those before it. */
export const roles = ['participant', 'reader', 'worker', 'operator', 'admin'] as const;

/** Beside an account that is open, whose rights are there, is no room for those of all. */
const columns = (open: boolean): Column<Account>[] => [
  { id: 'name', label: t('common.name'), cell: (row) => <span class="strong" dir="auto">{row.name}</span> },
  { id: 'role', label: t('accounts.role'), cell: (row) => row.role || <span class="muted">{t('accounts.grants')}</span> },
  { id: 'grants', label: t('accounts.rights'), cell: (row) => <span title={row.grants.join(', ')}>{row.grants.join(', ')}</span>, extra: open },
  { id: 'state', label: t('cases.state'), cell: (row) => (row.disabled ? <State value="paused" label={t('accounts.disabled')} /> : <State value="active" />) },
  { id: 'tokens', label: t('accounts.tokens'), right: true, cell: (row) => row.tokens.length },
  { id: 'created', label: t('accounts.created'), cell: (row) => <Time at={row.created} />, extra: true },
];

export function Accounts({ name }: { name: string | undefined }) {
  const [adding, setAdding] = useState(false);
  useCrumbs({ label: t('frame.people'), href: '/people' }, { label: t('accounts.title'), href: '/people/accounts' }, name === undefined ? undefined : { label: name });
  const pages = usePages<Account>(async (after, signal) => {
    const answer = await api.get('/v1/accounts', { query: { limit: 100, after }, signal });
    return { rows: answer.accounts, next: answer.next };
  }, []);
  return (
    <div class={`split ${name === undefined ? '' : 'both'}`}>
      <div class="side">
        <div class="row end" style={{ marginBottom: '12px' }}><Action primary icon="plus" label={t('accounts.add')} onDo={() => setAdding(true)} /></div>
        <Table name={name === undefined ? 'accounts' : 'accounts.beside'} label={t('accounts.title')} pages={pages} columns={columns(name !== undefined)} keyOf={(row) => row.name} href={(row) => to(['people', 'accounts', row.name])} current={name} empty={t('people.none')} />
      </div>
      {name !== undefined && <div class="detail"><AccountView key={name} name={name} onChanged={() => void pages.reload()} /></div>}
      {adding && <AddAccount onClose={() => setAdding(false)} onDone={(account) => { setAdding(false); void pages.reload(); go(to(['people', 'accounts', account])); }} />}
    </div>
  );
}

function AddAccount({ onClose, onDone }: { onClose: () => void; onDone: (name: string) => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<string>('participant');
  const [grants, setGrants] = useState<string[]>([]);
  const [password, setPassword] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [short, setShort] = useState<string>();
  async function submit(event: Event) {
    event.preventDefault();
    if (password !== '' && isShort(password)) {
      setShort(t('password.short', { n: PASSWORD_LEAST }));
      document.getElementById('account-password')?.focus();
      return;
    }
    try {
      await api.post('/v1/accounts', { body: { name, ...(role === '' ? { grants } : { role }), ...(password === '' ? {} : { password }) } });
      onDone(name);
    } catch (error) {
      setRefusal(reasonOf(error));
    }
  }
  return (
    <Dialog title={t('accounts.add')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="account-form" class="button primary">{t('common.add')}</button>
      </>
    }>
      {refusal !== undefined && <div class="notice failed words" role="alert">{refusal}</div>}
      <form id="account-form" class="column" onSubmit={(event) => void submit(event)}>
        <Field id="account-name" label={t('common.name')} hint={t('people.userHint')}><input id="account-name" required autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
        <RoleField role={role} onChange={setRole} />
        {role === '' && <Grants id="account-grants" value={grants} onChange={setGrants} />}
        <Field id="account-password" label={t('signIn.password')} hint={t('accounts.passwordHint')} refusal={short}>
          <input {...refusable('account-password', short)} type="password" autocomplete="new-password" value={password} onInput={(event) => { setPassword(event.currentTarget.value); setShort(undefined); }} />
        </Field>
      </form>
    </Dialog>
  );
}

function RoleField({ role, onChange }: { role: string; onChange: (role: string) => void }) {
  return (
    <Field id="account-role" label={t('accounts.role')} hint={t(role === '' ? 'accounts.role.grants' : `accounts.role.${role as (typeof roles)[number]}`)}>
      <select id="account-role" value={role} onChange={(event) => onChange(event.currentTarget.value)}>
        {roles.map((one) => <option key={one} value={one}>{one}</option>)}
        <option value="">{t('accounts.grants')}</option>
      </select>
    </Field>
  );
}

function AccountView({ name, onChanged }: { name: string; onChanged: () => void }) {
  const path = { account: name };
  const account = useResource((signal) => api.get('/v1/accounts/{account}', { path, signal }), [name]);
  const [changing, setChanging] = useState<'rights' | 'password'>();
  const patch = (body: Record<string, unknown>) => attempt(async () => { account.set(await api.patch('/v1/accounts/{account}', { path, body })); onChanged(); });
  return (
    <div class="record">
      <Await of={account}>
        {(data) => (
          <>
            <div class="view-head">
              <h2 class="grow words" dir="auto">{data.name}</h2>
              <div class="row wrap">
                <Action label={t('accounts.changeRights')} onDo={() => setChanging('rights')} />
                <Action label={t('frame.password')} onDo={() => setChanging('password')} />
                <Action label={t(data.disabled ? 'accounts.enable' : 'accounts.disable')} onDo={() => patch({ disabled: !data.disabled })} />
                <Action label={t('accounts.endSessions')} onDo={() => attempt(async () => { const { ended } = await api.delete('/v1/accounts/{account}/sessions', { path }); say(t('accounts.ended', { n: ended })); })} />
                <Action label={t('common.remove')} danger onDo={async () => {
                  const said = await ask({ text: t('accounts.removeText', { name: data.name }), verb: t('common.remove'), danger: true });
                  if (said !== undefined && await attempt(() => api.delete('/v1/accounts/{account}', { path }), t('people.removed', { name: data.name }))) { onChanged(); go('/people/accounts'); }
                }} />
              </div>
            </div>
            <dl class="facts">
              <dt>{t('accounts.role')}</dt><dd>{data.role || t('accounts.grants')}</dd>
              <dt>{t('accounts.rights')}</dt><dd>{data.grants.map((one) => <div key={one} class="mono words">{one}</div>)}</dd>
              <dt>{t('signIn.password')}</dt><dd>{t(data.password ? 'common.yes' : 'common.no')}</dd>
              <dt>{t('cases.state')}</dt><dd>{data.disabled ? <State value="paused" label={t('accounts.disabled')} /> : <State value="active" />}</dd>
              <dt>{t('accounts.namespace')}</dt><dd class="num">{data.namespace}</dd>
              <dt>{t('accounts.created')}</dt><dd><Time at={data.created} as="exact" /></dd>
            </dl>
            <Tokens account={data.name} />
            {changing === 'rights' && <ChangeRights account={data} onClose={() => setChanging(undefined)} onDone={(body) => { setChanging(undefined); void patch(body); }} />}
            {changing === 'password' && <SetPassword has={data.password} onClose={() => setChanging(undefined)} onDone={(password) => { setChanging(undefined); void patch({ password }); }} />}
          </>
        )}
      </Await>
    </div>
  );
}

function ChangeRights({ account, onClose, onDone }: { account: Account; onClose: () => void; onDone: (body: Record<string, unknown>) => void }) {
  const [role, setRole] = useState<string>(account.role);
  const [grants, setGrants] = useState<string[]>(account.grants);
  return (
    <Dialog title={t('accounts.changeRights')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" onClick={() => onDone(role === '' ? { grants } : { role })}>{t('common.save')}</button>
      </>
    }>
      <RoleField role={role} onChange={setRole} />
      {role === '' && <Grants id="change-grants" value={grants} onChange={setGrants} />}
    </Dialog>
  );
}

function SetPassword({ has, onClose, onDone }: { has: boolean; onClose: () => void; onDone: (password: string | null) => void }) {
  const [password, setPassword] = useState('');
  return (
    <Dialog title={t('frame.password')} onClose={onClose} foot={
      <>
        {has && <button type="button" class="button danger" onClick={() => onDone(null)}>{t('accounts.noPassword')}</button>}
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={isShort(password)} onClick={() => onDone(password)}>{t('common.save')}</button>
      </>
    }>
      <Field id="set-password" label={t('password.new')} hint={t('password.short', { n: PASSWORD_LEAST })}><input id="set-password" type="password" autocomplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} /></Field>
      <p class="small muted">{t('password.ends')}</p>
    </Dialog>
  );
}
