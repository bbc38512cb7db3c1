// SPDX-License-Identifier: Apache-2.0
// Times: how long ago in words, and the exact instant on pointing.
import { computed, signal } from '@preact/signals';
import { language, t } from '../text/text';

/** The present, at most 15 s old: one clock for the whole page. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 15_000);

const relative = computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' }));
const exact = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium' }));
const clock = computed(() => new Intl.DateTimeFormat(language.value, { hour: '2-digit', minute: '2-digit', second: '2-digit' }));

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3_600], ['minute', 60],
];

export function ago(at: number, present: number = now.value): string {
  const seconds = Math.round((at - present) / 1000);
  // The clock of the page may be behind what has just been done.
  if (seconds > 0 && seconds < 20) return t('common.now');
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return relative.value.format(Math.trunc(seconds / length), unit);
  return Math.abs(seconds) < 5 ? t('common.now') : relative.value.format(seconds, 'second');
}

export const exactly = (at: number): string => exact.value.format(at);
export const clockTime = (at: number): string => clock.value.format(at);

export function Time({ at, as = 'ago' }: { at: string | undefined; as?: 'ago' | 'exact' | 'clock' }) {
  if (at === undefined) return null;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <span>{at}</span>;
  const shown = as === 'ago' ? ago(instant) : as === 'clock' ? clockTime(instant) : exactly(instant);
  return (
    <time dateTime={at} title={`${exactly(instant)} · ${at}`} class="num">
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
