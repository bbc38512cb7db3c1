// SPDX-License-Identifier: Apache-2.0
// How a service does: what waits, calls and their failures, leases, workers.
import type { Schema } from '../../api/client';
import { to } from '../../app/router';
import { figure, t } from '../../text/text';
import { Id } from '../../ui/control';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { duration, Time } from '../../ui/time';

type ServiceState = Schema['ServiceState'];
type Node = NonNullable<ServiceState['node']>;

function Count({ label, of }: { label: string; of: Schema['CallCount'] }) {
  return (
    <>
      <dt>{label}</dt>
      <dd class="num">
        {t('services.calls', { n: of.done })}
        {of.failed > 0 && <>, <span class="state-failed">{t('services.failed', { n: of.failed })}</span></>}
        {of.mean !== undefined && <>, {t('services.each', { time: duration(of.mean) })}</>}
      </dd>
    </>
  );
}

/** Workers come and claim items: nobody calls them. */
function Given({ node }: { node: Node }) {
  return (
    <>
      <dt>{t('services.lastMinute')}</dt><dd class="num">{t('services.given', { n: node.minute.done })}</dd>
      <dt>{t('services.lastHour')}</dt><dd class="num">{t('services.given', { n: node.hour.done })}</dd>
    </>
  );
}

function Calls({ node }: { node: Node }) {
  return (
    <>
      <Count label={t('services.lastMinute')} of={node.minute} />
      <Count label={t('services.lastHour')} of={node.hour} />
      {node.last_done !== undefined && <><dt>{t('services.lastDone')}</dt><dd><Time at={node.last_done} /></dd></>}
      {node.last_failed !== undefined && <><dt>{t('services.lastFailed')}</dt><dd><Time at={node.last_failed} /></dd></>}
      <dt>{t('services.breaker')}</dt>
      <dd>
        <State value={node.breaker === 'closed' ? 'active' : 'failing'} label={t(`services.breaker.${node.breaker}`)} />
        {node.open_until !== undefined && <span class="muted"> {t('services.until')} <Time at={node.open_until} as="clock" /></span>}
      </dd>
    </>
  );
}

export function StatePanel({ service, state }: { service: Schema['Service']; state: ServiceState }) {
  const node = state.node;
  return (
    <section class="panel">
      {node?.failure !== undefined && node.failing_since !== undefined && (
        <div class="notice failed words"><span class="strong">{t('services.failingSince')} <Time at={node.failing_since} /></span><pre dir="auto">{node.failure}</pre></div>
      )}
      <dl class="facts state-facts">
        <dt>{t('services.waiting')}</dt>
        <dd class="num">{state.at_least ? t('overview.atLeast', { n: state.waiting }) : figure(state.waiting)}{state.oldest !== undefined && <>, {t('overview.oldest')} <Time at={state.oldest} /></>}</dd>
        {service.kind === 'pull'
          ? <><dt>{t('services.leased')}</dt><dd class="num">{figure(state.leased ?? 0)}</dd></>
          : node && <><dt>{t('services.inFlight')}</dt><dd class="num">{figure(node.active)}</dd></>}
        {node && (service.kind === 'pull' ? <Given node={node} /> : <Calls node={node} />)}
      </dl>
      <p class="small muted">{t(node ? 'services.ofNode' : 'services.nothingSeen')}</p>
    </section>
  );
}

export function Leases({ of }: { of: { leases: { item: string; holder: string; until: string; attempt: number }[]; more_leases: boolean } }) {
  if (of.leases.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t('services.leases')}</h2>
      <div class="table-wrap" role="region" tabIndex={0} aria-label={t('services.leases')}>
        <table class="list" aria-label={t('services.leases')}>
          <thead><tr><th scope="col">{t('incidents.item')}</th><th scope="col">{t('services.worker')}</th><th scope="col">{t('services.leaseUntil')}</th><th scope="col" class="right">{t('incidents.attempts')}</th></tr></thead>
          <tbody>
            {of.leases.map((one) => (
              <tr key={one.item}>
                <td><Id value={one.item} href={to(['cases', one.item.split(/[.:]/)[0]!], { tab: 'items' })} /></td>
                <td><Name value={one.holder} /></td><td><Time at={one.until} as="clock" /></td><td class="right">{figure(one.attempt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {of.more_leases && <p class="small muted">{t('services.moreLeases')}</p>}
    </section>
  );
}

export function Workers({ state }: { state: ServiceState }) {
  const workers = state.node?.workers ?? [];
  if (workers.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t('services.workers')}</h2>
      <ul class="plain-list">
        {workers.map((one) => (
          <li key={one.account}><span class="strong"><Name value={one.account} /></span> <span class="muted">{t('services.given', { n: one.items })}, {t('services.seen')} <Time at={one.seen} /></span></li>
        ))}
      </ul>
    </section>
  );
}
