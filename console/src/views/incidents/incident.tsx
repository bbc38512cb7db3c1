// SPDX-License-Identifier: Apache-2.0
// One incident: what failed, where, how often, and what can be done.
import { useChanges } from '../../app/changes';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { nameOf } from '../../app/specifications';
import { useCrumbs } from '../../app/crumbs';
import { to } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action } from '../../ui/control';
import { Await } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { cancelCase, drop, retry } from './actions';
import { Calls } from './calls';
import { failedTask, type Incident } from './filter';
import { codeName } from '../shared/codes';

function Buttons({ incident, then }: { incident: Incident; then: () => void }) {
  const deadlock = incident.code.toLowerCase() === 'deadlock';
  const open = incident.status === 'open';
  if (!mayAnywhere('operate')) return null;
  return (
    <div class="row wrap">
      <Action primary icon="refresh" label={t('case.incident.retry')} refused={deadlock ? t('case.incident.deadlock') : undefined} onDo={() => retry(incident, then)} />
      {open && <Action label={t('case.incident.drop')} onDo={() => drop(incident, then)} />}
      {open && deadlock && <Action danger label={t('incidents.cancelCase')} onDo={() => cancelCase(incident, then)} />}
    </div>
  );
}

function Facts({ incident }: { incident: Incident }) {
  const name = incident.specification === undefined ? undefined : nameOf(incident.specification);
  const task = failedTask(incident);
  return (
    <dl class="facts">
      <dt>{t('cases.state')}</dt><dd><State value={incident.status} /></dd>
      {incident.case !== undefined && <><dt>{t('cases.case')}</dt><dd><a href={to(['cases', incident.case])}><Name value={incident.case} /></a></dd></>}
      {name && <><dt>{t('cases.process')}</dt><dd><Name value={name.process} /> <span class="muted">{name.version}</span></dd></>}
      {task !== undefined && <><dt>{t('incidents.task')}</dt><dd><Name value={task} /></dd></>}
      {incident.item !== undefined && <><dt>{t('incidents.item')}</dt><dd class="mono"><Name value={incident.item} /></dd></>}
      {incident.service !== undefined && <><dt>{t('incidents.service')}</dt><dd>{may('read') ? <a href={to(['services', incident.service])}><Name value={incident.service} /></a> : <Name value={incident.service} />}</dd></>}
      <dt>{t('incidents.attempts')}</dt><dd class="num">{figure(incident.attempts)}</dd>
      <dt>{t('incidents.firstTime')}</dt><dd><Time at={incident.first} /></dd>
      <dt>{t('incidents.lastTime')}</dt><dd><Time at={incident.last} /></dd>
      {incident.droppedAt !== undefined && <><dt>{t('incidents.droppedAt')}</dt><dd><Time at={incident.droppedAt} /></dd></>}
      {incident.droppedBy !== undefined && <><dt>{t('incidents.droppedBy')}</dt><dd><Name value={incident.droppedBy} /></dd></>}
      {incident.reason !== undefined && <><dt>{t('incidents.why')}</dt><dd dir="auto">{incident.reason}</dd></>}
    </dl>
  );
}

export function IncidentView({ id }: { id: number }) {
  useCrumbs({ label: t('frame.incidents'), href: '/incidents' }, { label: String(id) });
  const incident = useResource((signal) => api.get('/v1/incidents/{incident}', { path: { incident: id }, signal }), [id]);
  const again = () => void incident.reload();
  useChanges(again);
  return (
    <div class="view">
      <Await of={incident}>
        {(data) => (
          <>
            <div class="view-head">
              <h1 class="grow">{codeName(data.code)} <span class="muted num">{data.incident}</span></h1>
              <Buttons incident={data} then={again} />
            </div>
            <div class="notice failed"><pre class="words" dir="auto">{data.text}</pre></div>
            <section class="panel incident-facts"><Facts incident={data} /></section>
            <Calls calls={data.calls} />
            {data.group !== undefined && data.status === 'open' && <a href={to(['incidents'], { group: data.group })}>{t('incidents.sameCause')}</a>}
          </>
        )}
      </Await>
    </div>
  );
}
