// SPDX-License-Identifier: Apache-2.0
// One version of a process: its picture, its verdict, its versions, its source.
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { readSpecifications, sharedBy, specifications } from '../../app/specifications';
import { useCrumbs } from '../../app/crumbs';
import { argument, go, setQuery, to } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { t } from '../../text/text';
import { Action, Tabs } from '../../ui/control';
import { Await } from '../../ui/message';
import { State } from '../../ui/state';
import { Check } from './check';
import { CaseCountLine } from './counts';
import { byLoading, countsOf, type Specification } from './figures';
import { HeatPicture } from './heat-picture';
import { Pausing } from './pausing';
import { SourceTab } from './source';
import { StartDialog } from './start';
import { Statistics } from './statistics';
import { Versions } from './versions';

const tabs = ['picture', 'check', 'versions', 'statistics', 'source'] as const;
type Tab = (typeof tabs)[number];

export function Process({ specification }: { specification: string }) {
  const detail = useResource((signal) => api.get('/v1/specifications/{specification}', { path: { specification }, signal }), [specification]);
  const data = detail.data.value;
  // Others may have loaded versions since the page was opened.
  useEffect(() => void readSpecifications(), []);
  useCrumbs({ label: t('frame.processes'), href: '/processes' }, data && { label: data.title ?? data.uri }, data && { label: data.version });
  return (
    <div class="view process-view">
      <Await of={detail}>{(there) => <There detail={there} reload={() => detail.reload()} />}</Await>
    </div>
  );
}

function There({ detail, reload }: { detail: Specification & { documentation?: string | undefined }; reload: () => Promise<void> }) {
  // The version is there before the list of all is known, or while it is read again.
  const others = specifications().filter((one) => sharedBy(one) === sharedBy(detail) && one.key !== detail.key);
  const versions = [detail, ...others].sort(byLoading);
  const counts = useResource((signal) => api.get('/v1/case-counts', { query: { specification: detail.key }, signal }).then(countsOf), [detail.key]).data.value;
  const wanted = argument('tab');
  const tab: Tab = tabs.find((one) => one === wanted) ?? 'picture';
  const starting = argument('start') !== undefined;
  const href = (one: Tab) => to(['processes', detail.key], { tab: one === 'picture' ? undefined : one });
  return (
    <>
      <div class="view-head">
        <div class="grow process-title">
          <h1 class="words" dir="auto" title={detail.title ?? detail.uri}>{detail.title ?? detail.uri}</h1>
          <div class="row wrap small">
            <label class="row"><span class="muted">{t('processes.version')}</span>
              <select value={detail.key} onChange={(event) => go(to(['processes', event.currentTarget.value], { tab: tab === 'picture' ? undefined : tab }))}>
                {versions.map((one) => <option key={one.key} value={one.key}>{one.version}</option>)}
              </select>
            </label>
            <span class="muted words" dir="auto">{detail.uri}</span>
            {detail.suspended && <span title={detail.suspended.reason}><State value="suspended" /></span>}
          </div>
          <CaseCountLine counts={counts} keys={[detail.key]} specification={detail.key} />
        </div>
        <div class="row wrap">
          {mayAnywhere('read') && <a class="button" href={to(['cases'], { specification: detail.key })}>{t('frame.cases')}</a>}
          {mayAnywhere('suspend') && <Pausing of={detail} reload={reload} />}
          {mayAnywhere('start') && <Action primary icon="play" label={t('processes.start')} refused={detail.suspended ? t('processes.startSuspended') : undefined} onDo={() => setQuery({ start: 1 }, 'push')} />}
        </div>
      </div>
      {detail.documentation !== undefined && detail.documentation !== '' && <p class="muted words process-words" dir="auto">{detail.documentation}</p>}
      <Tabs label={t('processes.parts')} current={tab} tabs={tabs.map((one) => ({ id: one, label: t(`processes.tab.${one}`), href: href(one), count: one === 'versions' && versions.length > 1 ? versions.length : undefined }))} />
      <div class="process-tab">
        {tab === 'picture' && <HeatPicture specification={detail.key} />}
        {tab === 'check' && <Check specification={detail.key} />}
        {tab === 'versions' && <Versions of={detail} versions={versions} reload={reload} />}
        {tab === 'statistics' && <Statistics specification={detail.key} />}
        {tab === 'source' && <SourceTab of={detail} />}
      </div>
      {starting && <StartDialog of={detail} onClose={() => setQuery({ start: undefined })} />}
    </>
  );
}
