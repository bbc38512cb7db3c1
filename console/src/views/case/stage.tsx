// SPDX-License-Identifier: Apache-2.0
// The picture of a case: the net instance that the address names, its tokens
// and its work, at the moment that is shown.
import { useMemo } from 'preact/hooks';
import { argument, setQuery } from '../../app/router';
import { movesOfEvents } from '../../picture/moves';
import type { Moves } from '../../picture/model';
import { NetPicture } from '../../picture/picture';
import { t } from '../../text/text';
import { Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { taskOf, type Step } from '../shared/step';
import type { CaseState, NetState } from './apply';
import { countsUpTo, whole, type CaseLog } from './case-log';
import { inNet, marksOf, takenOf } from './marks';
import type { Incident } from '../incidents/filter';
import type { CaseModel } from './model';
import type { Altered } from './outlook';
import type { Pictures } from './names';

/** The net instance that is shown: that of the address, else the root. */
export const shownNet = (state: CaseState): NetState | undefined => state.nets.find((net) => net.id === argument('net')) ?? state.nets[0];

/** Counts of more steps than this are not made at each step. */
const COUNTED = 2000;

function Instances({ of, net }: { of: CaseState; net: NetState }) {
  if (of.nets.length < 2) return null;
  const root = of.nets[0];
  return (
    <label class="case-net-choice">
      <span class="sr-only">{t('case.net')}</span>
      <select value={net.id} onChange={(event) => setQuery({ net: event.currentTarget.value === root?.id ? undefined : event.currentTarget.value }, 'push')}>
        {of.nets.map((one) => <option key={one.id} value={one.id}>{`${'\u2003'.repeat(one.id.split('.').length - 1)}${one.net} · ${one.id}`}</option>)}
      </select>
    </label>
  );
}

function useMoves(step: Step | undefined, net: string): Moves | undefined {
  return useMemo(() => {
    const groups = step ? movesOfEvents(step.events, net) : [];
    return step && groups.length > 0 ? { key: step.sequence, groups } : undefined;
  }, [step?.sequence, net]);
}

export function Stage({ of, pictures, log, incidents, picked, step, outlook, onMove }: {
  of: CaseModel;
  pictures: Pictures;
  log: CaseLog;
  incidents: readonly Incident[];
  picked: string | undefined;
  /** The step that led to what is shown. */
  step: Step | undefined;
  /** How the case would stand after a repair. */
  outlook?: Altered | undefined;
  onMove?: ((from: string | undefined, to: string | undefined) => void) | undefined;
}) {
  const state = foreseen(of.state, outlook);
  const net = shownNet(state);
  const moves = useMoves(state === of.state ? step : undefined, net?.id ?? '');
  const picture = pictures.nets.find((one) => one.id === net?.net);
  const at = of.step ?? of.last;
  const ticks = log.all.value;
  const counts = useMemo(() => (at <= COUNTED && net && whole(ticks, at) ? countsUpTo(ticks, at, net.id) : undefined), [ticks, at, net?.id]);
  const failed = new Set(of.step === undefined && net ? incidents.filter((one) => one.item !== undefined && inNet(one.item, net.id)).map((one) => taskOf(one.item!)) : []);

  if (!net || !picture) {
    const root = pictures.nets.find((one) => one.root);
    return root && of.state.nets.length === 0 ? <NetPicture net={root} sizes={pictures} tokens={{}} picked={picked} onPick={of.pick} past={of.step !== undefined} /> : <Empty>{t('case.noPicture')}</Empty>;
  }
  const open = (task: string) => {
    const inner = state.nets.find((one) => one.parent === net.id && one.task === task) ?? state.nets.find((one) => one.id.startsWith(`${net.id}.`) && one.net === picture.elements.find((element) => element.id === task)?.net);
    if (inner) setQuery({ net: inner.id }, 'push');
  };
  return (
    <NetPicture
      net={picture} sizes={pictures} tokens={net.marking}
      tasks={marksOf(state, net, failed, counts)} taken={counts ? takenOf(picture, counts) : undefined}
      picked={picked} onPick={of.pick} onOpenNet={open} onIncident={() => setQuery({ tab: 'incidents' })}
      moves={moves} past={of.step !== undefined} onMove={onMove}
    >
      {state.nets.length > 1 && (
        <div class="row case-net-way">
          {net !== state.nets[0] && <button type="button" class="button plain" onClick={() => setQuery({ net: parentOf(state.nets, net) }, 'push')}>← <Name value={parentName(state.nets, net)} /></button>}
          <Instances of={state} net={net} />
        </div>
      )}
    </NetPicture>
  );
}

/** The state with what a repair would end and enable. */
function foreseen(state: CaseState, outlook: Altered | undefined): CaseState {
  if (!outlook?.nets) return state;
  const ended = new Set(outlook.ended?.map((one) => one.item));
  const enabled = (outlook.enabled ?? []).map((one) => ({ ...one, case: state.case, specification: state.specification, status: 'enabled' as const }));
  return { ...state, nets: outlook.nets, items: [...(state.items ?? []).filter((item) => !ended.has(item.item)), ...enabled] };
}

const around = (nets: NetState[], net: NetState): NetState | undefined => nets.find((one) => one.id === (net.parent ?? net.id.slice(0, net.id.lastIndexOf('.'))));
const parentOf = (nets: NetState[], net: NetState): string | undefined => { const parent = around(nets, net); return parent === nets[0] ? undefined : parent?.id; };
const parentName = (nets: NetState[], net: NetState): string => around(nets, net)?.net ?? '';
