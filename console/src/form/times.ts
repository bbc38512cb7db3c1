// SPDX-License-Identifier: Apache-2.0
// Dates, times and durations of XML Schema, and what the browser's controls
// have for them.
//
// A time of day or date keeps its zone, if it has one.  An instant is shown in
// the reader's zone and written with its offset; one without a zone stays so.

const ZONE = /(Z|[+-]\d\d:\d\d)$/;

export const zoneOf = (text: string): string => ZONE.exec(text)?.[1] ?? '';
export const withoutZone = (text: string): string => text.replace(ZONE, '');

const two = (number: number): string => String(number).padStart(2, '0');

/** Of xs:dateTime what a control of the kind datetime-local has. */
export function localOf(text: string): string {
  if (zoneOf(text) === '') return text.replace(/:(\d\d)(\.0+)?$/, (whole, seconds: string) => (seconds === '00' ? '' : whole));
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return '';
  const seconds = at.getSeconds();
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}${seconds === 0 ? '' : `:${two(seconds)}`}`;
}

const wholeSeconds = (text: string): string => (/T?\d\d:\d\d$/.test(text) ? `${text}:00` : text);

/** What the control has, as xs:dateTime; before: what was there. */
export function instantOf(local: string, before: string): string | undefined {
  if (local === '') return undefined;
  if (before !== '' && zoneOf(before) === '') return wholeSeconds(local);
  const minutes = -new Date(local).getTimezoneOffset();
  const zone = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return wholeSeconds(local) + zone;
}

/** What a control for a date or a time of day has, as xs:date or xs:time. */
export const momentOf = (text: string, before: string): string | undefined =>
  text === '' ? undefined : (text.includes(':') ? wholeSeconds(text) : text) + zoneOf(before);

export interface Parts {
  days: number;
  hours: number;
  minutes: number;
  seconds: number;
}

/** The parts of xs:duration; undefined: it has others, such as months. */
export function partsOf(text: string): Parts | undefined {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (!match || /[PT]$/.test(text)) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number];
  return { days, hours, minutes, seconds };
}

export function durationOf({ days, hours, minutes, seconds }: Parts): string {
  const time = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${seconds > 0 ? `${seconds}S` : ''}`;
  const text = `P${days > 0 ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`;
  return text === 'P' ? 'PT0S' : text;
}
