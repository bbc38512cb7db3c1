// SPDX-License-Identifier: Apache-2.0
// The stream of all that happens, as it happens, in words.
import { useEffect, useRef, useState, type MutableRef } from 'preact/hooks';
import { openStream } from '../../api/stream';
import { useCrumbs } from '../../app/crumbs';
import { argument, setQuery, to } from '../../app/router';
import { may } from '../../app/session';
import { figure, t, tOr } from '../../text/text';
import { Action, Field, Id } from '../../ui/control';
import { Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { ProcessSelect } from '../../ui/process-select';
import { Time } from '../../ui/time';
import type { Step } from '../shared/step';
import { fits, headline, kinds, mainKind } from '../shared/events';
import { EventWords } from '../shared/words';
import { ProcessName } from '../../ui/process-name';
import { keep, newLog, rates, wait } from './log';
import { newNames, type ElementNames } from './names';
import './live.css';

const SECONDS = 60;

export function Live() {
  const specification = argument('specification');
  const kind = argument('kind');
  const [log, setLog] = useState(newLog());
  const [held, setHeld] = useState(false);
  const waiting = useRef(newLog());
  const counts = useRef(new Map<number, number>());
  const frame = useRef(0);
  const [names] = useState(() => newNames());
  const holds = useRef(false);
  useCrumbs({ label: t('frame.live') });

  // What came since the last frame is put into the page together.
  const show = () => {
    frame.current = 0;
    const come = waiting.current;
    waiting.current = newLog();
    setLog((before) => keep(before, come));
  };
  const showSoon = () => {
    if (!holds.current && frame.current === 0 && waiting.current.steps.length > 0) frame.current = requestAnimationFrame(show);
  };
  // Without a right to read all, the stream of all is refused.
  const refused = specification === undefined && !may('read');
  useEffect(() => {
    setLog(newLog());
    waiting.current = newLog();
    counts.current = new Map();
    if (refused) return;
    const query = specification === undefined ? '' : `?specification=${encodeURIComponent(specification)}`;
    const stream = openStream(`/v1/events${query}`, {
      step: (step) => {
        const at = Math.floor(Date.now() / 1000);
        counts.current.set(at, (counts.current.get(at) ?? 0) + 1);
        if (kind !== undefined && !fits(step, { kind })) return;
        wait(waiting.current, step);
        showSoon();
      },
    });
    return () => {
      stream.close();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [specification, kind, refused]);
  useEffect(() => {
    holds.current = held;
    showSoon();
  }, [held]);

  return (
    <div class="view">
      <div class="view-head">
        <h1 class="grow">{t('frame.live')}</h1>
        <Action icon={held ? 'play' : 'pause'} label={t(held ? 'live.continue' : 'live.hold')} onDo={() => setHeld(!held)} />
      </div>
      <div class="filter-row live-head">
        <Field id="live-process" label={t('cases.process')}>
          <ProcessSelect id="live-process" value={specification ?? ''} first={[{ value: '', label: t('common.all') }]} onChoose={(chosen) => setQuery({ specification: chosen })} />
        </Field>
        <Field id="live-kind" label={t('history.kind')}>
          <select id="live-kind" value={kind ?? ''} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
            <option value="">{t('history.allKinds')}</option>
            {kinds.map((one) => <option key={one} value={one}>{t(`history.kind.${one}`)}</option>)}
          </select>
        </Field>
        <Rate counts={counts} />
      </div>
      {log.missed > 0 && <p class="small muted num">{t('live.missed', { n: figure(log.missed) })}</p>}
      {held && <p class="notice late">{t('live.held')}</p>}
      {log.steps.length === 0 ? <Empty>{t(refused ? 'live.choose' : 'live.none')}</Empty> : (
        <ol class="live-steps">{log.steps.map((step) => <LiveStep key={step.id} step={step} names={names} />)}</ol>
      )}
    </div>
  );
}

/** Steps of each of the last seconds; drawn again each second, unlike the steps. */
function Rate({ counts }: { counts: MutableRef<Map<number, number>> }) {
  const [second, setSecond] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSecond(Math.floor(Date.now() / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  const perSecond = rates(counts.current, second, SECONDS);
  const most = Math.max(1, ...perSecond);
  return (
    <figure class="rate">
      <figcaption class="small muted">{t('live.rate', { n: perSecond[perSecond.length - 2] ?? 0 })}</figcaption>
      <svg viewBox={`0 0 ${SECONDS} 20`} width="240" height="32" preserveAspectRatio="none" aria-hidden="true">
        {perSecond.map((count, index) => <rect key={index} x={index} width="0.8" y={20 - (20 * count) / most} height={(20 * count) / most} />)}
      </svg>
    </figure>
  );
}

function LiveStep({ step, names }: { step: Step; names: ElementNames }) {
  const words = { names: { of: (id: string) => names.of(step.specification, id) } };
  const { said } = headline(step.events);
  return (
    <li>
      <span class={`case-step-mark case-tick-${mainKind(step.events)}`} aria-hidden="true" />
      <span class="live-time"><Time at={step.time} as="clock" /></span>
      <span class="live-case cut"><Id value={step.case} href={to(['cases', step.case], { step: step.sequence })} /> <ProcessName specification={step.specification} /></span>
      <span class="grow words">{said.map((event, index) => <span key={index}>{index > 0 && ' '}<EventWords event={event} of={words} /></span>)}</span>
      <span class="muted small">{step.actor === undefined ? tOr(`history.origin.${step.origin ?? ''}`, '') : <Name value={step.actor} />}</span>
    </li>
  );
}
