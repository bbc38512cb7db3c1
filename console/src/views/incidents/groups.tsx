// SPDX-License-Identifier: Apache-2.0
// Open incidents by their cause, the largest group first.
import { useEffect } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { processTitle, titleOf } from '../../app/specifications';
import { place, to } from '../../app/router';
import { figure, t } from '../../text/text';
import { Await, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { StateMark } from '../../ui/state';
import { Time } from '../../ui/time';
import { codeName } from '../shared/codes';
import { showOpen } from './count';
import { conditions, type Filter, type Group } from './filter';

/** The causes beyond are few cases each: a filter finds them. */
const SHOWN = 200;

export interface Grouped { groups: Schema['IncidentGroup'][]; incidents: number; more: boolean; next?: string }

export function useGroups(filter: Filter): Resource<Grouped> {
  const groups = useResource<Grouped>((signal) => api.get('/v1/incidents/groups', { query: { ...filter, limit: SHOWN }, signal }), [JSON.stringify(filter)]);
  const open = groups.data.value?.incidents;
  const all = Object.keys(filter).length === 0;
  useEffect(() => { if (all && open !== undefined) showOpen(open); }, [open, all]);
  return groups;
}

/** Where the incidents of a group are: process, task, service. */
export function Place({ group, code = false }: { group: Group; code?: boolean }) {
  return (
    <span class="group-place">
      {code && <span>{codeName(group.code)}</span>}
      {group.process !== undefined && <span><Name value={group.specification === undefined ? titleOf(group.process) : processTitle(group.specification, group.process)} /></span>}
      {group.task !== undefined && <span><Name value={group.task} /></span>}
      {group.service !== undefined && <span><Name value={group.service} /></span>}
    </span>
  );
}

function Row({ group, current }: { group: Group; current: boolean }) {
  const query = Object.fromEntries(conditions.map((name) => [name, place.value.query.get(name)]));
  return (
    <li>
      <a class={`group-row ${current ? 'current' : ''}`} href={to(['incidents'], { ...query, group: group.group })} {...(current ? { 'aria-current': 'true' as const } : {})}>
        <span class="group-count num"><StateMark value="failed" />{figure(group.count)}</span>
        <span class="group-words">
          <span class="group-reason" dir="auto" title={group.reason}>{group.reason}</span>
          <span class="small muted"><Place group={group} code /></span>
          <span class="small muted">{t('incidents.since')} <Time at={group.first} /> · {t('incidents.last')} <Time at={group.last} /></span>
        </span>
      </a>
    </li>
  );
}

export function Groups({ of, current }: { of: Resource<Grouped>; current: string | undefined }) {
  const filtered = conditions.some((name) => place.value.query.get(name) !== null);
  return (
    <Await of={of}>
      {(data) => data.groups.length === 0 ? <Empty>{t(filtered ? 'incidents.noneSuch' : 'incidents.none')}</Empty> : (
        <>
          <p class="small muted num">
            {t('incidents.counted', { groups: data.groups.length, n: data.incidents })}
            {data.more && <> {t('incidents.moreNotCounted')}</>}
            {data.next !== undefined && <> {t('incidents.moreGroups')}</>}
          </p>
          <ul class="group-list">{data.groups.map((group) => <Row key={group.group} group={group} current={group.group === current} />)}</ul>
        </>
      )}
    </Await>
  );
}
