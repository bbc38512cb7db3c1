// SPDX-License-Identifier: Apache-2.0
// How it goes, in six figures, and what needs somebody first.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useChanges } from '../../app/changes';
import { api, there } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Await } from '../../ui/message';
import { Time } from '../../ui/time';
import { showOpen } from '../incidents/count';
import { Attention } from './attention';
import { Figures } from './figures';
import { follow } from './follow';
import { OwnOverview } from './own';
import './overview.css';

export const OVERVIEW = '/v1/overview';

export function Overview() {
  useCrumbs({ label: t('frame.overview') });
  return may('read') ? <Whole /> : <OwnOverview />;
}

function Whole() {
  const answered = useRef(0);
  const overview = useResource((signal) => api.get(OVERVIEW, { signal, answered: (headers) => { answered.current = Date.parse(headers.get('Date') ?? ''); } }), [], () => there(OVERVIEW));
  const following = useMemo(() => follow(async () => {
    await overview.reload();
    const shown = overview.data.value;
    return overview.error.value || !shown ? undefined : { answered: answered.current, made: Date.parse(shown.at) };
  }), [overview]);
  useEffect(() => following.stop, [following]);
  useChanges(following.changed);
  const open = overview.data.value?.figures.incidents.count;
  useEffect(() => { if (open !== undefined) showOpen(open); }, [open]);
  return (
    <div class="view">
      <div class="view-head">
        <h1 class="grow">{t('frame.overview')}</h1>
        {overview.data.value && <span class="small muted">{t('overview.at')} <Time at={overview.data.value.at} as="clock" /></span>}
      </div>
      <Await of={overview} lines={10}>
        {(data) => (
          <>
            <Figures of={data} />
            <Attention of={data.attention} then={following.changed} />
          </>
        )}
      </Await>
    </div>
  );
}
