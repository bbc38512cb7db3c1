// SPDX-License-Identifier: Apache-2.0
// What needs somebody: each row with its one action.
import type { ComponentChildren } from 'preact';
import { api, type Schema } from '../../api/client';
import { nameOf } from '../../app/specifications';
import { to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action } from '../../ui/control';
import { Icon } from '../../ui/icons';
import { attempt } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { StateMark } from '../../ui/state';
import { Time } from '../../ui/time';
import { retryGroup } from '../incidents/actions';
import { Place } from '../incidents/groups';
import { PausedBy } from '../shared/paused';

type Needs = Schema['Overview']['attention'];

function Part({ title, more, children }: { title: string; more?: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <div class="panel-head"><h2 class="grow">{title}</h2>{more !== undefined && <a href={more}>{t('common.all')}</a>}</div>
      <ul class="needs">{children}</ul>
    </section>
  );
}

function Need({ mark, href, name, detail, since, action }: { mark: string; href: string; name: ComponentChildren; detail?: ComponentChildren; since: ComponentChildren; action?: ComponentChildren }) {
  return (
    <li>
      <StateMark value={mark} />
      <span class="need-words">
        <a class="need-name" href={href}>{name}</a>
        {detail !== undefined && <span class="small muted need-detail">{detail}</span>}
      </span>
      <span class="small muted need-since">{since}</span>
      <span class="need-action">{action}</span>
    </li>
  );
}

function Items({ items, mark }: { items: Schema['Item'][]; mark: string }) {
  return (
    <>
      {items.map((item) => (
        <Need key={item.item} mark={mark} href={to(['cases', item.case])} name={<Name value={item.name ?? item.task} />}
          detail={<>{t('overview.inCase')} <Name value={item.case} /> · <Name value={nameOf(item.specification).process} />{item.holder !== undefined && <> · {t('overview.has')} <Name value={item.holder} /></>}</>}
          since={mark === 'late' ? <>{t('overview.due')} <Time at={item.due} /></> : <>{t('overview.since')} <Time at={item.enabled} /></>}
          action={<a class="button" href={to(['cases', item.case], { tab: 'items' })}>{t('overview.openItem')}</a>} />
      ))}
    </>
  );
}

function Groups({ groups }: { groups: Needs['incidents'] }) {
  return (
    <Part title={t('overview.incidents')} more="/incidents">
      {groups.map((group) => (
        <Need key={group.group} mark="failed" href={to(['incidents'], { group: group.group })}
          name={<><span class="strong num">{figure(group.count)}</span> <span dir="auto" title={group.reason}>{group.reason}</span></>}
          detail={<Place group={group} code />} since={<>{t('incidents.last')} <Time at={group.last} /></>}
          action={may('operate') && group.retryable > 0 ? <Action icon="refresh" label={t('incidents.retryAll', { n: group.retryable })} onDo={() => retryGroup(group)} /> : <a class="button" href={to(['incidents'], { group: group.group })}>{t('overview.open')}</a>} />
      ))}
    </Part>
  );
}

function Services({ of, then }: { of: Needs; then: () => void }) {
  const resume = (command: () => Promise<unknown>) => attempt(async () => { await command(); then(); });
  return (
    <Part title={t('frame.services')} more="/services">
      {of.failing_services.map((one) => (
        <Need key={`f${one.service}`} mark="failed" href={to(['services', one.service])} name={<Name value={one.service} />} detail={<><span class="state-failed">{t('overview.failing')}</span> <Name value={one.reason ?? ''} /></>}
          since={<>{t('overview.since')} <Time at={one.since} /></>} action={<a class="button" href={to(['services', one.service])}>{t('overview.open')}</a>} />
      ))}
      {of.paused_services.map((one) => (
        <Need key={`p${one.service}`} mark="paused" href={to(['services', one.service])} name={<Name value={one.service} />} detail={<>{t('overview.paused')}<PausedBy of={one} /></>}
          since={<>{t('overview.since')} <Time at={one.since} /></>}
          action={may('operate') && <Action icon="play" label={t('services.resume')} onDo={() => resume(() => api.post('/v1/services/{service}/resume', { path: { service: one.service } }))} />} />
      ))}
      {of.stopped_subscriptions.map((one) => (
        <Need key={`s${one.subscription}`} mark="stopped" href={to(['services'], { tab: 'subscriptions', name: one.subscription })} name={<Name value={one.subscription} />} detail={<>{t('overview.stopped')} <Name value={one.reason ?? ''} /></>}
          since={<>{t('overview.since')} <Time at={one.since} /></>}
          action={may('operate') && <Action icon="play" label={t('services.resume')} onDo={() => resume(() => api.post('/v1/subscriptions/{subscription}/resume', { path: { subscription: one.subscription } }))} />} />
      ))}
    </Part>
  );
}

export function Attention({ of, then }: { of: Needs; then: () => void }) {
  const services = of.failing_services.length + of.paused_services.length + of.stopped_subscriptions.length;
  // What only waits is no trouble: it is shown below what is.
  const calm = of.incidents.length + of.late.length + services === 0;
  return (
    <>
      {calm && <p class="notice done row"><Icon name="check" size={16} />{t('overview.calm')}</p>}
      {of.incidents.length > 0 && <Groups groups={of.incidents} />}
      {services > 0 && <Services of={of} then={then} />}
      {of.late.length > 0 && <Part title={t('overview.late')}><Items items={of.late} mark="late" /></Part>}
      {of.waiting.length > 0 && <Part title={t('overview.longest')}><Items items={of.waiting} mark="waiting" /></Part>}
    </>
  );
}
