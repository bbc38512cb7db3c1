// SPDX-License-Identifier: Apache-2.0
// Times: how long ago in words, and the exact instant on pointing.
import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { language, t } from '../text/text';

/** The present, at most 15 s old: one clock for the whole page. */
export const now = signal(Date.now());
export function startClock(): void {
  setInterval(() => (now.value = Date.now()), 15_000);
}

// Formatters take long to begin with: what is seen at first goes without them.
const exact = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }));

const units = [
  ['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1],
] as const;

export function ago(at: number, present: number = now.value): string {
  const seconds = Math.round((at - present) / 1000);
  // The clock of the page may be behind what has just been done.
  if (seconds > -5 && seconds < 20) return t('common.now');
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const count = Math.trunc(Math.abs(seconds) / length);
  if (unit === 'day' && count === 1) return t(seconds < 0 ? 'common.yesterday' : 'common.tomorrow');
  return t(`common.${seconds < 0 ? 'ago' : 'in'}.${unit}`, { n: count });
}

export const exactly = (at: number): string => exact.value.format(at);
/** The time of the day, of 24 hours. */
export function clockTime(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** An instant, or other words of it; the exact instant is said when it is pointed at. */
export function Time({ at, as = 'ago', tone = '', children }: { at: string | undefined; as?: 'ago' | 'exact' | 'clock'; tone?: 'muted' | 'late' | ''; children?: ComponentChildren }) {
  if (at === undefined) return null;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <span>{at}</span>;
  const shown = children ?? (as === 'ago' ? ago(instant) : as === 'clock' ? clockTime(instant) : exactly(instant));
  return (
    <time dateTime={at} class={`num ${tone}`} title={at} onPointerEnter={(event) => { event.currentTarget.title = `${exactly(instant)} · ${at}`; }}>
      {shown}
    </time>
  );
}

/** A length of time in its two largest units: 2 h 5 min. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  const parts: [string, number][] = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]];
  if (seconds < 1) return `${Math.round(seconds * 1000)}\u202fms`;
  if (seconds < 10) return `${seconds.toFixed(1)}\u202fs`;
  let rest = Math.round(seconds);
  const shown: string[] = [];
  for (const [name, length] of parts) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) shown.push(`${count}\u202f${name}`);
    if (shown.length === 2) break;
  }
  return shown.join(' ');
}
