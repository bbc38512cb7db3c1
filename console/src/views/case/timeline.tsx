// SPDX-License-Identifier: Apache-2.0
// The bar of time under the picture: a tick for each step, clusters when they
// are dense; the moment it stands at is in the address.
import { useEffect, useState } from 'preact/hooks';
import { reachable } from '../../api/client';
import { live } from '../../api/stream';
import { setQuery } from '../../app/router';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { exactly, Time } from '../../ui/time';
import { clusters, type CaseLog } from './case-log';
import type { Resource } from '../../api/resource';
import type { Moment } from './moment';
import { headline } from '../shared/events';
import { EventWords } from '../shared/words';
import type { CaseModel } from './model';

const MOST_TICKS = 160;
const SPEEDS = [1, 2, 5, 10];

/** Goes to a moment; the last step is the present. */
export function goToStep(step: number | undefined, last: number): void {
  setQuery({ step: step === undefined || step >= last ? undefined : Math.max(1, step) });
}

function Ticks({ of, log, at }: { of: CaseModel; log: CaseLog; at: number }) {
  const known = log.all.value;
  const groups = clusters(of.last, MOST_TICKS);
  return (
    <div class="case-ticks" aria-hidden="true">
      {groups.map(({ from, to }) => {
        const kind = known.get(to)?.kind ?? known.get(from)?.kind;
        const title = () => from === to ? t('case.time.tick', { n: from, time: known.has(from) ? exactly(Date.parse(known.get(from)!.time)) : '' }) : t('case.time.cluster', { from, to });
        return <span key={from} class={`case-tick ${kind ? `case-tick-${kind}` : ''} ${from <= at ? 'over' : ''}`} onPointerEnter={(event) => { event.currentTarget.title = title(); }} style={{ left: `${(100 * ((from + to) / 2 - 1)) / Math.max(1, of.last - 1)}%` }} onClick={() => goToStep(to, of.last)} />;
      })}
    </div>
  );
}

/** Whether what is shown is so now: not while no step would arrive. */
function Present() {
  if (reachable.value && live.value.lost === 0) return <span class="muted">{t('case.time.present')}</span>;
  return <span class="state-late">{t('case.time.unconnected')}</span>;
}

/** `drawn`: the picture is there, which comes first. */
export function Timeline({ of, log, moment, drawn }: { of: CaseModel; log: CaseLog; moment: Resource<Moment | undefined>; drawn: boolean }) {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(2);
  const at = of.step ?? of.last;
  const shown = moment.data.value;

  useEffect(() => { if (drawn) void log.near(at, of.last); }, [log, at, of.last, drawn]);
  const arrived = of.step === undefined || shown?.step.sequence === of.step;
  useEffect(() => {
    if (!playing) return;
    if (of.step === undefined) { setPlaying(false); return; }
    // A step that is still being read is waited for.
    if (!arrived && !moment.error.value) return;
    const timer = setTimeout(() => goToStep(at + 1, of.last), 1000 / speed);
    return () => clearTimeout(timer);
  }, [playing, speed, at, of.step, of.last, arrived, moment.error.value]);

  const play = () => {
    if (!playing && of.step === undefined) goToStep(1, of.last);
    setPlaying(!playing && of.last > 1);
  };
  const hold = (step: number | undefined) => { setPlaying(false); goToStep(step, of.last); };
  const main = shown && shown.step.sequence === of.step ? headline(shown.step.events).said.slice(0, 3) : [];
  const control = (icon: 'first' | 'back' | 'next' | 'last', label: string, off: boolean, to: number | undefined) => (
    <button type="button" class="button plain icon" aria-label={label} title={label} disabled={off} onClick={() => hold(to)}><Icon name={icon} size={16} /></button>
  );

  return (
    <section class={`case-timeline ${of.step === undefined ? '' : 'past'}`} aria-label={t('case.time')}>
      <div class="case-timeline-bar">
        {control('first', t('case.time.first'), at <= 1, 1)}
        {control('back', t('case.time.back'), at <= 1, at - 1)}
        <button type="button" class="button plain icon" aria-label={t(playing ? 'case.time.pause' : 'case.time.play')} title={t(playing ? 'case.time.pause' : 'case.time.play')} disabled={of.last < 2} onClick={play}>
          <Icon name={playing ? 'pause' : 'play'} size={16} />
        </button>
        {control('next', t('case.time.forth'), of.step === undefined, at + 1)}
        <div class="case-timeline-track">
          <Ticks of={of} log={log} at={at} />
          <input
            type="range" min={1} max={Math.max(1, of.last)} step={1} value={at} disabled={of.last < 2}
            aria-label={t('case.time')} aria-valuetext={t('case.time.at', { n: at, of: of.last })}
            onInput={(event) => hold(Number(event.currentTarget.value))}
          />
        </div>
        <select class="case-speed" aria-label={t('case.time.speed')} title={t('case.time.speed')} value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((one) => <option key={one} value={one}>{one}×</option>)}
        </select>
        <button type="button" class={`button ${of.step === undefined ? 'plain' : 'primary'}`} disabled={of.step === undefined} onClick={() => hold(undefined)}>{t('case.time.now')}</button>
      </div>
      <div class="case-timeline-words small" role="status">
        <span class="num strong">{t('case.time.at', { n: at, of: of.last })}</span>
        {shown && of.step !== undefined && <Time at={shown.step.time} as="clock" tone="muted" />}
        {of.step === undefined ? <Present /> : (
          <span class="cut grow">{main.map((event, index) => <span key={index}>{index > 0 && ' · '}<EventWords event={event} of={of} /></span>)}</span>
        )}
      </div>
    </section>
  );
}
