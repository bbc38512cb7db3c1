// SPDX-License-Identifier: Apache-2.0
// The head of a case: what it is, how it stands, what may be done with it.
import { api } from '../../api/client';
import { go, to } from '../../app/router';
import { filterOf, processTitle } from '../../app/specifications';
import { t } from '../../text/text';
import { Action, Id, Menu, type MenuEntry } from '../../ui/control';
import { ask, attempt, say } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import type { CaseAction } from './actions';
import { setMode, type CaseModel } from './model';
import type { Pictures } from './names';

type Command = 'suspend' | 'resume' | 'cancel' | 'withdraw';

const done = { suspend: 'case.suspended', resume: 'case.resumed', cancel: 'case.cancelled', withdraw: 'case.cancelled' } as const;

async function command(of: CaseModel, name: Command, reason: string | undefined): Promise<void> {
  const body = reason === undefined || reason === '' ? {} : { reason };
  await attempt(() => api.post(`/v1/cases/{case}/${name}`, { path: { case: of.id }, body }), t(done[name]));
  of.changed();
}

async function suspend(of: CaseModel): Promise<void> {
  const suspended = await attempt(() => api.post('/v1/cases/{case}/suspend', { path: { case: of.id }, body: {} }));
  if (suspended) say(t('case.suspended'), () => void command(of, 'resume', undefined));
  of.changed();
}

async function cancel(of: CaseModel, name: 'cancel' | 'withdraw'): Promise<void> {
  const busy = (of.state.items ?? []).filter((item) => item.status === 'executing').length;
  const reason = await ask({
    text: t('case.cancel.text', { id: of.id }),
    detail: busy > 0 ? t('case.cancel.busy', { n: busy }) : t('case.cancel.idle'),
    verb: t('case.cancel.verb'), danger: true, reason: 'optional',
  });
  if (reason !== undefined) await command(of, name, reason);
}

async function erase(of: CaseModel): Promise<void> {
  const reason = await ask({ text: t('case.erase.text', { id: of.id }), detail: t('case.erase.detail'), verb: t('case.erase.verb'), danger: true, reason: 'required' });
  if (reason === undefined) return;
  if (await attempt(() => api.delete('/v1/cases/{case}', { path: { case: of.id }, query: { reason } }), t('case.erased'))) go('/cases');
}

/** Actions that are used often stand as buttons, the others in a menu. */
function Actions({ of }: { of: CaseModel }) {
  const refused = (action: CaseAction) => (of.step !== undefined ? t('case.notNow') : of.actions.refused(action));
  const shown = (action: CaseAction) => of.actions.shown(action);
  const entry = (action: CaseAction, label: string, onDo: () => void, danger = false): MenuEntry[] => (shown(action) ? [{ label, onDo, refused: refused(action), danger }] : []);
  const suspended = of.state.status === 'suspended';
  const entries = [
    ...entry('change_data', t('case.changeData'), () => setMode('data')),
    ...entry('repair', t('case.repair'), () => setMode('repair')),
    ...entry('migrate', t('case.migrate'), () => setMode('migrate')),
    ...entry('cancel', t('case.cancel.verb'), () => void cancel(of, 'cancel'), true),
    ...entry('erase', t('case.erase.verb'), () => void erase(of), true),
  ];
  return (
    <>
      {shown('suspend') && !suspended && <Action label={t('case.suspend')} icon="pause" refused={refused('suspend')} onDo={() => suspend(of)} />}
      {shown('resume') && suspended && <Action label={t('case.resume')} icon="play" primary refused={refused('resume')} onDo={() => command(of, 'resume', undefined)} />}
      {!shown('cancel') && of.actions.allowed('withdraw') && <Action label={t('case.withdraw')} danger refused={refused('withdraw')} onDo={() => cancel(of, 'withdraw')} />}
      {entries.length > 0 && <Menu label={t('case.actions')} entries={entries} />}
    </>
  );
}

export function CaseHead({ of, pictures }: { of: CaseModel; pictures: Pictures | undefined }) {
  const { state } = of;
  const title = state.title ?? t('case.untitled', { id: of.id });
  return (
    <header class="case-head">
      <div class="case-title">
        <h1 class="cut"><Name value={title} /></h1>
        <State value={state.status} />
        {state.set_aside && <span class="chip state-failed">{t('case.quarantined')}</span>}
      </div>
      <div class="case-facts small muted">
        <Id value={of.id} copy />
        {pictures && (
          <span class="cut">
            <a href={to(['processes', filterOf(state.specification)])}><Name value={processTitle(state.specification, pictures.uri)} /></a>
            {' › '}
            <a href={to(['processes', state.specification])}><Name value={pictures.version} /></a>
          </span>
        )}
        <span>{t('case.launched')} <Time at={state.launched} /></span>
        {state.owner !== undefined && <span class="cut">{t('case.owner')} <Name value={state.owner} /></span>}
        <span>{t('case.changedAt')} <Time at={state.changed} /></span>
      </div>
      <div class="case-actions row wrap"><Actions of={of} /></div>
    </header>
  );
}
