// SPDX-License-Identifier: Apache-2.0
// Tokens of an account.  The secret of a new one is shown once.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { session } from '../../api/client';
import { t } from '../../text/text';
import { Action, Field, refusable, Secret } from '../../ui/control';
import { ask, attempt, Await, complain, Dialog, reasonOf } from '../../ui/message';
import { Time } from '../../ui/time';
import { Grants } from './grants';

export function OwnTokens() {
  useCrumbs({ label: t('frame.people'), href: '/people' }, { label: t('accounts.ownTokens') });
  return <Tokens account={session.value?.account ?? ''} />;
}

export function Tokens({ account }: { account: string }) {
  const path = { account };
  const tokens = useResource((signal) => api.get('/v1/accounts/{account}/tokens', { path, signal }), [account]);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Schema['Token']>();
  return (
    <section class="panel">
      <div class="panel-head"><h2 class="grow">{t('accounts.tokens')}</h2><Action label={t('accounts.addToken')} icon="plus" onDo={() => setAdding(true)} /></div>
      <Await of={tokens} lines={2}>
        {(data) => (
          <ul class="entries">
            {data.tokens.length === 0 && <li class="muted">{t('accounts.noTokens')}</li>}
            {data.tokens.map((one) => (
              <li key={one.name} class="row wrap">
                <span class="grow words"><span class="strong">{one.name}</span> <span class="muted">{one.scope.join(', ') || t('accounts.allRights')}</span>{one.expires !== undefined && <> · {t('accounts.expires')} <Time at={one.expires} as="exact" /></>}</span>
                <Action label={t('accounts.revoke')} danger onDo={async () => {
                  const said = await ask({ text: t('accounts.revokeText', { name: one.name }), verb: t('accounts.revoke'), danger: true });
                  if (said !== undefined) await attempt(async () => { await api.delete('/v1/accounts/{account}/tokens/{token}', { path: { account, token: one.name } }); await tokens.reload(); });
                }} />
              </li>
            ))}
          </ul>
        )}
      </Await>
      {adding && <AddToken account={account} onClose={() => setAdding(false)} onDone={(token) => { setAdding(false); setMade(token); void tokens.reload(); }} />}
      {made && (
        <Dialog title={t('accounts.madeToken', { name: made.name })} onClose={() => setMade(undefined)} foot={<button type="button" class="button primary" onClick={() => setMade(undefined)}>{t('common.close')}</button>}>
          <p>{t('accounts.onlyOnce')}</p>
          <Secret value={made.token ?? ''} />
        </Dialog>
      )}
    </section>
  );
}

function AddToken({ account, onClose, onDone }: { account: string; onClose: () => void; onDone: (token: Schema['Token']) => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [limited, setLimited] = useState(false);
  const [scope, setScope] = useState<string[]>([]);
  const [refusal, setRefusal] = useState<string>();
  const add = () => attempt(async () => {
    onDone(await api.post('/v1/accounts/{account}/tokens', { path: { account }, body: { name: name.trim(), ...(limited ? { scope } : {}), ...(days === '' ? {} : { expires: `P${days}D` }) } }));
  }, undefined, (failure) => {
    // What is about the name quotes it.
    if (!reasonOf(failure).includes(`'${name.trim()}'`)) return complain(failure);
    setRefusal(reasonOf(failure));
    document.getElementById('token-name')?.focus();
  });
  return (
    <Dialog title={t('accounts.addToken')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={name.trim() === '' || (limited && scope.length === 0)} onClick={() => void add()}>{t('common.add')}</button>
      </>
    }>
      <Field id="token-name" label={t('common.name')} hint={t('accounts.tokenHint')} refusal={refusal}>
        <input {...refusable('token-name', refusal)} autocomplete="off" maxLength={64} value={name} onInput={(event) => { setName(event.currentTarget.value); setRefusal(undefined); }} />
      </Field>
      <Field id="token-days" label={t('accounts.expiresIn')}>
        <select id="token-days" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          {['1', '7', '30', '90', '365'].map((one) => <option key={one} value={one}>{t('cases.days', { n: Number(one) })}</option>)}
          <option value="">{t('accounts.never')}</option>
        </select>
      </Field>
      <label class="row"><input type="checkbox" checked={limited} onChange={(event) => setLimited(event.currentTarget.checked)} />{t('accounts.limit')}</label>
      {limited && <Grants id="token-scope" value={scope} onChange={setScope} />}
    </Dialog>
  );
}
