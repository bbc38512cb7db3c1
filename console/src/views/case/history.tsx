// SPDX-License-Identifier: Apache-2.0
// What happened, in words, the newest step first; pressing a step shows the
// case as it was behind it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { argument, setQuery } from '../../app/router';
import { t } from '../../text/text';
import { Empty, Failure, Skeleton } from '../../ui/message';
import { usePages, type Pages } from '../../ui/pages';
import { Time } from '../../ui/time';
import { PAGE, readBack, readRange } from '../shared/steps-back';
import type { Step } from '../shared/step';
import { fits, headline, isRepair, kinds, mainKind, type Filter } from '../shared/events';
import type { CaseModel } from './model';
import { goToStep } from './timeline';
import { EventWords, Origin } from '../shared/words';

function StepRow({ step, of }: { step: Step; of: CaseModel }) {
  const { said, rest } = headline(step.events);
  const here = (of.step ?? of.last) === step.sequence;
  return (
    <li class={`case-step ${here ? 'here' : ''}`}>
      <span class={`case-step-mark case-tick-${mainKind(step.events)}`} aria-hidden="true" />
      <div class="case-step-body">
        {isRepair(step.events) && <div class="strong">{t('history.repaired')}</div>}
        {said.map((event, index) => <div key={index} class="words"><EventWords event={event} of={of} /></div>)}
        {rest.length > 0 && (
          <details class="small muted">
            <summary>{t('history.rest', { n: rest.length })}</summary>
            {rest.map((event, index) => <div key={index} class="words"><EventWords event={event} of={of} /></div>)}
          </details>
        )}
        <div class="case-step-foot small muted">
          <button type="button" class="link num" onClick={() => goToStep(step.sequence, of.last)} aria-label={t('history.show', { n: step.sequence })}>{t('history.step', { n: step.sequence })}</button>
          <Time at={step.time} />
          <Origin step={step} />
          {step.incident !== undefined && <span>{t('history.retryOf', { n: String(step.incident) })}</span>}
        </div>
      </div>
    </li>
  );
}

function Filters({ of, actors }: { of: CaseModel; actors: string[] }) {
  const actor = argument('actor');
  const all = actor !== undefined && !actors.includes(actor) ? [actor, ...actors] : actors;
  return (
    <div class="case-filters">
      <select aria-label={t('history.kind')} value={argument('kind') ?? ''} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
        <option value="">{t('history.allKinds')}</option>
        {kinds.map((kind) => <option key={kind} value={kind}>{t(`history.kind.${kind}`)}</option>)}
      </select>
      <select aria-label={t('history.task')} value={argument('of') ?? ''} onChange={(event) => setQuery({ of: event.currentTarget.value })}>
        <option value="">{t('history.allTasks')}</option>
        {of.names.tasks.map((task) => <option key={task.id} value={task.id}>{task.name}</option>)}
      </select>
      <select aria-label={t('history.actor')} value={actor ?? ''} onChange={(event) => setQuery({ actor: event.currentTarget.value })}>
        <option value="">{t('history.allActors')}</option>
        {all.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
    </div>
  );
}

/** Puts before the pages what came since they were read: steps of the stream have no names. */
function useNewer(of: CaseModel, pages: Pages<Step>, begin: number, filter: Filter): void {
  const at = useMemo(() => ({ sequence: begin, reading: false }), [pages]);
  useEffect(() => {
    if (!pages.ready.value || at.reading || of.last <= at.sequence) return;
    at.reading = true;
    readRange(of.id, at.sequence, Math.min(of.last, at.sequence + PAGE), undefined, true).then((steps) => {
      at.reading = false;
      at.sequence = steps.at(-1)?.sequence ?? at.sequence;
      // Rows that are replaced show the list again, which reads on.
      if (steps.length > 0) pages.replace((rows) => [...steps.filter((step) => fits(step, filter)).reverse(), ...rows]);
    }, () => { at.reading = false; });
  });
}

export function HistoryTab({ of }: { of: CaseModel }) {
  const filter: Filter = { kind: argument('kind'), task: argument('of'), actor: argument('actor') };
  const [begin] = useState(() => of.last);
  const pages = usePages<Step>((after, signal) => readBack(of.id, after === undefined ? begin : Number(after), signal, { fits: (step) => fits(step, filter), many: filter.kind !== undefined || filter.task !== undefined || filter.actor !== undefined }), [of.id, filter.kind, filter.task, filter.actor, begin]);
  const [actors, setActors] = useState<string[]>([]);
  useNewer(of, pages, begin, filter);
  const rows = pages.rows.value;
  useEffect(() => {
    const found = rows.map((step) => step.actor).filter((actor) => actor !== undefined);
    setActors((known) => { const all = [...new Set([...known, ...found])].sort(); return all.length === known.length ? known : all; });
  }, [rows.length]);
  return (
    <div class="column">
      <Filters of={of} actors={actors} />
      {!pages.ready.value ? (pages.error.value ? <Failure error={pages.error.value} again={() => void pages.reload()} /> : <Skeleton lines={8} />) : (
        <>
          {rows.length === 0 && <Empty>{pages.whole.value ? t('history.none') : t('history.noneYet')}</Empty>}
          <ol class="case-steps">{rows.map((step) => <StepRow key={step.sequence} step={step} of={of} />)}</ol>
          {pages.error.value && <Failure error={pages.error.value} again={() => void pages.again()} />}
          {!pages.whole.value && <div><button type="button" class="button" onClick={() => void pages.more()}>{t('history.earlier')}</button></div>}
        </>
      )}
    </div>
  );
}
