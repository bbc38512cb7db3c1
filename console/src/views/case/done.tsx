// SPDX-License-Identifier: Apache-2.0
// How often a task was done in the case, and when and by whom last.  Steps are
// counted back from the moment that is shown, as far as it was asked for.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useResource } from '../../api/resource';
import { t } from '../../text/text';
import { Name, Phrase } from '../../ui/phrase';
import { Time } from '../../ui/time';
import { readRange } from '../shared/steps-back';
import type { Step } from '../shared/step';
import { doingsOf, type CaseLog, type Doings } from './case-log';
import type { CaseModel } from './model';
import { goToStep } from './timeline';
import { Origin } from '../shared/words';

/** Steps that are counted at first, and with each further request. */
const COUNTED = 1000;
const STREAM_MS = 500;

/** Who completed an item of the task in a step; of several the last one. */
function doerOf(step: Step, task: string): string | undefined {
  return step.events.filter((event) => event.event === 'ITEM_DONE_BY' && event.task === task).at(-1)?.participant;
}

function LastTime({ of, task, sequence }: { of: CaseModel; task: string; sequence: number }) {
  const last = useResource(async (signal) => (await readRange(of.id, sequence - 1, sequence, signal, true))[0], [of.id, sequence]);
  const step = last.data.value;
  if (!step) return null;
  const doer = doerOf(step, task) ?? step.actor;
  const time = <Time at={step.time} />;
  return (
    <span class="row wrap">
      {doer === undefined ? <><span><Phrase of="case.done.last" parts={{ time }} /></span><Origin step={step} /></> : <span><Phrase of="case.done.by" parts={{ time, who: <Name value={doer} /> }} /></span>}
      <button type="button" class="link num" aria-label={t('history.show', { n: sequence })} onClick={() => goToStep(sequence, of.last)}>{t('history.step', { n: sequence })}</button>
    </span>
  );
}

export function Done({ of, log, task }: { of: CaseModel; log: CaseLog; task: string }) {
  const at = of.step ?? of.last;
  const [steps, setSteps] = useState(COUNTED);
  const [reading, setReading] = useState(true);
  const known = log.all.value.has(at);
  useEffect(() => {
    let over = false;
    setReading(true);
    void log.back(at, of.last, steps).then(() => { if (!over) setReading(false); });
    return () => { over = true; };
  }, [log, steps, of.step]);
  useEffect(() => {
    // The stream brings new steps; one that it has left out is read.
    if (known || reading) return;
    const timer = setTimeout(() => void log.back(at, of.last, steps), STREAM_MS);
    return () => clearTimeout(timer);
  }, [known, reading]);
  // What is shown stays until the step that is shown now is there.
  const shown = useRef<Doings>();
  if (known) shown.current = doingsOf(log.all.value, at, task);
  if (shown.current === undefined || (reading && shown.current.from > 1)) return null;
  const { count, last, from } = shown.current;
  const whole = from <= 1;
  return (
    <div class="small muted row wrap case-done">
      <span>{whole ? (count === 0 ? t('case.done.never') : t('case.done.times', { n: count })) : t('case.done.since', { n: count, step: from })}</span>
      {last !== undefined && <LastTime key={last} of={of} task={task} sequence={last} />}
      {!whole && log.room && <button type="button" class="link" onClick={() => setSteps(steps + COUNTED)}>{t('case.done.more')}</button>}
    </div>
  );
}
