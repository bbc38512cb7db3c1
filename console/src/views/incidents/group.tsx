// SPDX-License-Identifier: Apache-2.0
// The incidents of one cause: the reason in full, what can be done about all
// of them, the last one with its attempts, and all with their cases.
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { setQuery, to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action } from '../../ui/control';
import { Icon } from '../../ui/icons';
import { Await, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { Time } from '../../ui/time';
import { dropGroup, retryFirst, retryGroup } from './actions';
import { Calls } from './calls';
import type { Group } from './filter';
import { codeName } from '../shared/codes';
import { Place, type Grouped } from './groups';
import { IncidentTable, useIncidents } from './list';

const FEW = 10;

function Buttons({ group, then }: { group: Group; then: () => void }) {
  const not = group.retryable === 0 ? t(group.code.toLowerCase() === 'deadlock' ? 'case.incident.deadlock' : 'incidents.notRetryable') : undefined;
  return (
    <div class="row wrap">
      {may('operate') && (
        <>
          <Action primary icon="refresh" label={t('incidents.retryAll', { n: group.retryable })} refused={not} onDo={() => retryGroup(group)} />
          {group.retryable > FEW && <Action label={t('incidents.retryFirst', { n: FEW })} onDo={() => retryFirst(group, then)} />}
        </>
      )}
      {group.service !== undefined && may('read') && <a class="button" href={to(['services', group.service])}>{t(may('administer') ? 'incidents.changeService' : 'incidents.showService')}</a>}
      {may('operate') && <Action danger label={t('incidents.dropAll')} onDo={() => dropGroup(group)} />}
    </div>
  );
}

/** The attempts of the incident that failed last: those of a deadlock are none. */
function LastCalls({ incident, at }: { incident: number; at: string }) {
  const last = useResource((signal) => api.get('/v1/incidents/{incident}', { path: { incident }, signal }), [incident, at]);
  return <Calls calls={last.data.value?.calls} />;
}

/** A group that is over is read no more: what was known of it says so. */
export function GroupView({ id, groups }: { id: string; groups: Resource<Grouped> }) {
  const found = groups.data.value?.groups.find((one) => one.group === id);
  // Beyond the list, or hidden by its filter.
  const alone = useResource(async (signal) => (await api.get('/v1/incidents/groups', { query: { group: id, limit: 1 }, signal })).groups[0] ?? null, [id, found === undefined]);
  const pages = useIncidents({ group: id }, 'open');
  // Of what is shown first, the pages are being read already.
  const known = useRef<string>();
  const now = found && `${found.count} ${found.last}`;
  useEffect(() => {
    if (known.current !== undefined) void pages.reload();
    known.current = now;
  }, [now]);
  const then = () => { void groups.reload(); void pages.reload(); };
  const group = found ?? alone.data.value;
  return (
    <>
      <button type="button" class="button plain only-narrow" onClick={() => setQuery({ group: undefined })}><Icon name="back" size={16} />{t('common.back')}</button>
      {group === undefined ? <Await of={alone}>{() => null}</Await> : group === null ? <Empty>{t('incidents.groupOver')}</Empty> : (
        <article aria-label={t('incidents.group')}>
          <header class="column group-head">
            <div class="row"><span class="group-figure num">{figure(group.count)}</span><h2 class="words">{codeName(group.code)}</h2></div>
            <div class="muted"><Place group={group} /></div>
            <Buttons group={group} then={then} />
          </header>
          <section class="panel">
            <h2>{t('incidents.reason')}</h2>
            <pre class="words" dir="auto">{group.text}</pre>
            <dl class="facts small">
              <dt>{t('incidents.firstTime')}</dt><dd><Time at={group.first} /></dd>
              <dt>{t('incidents.lastTime')}</dt><dd><Time at={group.last} /></dd>
              <dt>{t('incidents.example')}</dt>
              <dd><a href={to(['incidents', group.example])}>{t('incidents.number', { n: String(group.example) })}</a>{group.case !== undefined && <> · <a href={to(['cases', group.case])}>{t('incidents.caseOf')} <Name value={group.case} /></a></>}</dd>
            </dl>
          </section>
          <LastCalls incident={group.example} at={group.last} />
          <section class="panel">
            <h2>{t('incidents.ofGroup')}</h2>
            <IncidentTable name="incidents.group" pages={pages} status="open" place={false} />
          </section>
        </article>
      )}
    </>
  );
}
