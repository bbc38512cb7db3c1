// SPDX-License-Identifier: Apache-2.0
// The state of anything: a shape, a colour and a word, never a colour alone.
import { tOr } from '../text/text';

type Tone = 'waiting' | 'offered' | 'held' | 'active' | 'suspended' | 'done' | 'failed' | 'late';

const tones: Record<string, Tone> = {
  running: 'active', executing: 'active', started: 'active', active: 'active', allocated: 'held', filling: 'active',
  suspended: 'suspended', paused: 'suspended',
  completed: 'done', done: 'done', ready: 'done',
  deadlocked: 'failed', failed: 'failed', open: 'failed', refused: 'failed', failing: 'failed', stopped: 'failed',
  cancelled: 'waiting', scheduled: 'waiting', enabled: 'waiting', fired: 'waiting', unoffered: 'waiting', dropped: 'waiting',
  offered: 'offered', late: 'late',
};

const marks: Record<Tone, string> = {
  waiting: 'M6 2a4 4 0 110 8 4 4 0 010-8z',
  offered: 'M6 1.500L10.500 6 6 10.500 1.500 6z',
  held: 'M3 2l7 4-7 4z',
  active: 'M2.500 1.500l8 4.500-8 4.500z',
  suspended: 'M3.500 2v8M8.500 2v8',
  done: 'M2 6.500l2.500 2.500L10 3',
  failed: 'M2.500 2.500l7 7M9.500 2.500l-7 7',
  late: 'M6 1.500v5M6 9.500v.500',
};

const toneOf = (value: string): Tone => tones[value] ?? 'waiting';

export function StateMark({ value }: { value: string }) {
  const tone = toneOf(value);
  const filled = tone === 'active' || tone === 'offered';
  return (
    <svg class={`mark-${tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" fill={filled ? 'currentColor' : 'none'} stroke="currentColor" stroke-width={filled ? 0 : 1.75} stroke-linecap="round" stroke-linejoin="round">
      <path d={marks[tone]} />
    </svg>
  );
}

export function State({ value, label }: { value: string; label?: string }) {
  return (
    <span class={`state state-${toneOf(value)}`}>
      <StateMark value={value} />
      {label ?? tOr(`state.${value}`, value)}
    </span>
  );
}
