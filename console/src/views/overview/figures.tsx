// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/client';
import { figure, t } from '../../text/text';
import { Sparkline } from '../../ui/chart';
import { Time } from '../../ui/time';

/** A figure with its name, its last day and a line of words; a link if it leads to what it counts. */
export function Tile({ label, of, href, failed = false, children }: {
  label: string; of: Schema['Figure']; href?: string; failed?: boolean; children?: ComponentChildren;
}) {
  const inside = (
    <>
      <span class="tile-label">{label}</span>
      <span class={`tile-figure num ${failed && of.count > 0 ? 'state-failed' : ''}`}>{of.at_least ? t('overview.atLeast', { n: of.count }) : figure(of.count)}</span>
      <span class="tile-words small muted">{children}</span>
      <span>{of.hours && <Sparkline values={of.hours} label={t('overview.lastDay', { label })} />}</span>
    </>
  );
  return href === undefined ? <div class="tile">{inside}</div> : <a class="tile" href={href}>{inside}</a>;
}

function ThisHour({ of }: { of: Schema['Figure'] }) {
  const last = of.hours?.[of.hours.length - 1];
  return last === undefined ? <>{t('overview.day')}</> : <>{t('overview.hour', { n: last })}</>;
}

export function Figures({ of }: { of: Schema['Overview'] }) {
  const { started, completed, running, waiting, late, incidents } = of.figures;
  return (
    <section class="tiles" aria-label={t('overview.figures')}>
      <Tile label={t('overview.started')} of={started} href="/cases?newer=P1D"><ThisHour of={started} /></Tile>
      <Tile label={t('overview.completed')} of={completed} href="/cases?status=completed&ended=P1D"><ThisHour of={completed} /></Tile>
      <Tile label={t('overview.running')} of={running} href="/cases?status=running">{t('overview.now')}</Tile>
      <Tile label={t('overview.waiting')} of={waiting}>{waiting.oldest !== undefined && <>{t('overview.oldest')} <Time at={waiting.oldest} /></>}</Tile>
      <Tile label={t('overview.late')} of={late} failed>{t('overview.pastDue')}</Tile>
      <Tile label={t('overview.incidents')} of={incidents} failed href="/incidents">{t('overview.openNow')}</Tile>
      {!of.complete && <p class="small muted tiles-note">{t('overview.incomplete')}</p>}
    </section>
  );
}
