// SPDX-License-Identifier: Apache-2.0
// The figures of a participant, who reads nothing of others.
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { t } from '../../text/text';
import { Await } from '../../ui/message';
import { Tile } from './figures';

export function OwnOverview() {
  const counts = useResource((signal) => api.get('/v1/worklist/counts', { signal }), []);
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.overview')}</h1></div>
      <Await of={counts}>
        {({ mine, offered, late, at_least }) => (
          <section class="tiles" aria-label={t('overview.figures')}>
            <Tile label={t('overview.allocated')} of={{ count: mine.allocated, at_least }} href="/work?view=mine">{t('overview.notBegun')}</Tile>
            <Tile label={t('overview.begun')} of={{ count: mine.started, at_least }} href="/work?view=mine">{t('overview.inWork')}</Tile>
            <Tile label={t('overview.suspended')} of={{ count: mine.suspended, at_least }} href="/work?view=mine">{t('overview.untilResumed')}</Tile>
            <Tile label={t('overview.offered')} of={{ count: offered, at_least }} href="/work?view=offered">{t('overview.toAccept')}</Tile>
            <Tile label={t('overview.late')} of={{ count: late, at_least }} failed href="/work">{t('overview.pastDue')}</Tile>
          </section>
        )}
      </Await>
    </div>
  );
}
