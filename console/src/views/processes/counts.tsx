// SPDX-License-Identifier: Apache-2.0
// How many cases stand in a state, as a link to these cases.
import { to } from '../../app/router';
import { figure, t } from '../../text/text';
import { StateMark } from '../../ui/state';
import { countIn, countedStates, type CaseCounts, type Counted } from './figures';

interface Counting {
  counts: CaseCounts | undefined;
  /** The keys of the versions that are counted. */
  keys: readonly string[];
  /** What the filter of the cases takes. */
  specification: string;
}

const hrefOf = (specification: string, state: Counted) => to(['cases'], state === 'incidents' ? { specification, incident: 'any' } : { specification, status: state });
const shown = ({ n, atLeast }: { n: number; atLeast: boolean }) => (atLeast ? t('overview.atLeast', { n }) : figure(n));

export function CaseCount({ counts, keys, specification, state }: Counting & { state: Counted }) {
  if (!counts) return null;
  const found = countIn(counts, keys, state);
  if (found.n === 0 && !found.atLeast) return <span class="muted">{figure(0)}</span>;
  return <a class={`num ${state === 'incidents' || state === 'deadlocked' ? 'state-failed' : ''}`} href={hrefOf(specification, state)}>{shown(found)}</a>;
}

/** All states that have cases, in one line. */
export function CaseCountLine({ counts, keys, specification }: Counting) {
  if (!counts) return null;
  const there = countedStates.map((state) => ({ state, ...countIn(counts, keys, state) })).filter(({ n, atLeast }) => n > 0 || atLeast);
  if (there.length === 0) return null;
  return (
    <div class="row wrap small case-counts" role="group" aria-label={t('processes.counts')}>
      {there.map((one) => (
        <a key={one.state} class="state" href={hrefOf(specification, one.state)}>
          <StateMark value={one.state === 'incidents' ? 'failed' : one.state} />
          <span class="num">{shown(one)}</span> {t(`processes.count.${one.state}`)}
        </a>
      ))}
    </div>
  );
}
