// SPDX-License-Identifier: Apache-2.0
// A witness played on the picture: step by step, forth and back.
//
//     at a step ──play──► the next, each 900 ms ──last──► stops
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../api/client';
import { argument, setQuery } from '../../app/router';
import { conditionName } from '../../picture/marks';
import { indexNet, nameOf, type Moves, type Net, type NetIndex, type Sizes, type TaskMark } from '../../picture/model';
import { movesOfWitness } from '../../picture/moves';
import { NetPicture } from '../../picture/picture';
import { t } from '../../text/text';
import { Icon, type IconName } from '../../ui/icons';

type WitnessStep = Schema['WitnessStep'];
const STEP_MS = 900;

/** A step in words: which task is done, and where a split goes. */
function stepWords(index: NetIndex, step: WitnessStep): string {
  if (step.fires === undefined) return t('processes.step.start');
  const element = index.elements.get(step.fires);
  const task = element ? nameOf(element) : step.fires;
  const exit = step.exit?.map((id) => conditionName(index, id)).join(', ');
  if (step.part === 'start') return t('processes.step.begins', { task });
  const ends = t(step.part === 'end' ? 'processes.step.ends' : 'processes.step.done', { task });
  return exit === undefined || exit === '' ? ends : `${ends}: ${exit}`;
}

/** What tasks do at a step: those that have started are busy. */
const marksOf = (step: WitnessStep | undefined): Record<string, TaskMark> =>
  Object.fromEntries((step?.busy ?? []).map((task) => [task, { state: 'busy' as const }]));

export function Witness({ net, sizes, steps, round, elements }: { net: Net; sizes: Sizes; steps: readonly WitnessStep[]; round: readonly WitnessStep[]; elements: readonly string[] }) {
  const index = useMemo(() => indexNet(net, sizes), [net, sizes]);
  const all = useMemo(() => [...steps, ...round], [steps, round]);
  const [playing, setPlaying] = useState(false);
  const last = all.length - 1;
  const asked = Number(argument('step') ?? 0);
  const at = Math.max(0, Math.min(last, Number.isInteger(asked) ? asked : 0));
  const [before, setBefore] = useState(at);
  const goTo = (step: number) => {
    setBefore(at);
    setQuery({ step: step === 0 ? undefined : step });
  };
  useEffect(() => {
    if (!playing) return;
    if (at >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => goTo(at + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [playing, at, last]);
  const found = useMemo(() => new Set(elements), [elements]);
  const step = all[at];
  const moves: Moves | undefined = step && before === at - 1 ? { key: `${net.id}.${at}`, groups: movesOfWitness(index, all[at - 1], step) } : undefined;
  const button = (icon: IconName, label: string, to: number, off: boolean) => (
    <button type="button" class="button icon" aria-label={label} title={label} disabled={off} onClick={() => { setPlaying(false); goTo(to); }}><Icon name={icon} size={16} /></button>
  );
  return (
    <>
      <div class="picture-room"><NetPicture net={net} sizes={sizes} tokens={step?.marking} tasks={marksOf(step)} highlight={found} moves={moves} /></div>
      {all.length > 0 && (
        <div class="player" role="group" aria-label={t('processes.witness')}>
          <div class="row">
            {button('first', t('processes.first'), 0, at === 0)}
            {button('back', t('processes.stepBack'), at - 1, at === 0)}
            <button type="button" class="button icon primary" aria-label={t(playing ? 'processes.pause' : 'processes.play')} title={t(playing ? 'processes.pause' : 'processes.play')}
              onClick={() => { if (!playing && at >= last) goTo(0); setPlaying(!playing); }}><Icon name={playing ? 'pause' : 'play'} size={16} /></button>
            {button('next', t('processes.stepForth'), at + 1, at >= last)}
            {button('last', t('processes.last'), last, at >= last)}
            <span class="num small muted">{t('processes.stepOf', { n: at, m: last })}</span>
          </div>
          <ol class="steps" aria-label={t('processes.steps')}>
            {all.map((one, i) => (
              <li key={i}>
                <button type="button" class={i > at ? 'muted' : ''} {...(i === at ? { 'aria-current': 'step' as const } : {})} onClick={() => { setPlaying(false); goTo(i); }}>
                  <span class="num muted">{i}</span> <span class="words" dir="auto">{stepWords(index, one)}</span>
                  {i === steps.length && round.length > 0 && <span class="small error-text">{t('processes.forEver')}</span>}
                </button>
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}
