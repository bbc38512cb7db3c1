// SPDX-License-Identifier: Apache-2.0
// One service: how it does, what waits for it, who has its items, its settings.
import { useState } from 'preact/hooks';
import { useChanges } from '../../app/changes';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { go, to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt, Await } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { Attempt } from '../incidents/calls';
import { PausedBy } from '../shared/paused';
import { ServiceEditor } from './editor';
import { Leases, StatePanel, Workers } from './service-state';
import { stateOf } from './state';

type Service = Schema['Service'];
interface Test { passed: boolean; call: Schema['Call'] }

function TestCall({ of }: { of: Test }) {
  return (
    <section class="panel" role="status">
      <div class="panel-head"><h2 class="grow">{t('services.testCall')}</h2><State value={of.passed ? 'active' : 'failing'} label={t(of.passed ? 'services.passed' : 'services.notPassed')} /></div>
      <ul class="plain-list"><Attempt call={of.call} numbered={false} /></ul>
    </section>
  );
}

function Buttons({ service, changed, edit, tested }: { service: Service; changed: (service: Service) => void; edit: () => void; tested: (test: Test) => void }) {
  const path = { service: service.name };
  const pause = async () => {
    const reason = await ask({ text: t('services.pauseText', { name: service.name }), verb: t('services.pause'), reason: 'optional' });
    if (reason === undefined) return;
    await attempt(async () => changed(await api.post('/v1/services/{service}/pause', { path, body: reason === '' ? {} : { reason } })));
  };
  const remove = async () => {
    const sure = await ask({ text: t('services.removeText', { name: service.name }), verb: t('common.remove'), danger: true });
    if (sure === undefined) return;
    if (await attempt(() => api.delete('/v1/services/{service}', { path }))) go('/services');
  };
  return (
    <div class="row wrap">
      {may('operate') && <Action label={t('services.test')} refused={service.called ? undefined : t('services.notCalled')} onDo={() => attempt(async () => tested(await api.post('/v1/services/{service}/test', { path })))} />}
      {may('operate') && (service.paused
        ? <Action primary icon="play" label={t('services.resume')} onDo={() => attempt(async () => changed(await api.post('/v1/services/{service}/resume', { path, body: {} })))} />
        : <Action icon="pause" label={t('services.pause')} onDo={pause} />)}
      {may('administer') && <Action label={t('common.change')} onDo={edit} />}
      {may('administer') && <Action danger label={t('common.remove')} onDo={remove} />}
    </div>
  );
}

function Facts({ service }: { service: Service }) {
  const row = (label: string, value: string | number | undefined, mono = false) => value !== undefined && value !== '' && (
    <><dt>{label}</dt><dd class={mono ? 'mono' : ''}>{typeof value === 'number' ? figure(value) : <Name value={value} />}</dd></>
  );
  return (
    <dl class="facts">
      {row(t('services.kind'), t(`services.kind.${service.kind}`))}
      {row(t('services.uri'), service.uri, true)}
      {row(t('services.address'), service.address, true)}
      {row(t('services.documentation'), service.documentation)}
      {row(t('services.secret'), t(service.has_secret ? 'services.hasSecret' : 'services.noSecret'))}
      {row(t('services.tokenUrl'), service.token_url, true)}
      {row(t('services.client'), service.client)}
      {row(t('services.scope'), service.scope)}
      {row(t('services.attempts'), service.attempts)}
      {row(t('services.delay'), service.delay, true)}
      {row(t('services.backoff'), service.backoff)}
      {row(t('services.cap'), service.cap, true)}
      {row(t(service.kind === 'pull' ? 'services.lease' : 'services.timeout'), service.timeout, true)}
      {row(t('services.concurrency'), service.concurrency)}
      {row(t('services.assignable'), t(service.assignable === false ? 'common.no' : 'common.yes'))}
    </dl>
  );
}

export function ServiceView({ name }: { name: string }) {
  useCrumbs({ label: t('frame.services'), href: '/services' }, { label: name });
  const service = useResource((signal) => api.get('/v1/services/{service}', { path: { service: name }, signal }), [name]);
  const state = useResource((signal) => api.get('/v1/services/{service}/state', { path: { service: name }, signal }), [name]);
  const [editing, setEditing] = useState(false);
  const [test, setTest] = useState<Test>();
  useChanges(() => void state.reload());
  const changed = (next: Service) => { service.set(next); void state.reload(); };
  return (
    <div class="view">
      <Await of={service}>
        {(data) => {
          const word = stateOf(data, state.data.value?.state);
          return (
            <>
              <div class="view-head">
                <h1 class="words"><Name value={data.name} /></h1>
                <span class="grow"><State value={word} label={t(`services.state.${word}`)} /></span>
                <Buttons service={data} changed={changed} edit={() => setEditing(true)} tested={setTest} />
              </div>
              {data.paused && (
                <p class="notice late">{t('services.pausedSince')} <Time at={data.paused.since} /><PausedBy of={data.paused} /></p>
              )}
              {test && <TestCall of={test} />}
              <Await of={state} lines={3}>
                {(now) => (
                  <>
                    <StatePanel service={data} state={now.state} />
                    <Leases of={now} />
                    <Workers state={now.state} />
                  </>
                )}
              </Await>
              <section class="panel">
                <div class="panel-head"><h2 class="grow">{t('services.settings')}</h2><a href={to(['incidents'], { service: data.name })}>{t('services.incidents')}</a></div>
                <Facts service={data} />
              </section>
              {editing && <ServiceEditor service={data} onClose={() => setEditing(false)} onDone={(next) => { setEditing(false); changed(next); }} />}
            </>
          );
        }}
      </Await>
    </div>
  );
}
