// SPDX-License-Identifier: Apache-2.0
// Signing in, at whatever address: the page goes on there.
import { useState } from 'preact/hooks';
import { Problem, session } from '../../api/client';
import { chooseLanguageAtFirst } from '../../app/preferences';
import { signIn, ticketRefused } from '../../app/session';
import { language, languages, t, type Language } from '../../text/text';
import { Field } from '../../ui/control';
import { reasonOf } from '../../ui/message';

export function SignIn({ ended }: { ended: boolean }) {
  const [byToken, setByToken] = useState(false);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [refusal, setRefusal] = useState(ticketRefused.value ? t('signIn.ticket') : undefined);
  const [busy, setBusy] = useState(false);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setRefusal(undefined);
    try {
      session.value = await signIn(byToken ? { token: secret.trim() } : { name, password: secret });
    } catch (error) {
      const problem = Problem.of(error);
      setRefusal(
        problem.status === 429 ? t('signIn.throttled', { n: problem.retryAfter })
        : problem.status === 401 ? t(byToken ? 'signIn.wrongToken' : 'signIn.wrong')
        : reasonOf(problem),
      );
      setBusy(false);
    }
  }

  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <div class="sign-in-head">
          <span class="strong">Weft</span>
          <select aria-label={t('frame.language')} value={language.value} onChange={(event) => chooseLanguageAtFirst(event.currentTarget.value as Language)}>
            {languages.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
          </select>
        </div>
        <h1>{t('signIn.title')}</h1>
        {ended && <p class="muted">{t('signIn.ended')}</p>}
        {!byToken && (
          <Field id="sign-in-name" label={t('signIn.name')}>
            <input id="sign-in-name" name="username" autocomplete="username" required autofocus value={name} onInput={(e) => setName(e.currentTarget.value)} />
          </Field>
        )}
        <Field id="sign-in-secret" label={t(byToken ? 'signIn.token' : 'signIn.password')}>
          <input id="sign-in-secret" name="password" type="password" autocomplete={byToken ? 'off' : 'current-password'} required value={secret} onInput={(e) => setSecret(e.currentTarget.value)} {...(refusal === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'sign-in-refusal' })} />
        </Field>
        {refusal !== undefined && <p id="sign-in-refusal" class="error-text" role="alert">{refusal}</p>}
        <button type="submit" class="button primary" disabled={busy}>{t('signIn.submit')}</button>
        <button type="button" class="button plain" onClick={() => { setByToken(!byToken); setSecret(''); setRefusal(undefined); }}>
          {t(byToken ? 'signIn.withPassword' : 'signIn.withToken')}
        </button>
      </form>
    </main>
  );
}
