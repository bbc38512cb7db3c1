// SPDX-License-Identifier: Apache-2.0
// A case: its picture with the bar of time, and beside it what belongs to it.
//
//     address (step, tab, net, task, mode) ──┐
//     useLiveCase: as it is now ─────────────┼──► CaseModel ──► head, stage,
//     useMoment: as it was behind a step ────┘                  panels
import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { filterOf, processTitle } from '../../app/specifications';
import { useCrumbs } from '../../app/crumbs';
import { argument, setQuery, to } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { knownPictures, readPictures } from '../../picture/nets';
import { language, t } from '../../text/text';
import { Await, Failure, Skeleton } from '../../ui/message';
import { caseActions } from './actions';
import type { CaseState } from './apply';
import './case.css';
import { ChangeDataPanel } from './change-data';
import { useCaseLog } from './case-log';
import { CaseHead } from './head';
import { IncidentBanner, readIncidents } from './incidents';
import { useLiveCase, type LiveCase } from './live';
import { MigratePanel } from './migrate';
import { chosenMode, chosenStep, type CaseModel } from './model';
import { useMoment, usePast } from './moment';
import { namesOf } from './names';
import { OwnPicture } from './own';
import { RepairPanel, useRepair } from './repair';
import { dragged } from './repair-changes';
import { SidePanel } from './side';
import { shownNet, Stage } from './stage';
import { Timeline } from './timeline';

const between = (from: string, to: string): string => t('case.between', { from, to });

/** What the account may not see of a case is missing in the answer. */
const isReduced = (state: CaseState): boolean => state.data === undefined && !may('read');

export function CaseView({ id }: { id: string }) {
  const current = useMemo(() => ({ names: namesOf(undefined, between) }), []);
  const live = useLiveCase(id, () => current.names);
  const state = live.state.value;
  if (!state) return <div class="view">{live.error.value ? <Failure error={live.error.value} again={() => void live.reload()} /> : <Skeleton lines={10} />}</div>;
  return <KnownCase id={id} live={live} now={state} current={current} />;
}

function KnownCase({ id, live, now, current }: { id: string; live: LiveCase; now: CaseState; current: { names: CaseModel['names'] } }) {
  const last = now.sequence ?? 0;
  const reduced = isReduced(now);
  const step = reduced ? undefined : chosenStep(last);
  const past = usePast(id);
  const moment = useMoment(past, step);
  // What the last step changed is asked for only where it is shown.
  const latest = useMoment(past, step === undefined && argument('tab') === 'data' && !reduced && last > 0 ? last : undefined);
  const compared = step === undefined ? latest : moment;
  const arrived = step !== undefined && moment.data.value?.step.sequence === step ? moment.data.value : undefined;
  const [shown, setShown] = useState<CaseState>(now);
  const state = step === undefined ? now : (arrived?.state ?? shown);
  useEffect(() => setShown(state), [state]);

  const pictures = useResource(async () => (reduced ? undefined : readPictures(state.specification)), [state.specification, reduced], () => (reduced ? undefined : knownPictures(state.specification)));
  const shape = pictures.data.value;
  const names = useMemo(() => namesOf(shape, between), [shape, language.value]);
  current.names = names;
  const log = useCaseLog(id);
  const steps = live.steps.value;
  useEffect(() => log.add(steps), [log, steps]);
  // The picture comes first.
  const drawn = shape !== undefined || pictures.error.value !== undefined || reduced;
  const incidents = useResource(async (signal) => (drawn && !reduced ? readIncidents(id, signal) : []), [id, drawn, reduced, now.incident, now.status]);
  const allowed = useResource(async (signal) => (drawn ? api.get('/v1/cases/{case}/actions', { path: { case: id }, signal }) : undefined), [id, drawn, now.status, now.set_aside]);
  const mode = step === undefined && !reduced ? chosenMode() : 'view';
  const repair = useRepair(id, last, mode === 'repair');

  const title = state.title ?? id;
  useCrumbs(
    { label: t('frame.cases'), href: '/cases' },
    shape && mayAnywhere('read') ? { label: `${processTitle(state.specification, shape.uri)} ${shape.version}`, href: to(['cases'], { specification: filterOf(state.specification) }) } : undefined,
    { label: title },
  );
  const model: CaseModel = {
    id, state, step, last, names, live, reduced,
    actions: caseActions(allowed.data.value),
    pick: (element) => setQuery({ task: element, ...(element === undefined ? {} : netWith(state, names.netOf(element))) }),
    changed: () => { void live.reload(); void allowed.reload(); void incidents.reload(); },
  };
  const onMove = mode === 'repair' ? (from: string | undefined, target: string | undefined) => repair.add(dragged(from, target, shownNet(state)?.id ?? id)) : undefined;
  const movedBy = step === undefined ? steps.at(-1) : arrived?.step;

  return (
    <div class={`case ${step === undefined ? '' : 'is-past'}`}>
      <CaseHead of={model} pictures={shape} />
      <IncidentBanner of={model} incidents={incidents} />
      {live.error.value && <Failure error={live.error.value} again={() => void live.reload()} />}
      {moment.error.value && step !== undefined && <Failure error={moment.error.value} again={() => void moment.reload()} />}
      <div class="case-body">
        <div class="case-stage">
          {reduced ? <OwnPicture of={model} /> : (
            <>
              <Await of={pictures}>
                {(read) => read && <Stage of={model} pictures={read} log={log} incidents={incidents.data.value ?? []} picked={argument('task')} step={movedBy} outlook={repair.trial.outlook} onMove={onMove} />}
              </Await>
              <Timeline of={model} log={log} moment={moment} drawn={drawn} />
            </>
          )}
        </div>
        <div class="case-side">
          {mode === 'repair' ? <RepairPanel of={model} repair={repair} />
            : mode === 'migrate' ? <MigratePanel of={model} />
            : mode === 'data' ? <ChangeDataPanel of={model} />
            : <SidePanel of={model} log={log} incidents={incidents} compared={compared} />}
        </div>
      </div>
    </div>
  );
}

/** The instance that shows an element, unless the shown one has it. */
function netWith(state: CaseState, net: string | undefined): { net?: string | undefined } {
  if (net === undefined || shownNet(state)?.net === net) return {};
  const instance = state.nets.find((one) => one.net === net);
  return instance ? { net: instance === state.nets[0] ? undefined : instance.id } : {};
}
