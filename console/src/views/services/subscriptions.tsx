// SPDX-License-Identifier: Apache-2.0
// Subscriptions: who is notified of which events, and whether it arrives.
import { useState } from 'preact/hooks';
import { useChanges } from '../../app/changes';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { nameOf } from '../../app/specifications';
import { useCrumbs } from '../../app/crumbs';
import { argument } from '../../app/router';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action, Menu, Secret, type MenuEntry } from '../../ui/control';
import { ask, attempt, Await, Dialog, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { eventNames, SubscriptionEditor, targetOf } from './subscription-editor';

type Subscription = Schema['Subscription'];

interface Changes { changed: () => void; edit: (one: Subscription) => void; show: (made: Subscription) => void }

function entries(one: Subscription, { changed, edit, show }: Changes): MenuEntry[] {
  const path = { subscription: one.name };
  const does = (command: () => Promise<unknown>, done?: string) => () => void attempt(command, done).then(changed);
  const pause = async () => {
    const reason = await ask({ text: t('subscriptions.pauseText', { name: one.name }), verb: t('services.pause'), reason: 'optional' });
    if (reason !== undefined) does(() => api.post('/v1/subscriptions/{subscription}/pause', { path, body: reason === '' ? {} : { reason } }))();
  };
  const secret = async () => {
    const sure = await ask({ text: t('subscriptions.secretText', { name: one.name }), verb: t('subscriptions.newSecret'), danger: true });
    if (sure !== undefined) await attempt(async () => show(await api.post('/v1/subscriptions/{subscription}/secret', { path })));
  };
  const remove = async () => {
    const sure = await ask({ text: t('subscriptions.removeText', { name: one.name, n: one.waiting }), verb: t('common.remove'), danger: true });
    if (sure !== undefined) does(() => api.delete('/v1/subscriptions/{subscription}', { path }))();
  };
  const stopped = one.state === 'paused' || one.state === 'stopped';
  return [
    ...(may('operate') ? [
      { label: t('subscriptions.test'), refused: stopped ? t('subscriptions.notWhilePaused') : undefined, onDo: does(() => api.post('/v1/subscriptions/{subscription}/test', { path }), t('subscriptions.tested')) },
      stopped
        ? { label: t('services.resume'), onDo: does(() => api.post('/v1/subscriptions/{subscription}/resume', { path, body: {} })) }
        : { label: t('services.pause'), onDo: () => void pause() },
    ] : []),
    ...(may('administer') ? [
      { label: t('common.change'), onDo: () => edit(one) },
      ...(one.url === undefined ? [] : [{ label: t('subscriptions.newSecret'), onDo: () => void secret() }]),
      { label: t('common.remove'), danger: true, onDo: () => void remove() },
    ] : []),
  ];
}

/** Why nothing arrives, and since when. */
function Trouble({ one }: { one: Subscription }) {
  const why = one.failing ?? one.stopped ?? one.paused;
  if (!why) return null;
  return <span class="small muted"> <Time at={why.since} />{why.reason !== undefined && <> · <Name value={why.reason} /></>}</span>;
}

function Row({ one, changes }: { one: Subscription; changes: Changes }) {
  const target = targetOf(one);
  return (
    <tr class={argument('name') === one.name ? 'current' : ''}>
      <td><Name value={one.name} /></td>
      <td>{t(`subscriptions.to.${target.kind}`)} <Name value={target.value} /></td>
      <td>{(one.events ?? eventNames).length === eventNames.length ? t('common.all') : one.events?.map((event) => t(`subscriptions.event.${event}`)).join(', ')}{one.specification !== undefined && <span class="muted"> · <Name value={nameOf(one.specification).process} /></span>}</td>
      <td><State value={one.state} /><Trouble one={one} /></td>
      <td class="right">{figure(one.waiting)}</td>
      <td class="right">{(may('operate') || may('administer')) && <Menu label={t('subscriptions.actions', { name: one.name })} icon="more" entries={entries(one, changes)} />}</td>
    </tr>
  );
}

/** A secret is shown once; so is what the server warns of. */
function Made({ made, onClose }: { made: Subscription; onClose: () => void }) {
  return (
    <Dialog title={t('subscriptions.made', { name: made.name })} onClose={onClose} foot={<button type="button" class="button primary" onClick={onClose}>{t('common.close')}</button>}>
      {made.warning !== undefined && <div class="notice late words">{made.warning}</div>}
      {made.secret !== undefined && <><p>{t('subscriptions.onlyOnce')}</p><Secret value={made.secret} /></>}
    </Dialog>
  );
}

export function Subscriptions() {
  useCrumbs({ label: t('frame.services'), href: '/services' }, { label: t('subscriptions.title') });
  const list = useResource((signal) => api.get('/v1/subscriptions', { signal }), []);
  const [editing, setEditing] = useState<Subscription | 'new'>();
  const [made, setMade] = useState<Subscription>();
  const changed = () => void list.reload();
  useChanges(changed);
  const show = (one: Subscription) => { setEditing(undefined); changed(); if (one.secret !== undefined || one.warning !== undefined) setMade(one); };
  return (
    <>
      <div class="row end list-tools">{may('administer') && <Action label={t('subscriptions.add')} icon="plus" onDo={() => setEditing('new')} />}</div>
      <Await of={list}>
        {({ subscriptions }) => subscriptions.length === 0 ? <Empty>{t('subscriptions.none')}</Empty> : (
          <div class="table-wrap" role="region" tabIndex={0} aria-label={t('subscriptions.title')}>
            <table class="list" aria-label={t('subscriptions.title')}>
              <thead><tr>
                <th scope="col">{t('common.name')}</th><th scope="col">{t('subscriptions.receiver')}</th><th scope="col">{t('subscriptions.events')}</th><th scope="col">{t('cases.state')}</th>
                <th scope="col" class="right">{t('services.waiting')}</th><th scope="col"><span class="sr-only">{t('incidents.actions')}</span></th>
              </tr></thead>
              <tbody>{subscriptions.map((one) => <Row key={one.name} one={one} changes={{ changed, edit: setEditing, show }} />)}</tbody>
            </table>
          </div>
        )}
      </Await>
      {editing !== undefined && <SubscriptionEditor {...(editing === 'new' ? {} : { subscription: editing })} onClose={() => setEditing(undefined)} onDone={show} />}
      {made && <Made made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}
