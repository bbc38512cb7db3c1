// SPDX-License-Identifier: Apache-2.0
// Services that do items, and subscriptions to events.
//
//     /services   /services/NAME   /services?tab=subscriptions&name=NAME
import { useState } from 'preact/hooks';
import { useChanges } from '../../app/changes';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { argument, go, place, to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action, Tabs } from '../../ui/control';
import { Await, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { duration, Time } from '../../ui/time';
import { ServiceEditor } from './editor';
import { ServiceView } from './service';
import { stateOf } from './state';
import { Subscriptions } from './subscriptions';
import './services.css';

type Service = Schema['Service'];

export function Services() {
  const name = place.value.path[1];
  if (name !== undefined) return <ServiceView key={name} name={name} />;
  const tab = argument('tab') === 'subscriptions' ? 'subscriptions' : 'services';
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.services')}</h1></div>
      <Tabs label={t('services.views')} current={tab} tabs={[
        { id: 'services', label: t('frame.services'), href: '/services' },
        { id: 'subscriptions', label: t('subscriptions.title'), href: '/services?tab=subscriptions' },
      ]} />
      {tab === 'services' ? <ServiceList /> : <Subscriptions />}
    </div>
  );
}

function Row({ service }: { service: Service }) {
  const state = service.state;
  const href = to(['services', service.name]);
  return (
    <tr class="open" onClick={(event) => { if (!(event.target as Element).closest('a')) go(href); }}>
      <td class="service-name"><a href={href}><Name value={service.name} /></a></td>
      <td>{t(`services.kind.${service.kind}`)}</td>
      <td><State value={stateOf(service)} label={t(`services.state.${stateOf(service)}`)} /></td>
      <td class="right">{state ? (state.at_least ? t('overview.atLeast', { n: state.waiting }) : figure(state.waiting)) : ''}</td>
      <td><Time at={state?.oldest} /></td>
      <td class="right">{state ? figure((state.leased ?? 0) + (state.node?.active ?? 0)) : ''}</td>
      <td class="right">{state?.node ? figure(state.node.hour.done) : ''}</td>
      <td class="right">{service.kind === 'pull' || state?.node?.hour.mean === undefined ? '' : duration(state.node.hour.mean)}</td>
      <td><Name value={service.uri} /></td>
    </tr>
  );
}

function ServiceList() {
  useCrumbs({ label: t('frame.services') });
  const services = useResource((signal) => api.get('/v1/services', { query: { state: true }, signal }), []);
  const [adding, setAdding] = useState(false);
  useChanges(() => void services.reload());
  return (
    <>
      <div class="row end list-tools">{may('administer') && <Action label={t('services.add')} icon="plus" onDo={() => setAdding(true)} />}</div>
      <Await of={services}>
        {(data) => data.services.length === 0 ? <Empty>{t('services.none')}</Empty> : (
          <div class="table-wrap" role="region" tabIndex={0} aria-label={t('frame.services')}>
            <table class="list" aria-label={t('frame.services')}>
              <thead><tr>
                <th scope="col">{t('common.name')}</th><th scope="col">{t('services.kind')}</th><th scope="col">{t('cases.state')}</th>
                <th scope="col" class="right">{t('services.waiting')}</th><th scope="col">{t('services.oldest')}</th><th scope="col" class="right">{t('services.inFlight')}</th>
                <th scope="col" class="right" title={t('services.ofNode')}>{t('services.lastHour')}</th><th scope="col" class="right" title={t('services.ofNode')}>{t('services.mean')}</th><th scope="col">{t('services.uri')}</th>
              </tr></thead>
              <tbody>{data.services.map((service) => <Row key={service.name} service={service} />)}</tbody>
            </table>
          </div>
        )}
      </Await>
      {adding && <ServiceEditor onClose={() => setAdding(false)} onDone={(service) => { setAdding(false); go(to(['services', service.name])); }} />}
    </>
  );
}
