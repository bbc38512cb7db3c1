// SPDX-License-Identifier: Apache-2.0
// Changing the own password; all sessions of the account end by it.
import { useState } from 'preact/hooks';
import { api, Problem, session } from '../api/client';
import { t } from '../text/text';
import { Field } from '../ui/control';
import { Dialog, reasonOf } from '../ui/message';
import { isShort, PASSWORD_LEAST } from '../app/session';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [old, setOld] = useState('');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const fault = first !== '' && isShort(first) ? t('password.short', { n: PASSWORD_LEAST }) : second !== '' && first !== second ? t('password.differ') : undefined;

  async function submit(event: Event) {
    event.preventDefault();
    const name = session.value?.account;
    if (fault !== undefined || first !== second || name === undefined) return;
    try {
      await api.post('/v1/session/password', { body: { name, password: old, new_password: first } });
      session.value = null;
    } catch (error) {
      setRefusal(error instanceof Problem && error.status === 401 ? t('password.wrong') : reasonOf(error));
    }
  }

  const field = (id: string, label: string, value: string, set: (value: string) => void, autocomplete: string) => (
    <Field id={id} label={label}>
      <input id={id} type="password" required autocomplete={autocomplete} value={value} onInput={(event) => set(event.currentTarget.value)} />
    </Field>
  );
  return (
    <Dialog title={t('frame.password')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="password-form" class="button primary" disabled={fault !== undefined}>{t('common.change')}</button>
      </>
    }>
      <form id="password-form" class="column" onSubmit={(event) => void submit(event)}>
        {field('password-old', t('password.old'), old, setOld, 'current-password')}
        {field('password-new', t('password.new'), first, setFirst, 'new-password')}
        {field('password-again', t('password.again'), second, setSecond, 'new-password')}
        {(refusal ?? fault) !== undefined && <p class="error-text" role="alert">{refusal ?? fault}</p>}
        <p class="small muted">{t('password.ends')}</p>
      </form>
    </Dialog>
  );
}
