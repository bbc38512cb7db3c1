// SPDX-License-Identifier: Apache-2.0
// How it goes, in six figures, and what needs somebody first.
import { useEffect, useRef } from 'preact/hooks';
import { useChanges } from '../../api/changes';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Await } from '../../ui/message';
import { Time } from '../../ui/time';
import { showOpen } from '../incidents/count';
import { Attention } from './attention';
import { Figures } from './figures';
import { OwnOverview } from './own';
import './overview.css';

export function Overview() {
  useCrumbs({ label: t('frame.overview') });
  return may('read') ? <Whole /> : <OwnOverview />;
}

/** The server makes an overview again only after two seconds. */
const KEPT_MS = 2200;

function Whole() {
  const overview = useResource((signal) => api.get('/v1/overview', { signal }), []);
  // What is answered now may be from before the change: so it is read once more.
  const later = useRef<ReturnType<typeof setTimeout>>();
  const again = () => {
    void overview.reload();
    clearTimeout(later.current);
    later.current = setTimeout(() => void overview.reload(), KEPT_MS);
  };
  useEffect(() => () => clearTimeout(later.current), []);
  useChanges(again);
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
            <Attention of={data.attention} then={again} />
          </>
        )}
      </Await>
    </div>
  );
}
