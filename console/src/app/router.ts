// SPDX-License-Identifier: Apache-2.0
// The address of the page: what is shown is what it says, and nothing else.
import { batch, computed, signal } from '@preact/signals';

export interface Place {
  /** The parts of the path, decoded: /cases/7 is ['cases', '7']. */
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  return {
    path: location.pathname.split('/').filter((part) => part !== '').map(decode),
    query: new URLSearchParams(location.search),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal<Place>({ path: [], query: new URLSearchParams() });
export const section = computed(() => place.value.path[0] ?? '');

// Where each entry of the history was scrolled to, so that back keeps it.
const scrolled = new Map<string, number>();
const scroller = () => document.querySelector('[data-scroll=main]');
const entry = () => (history.state as { entry?: string } | null)?.entry ?? 'first';

function keepScroll(): void {
  scrolled.set(entry(), scroller()?.scrollTop ?? 0);
}

// A list is read again when one comes back to it, page by page as it is scrolled:
// its place is there as soon as it is long enough, unless the person goes on.
const LONGEST_MS = 5000;
function comeBack(top: number): void {
  const until = performance.now() + LONGEST_MS;
  const stop = new AbortController();
  for (const event of ['wheel', 'pointerdown', 'keydown', 'popstate']) addEventListener(event, () => stop.abort(), { signal: stop.signal });
  const scroll = () => {
    scroller()?.scrollTo({ top });
    if ((scroller()?.scrollTop ?? 0) >= top || performance.now() > until) stop.abort();
    if (!stop.signal.aborted) requestAnimationFrame(scroll);
  };
  requestAnimationFrame(scroll);
}

export function startRouter(): void {
  history.scrollRestoration = 'manual';
  place.value = read();
  addEventListener('popstate', () => {
    place.value = read();
    comeBack(scrolled.get(entry()) ?? 0);
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest('a');
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download') || link.pathname.startsWith('/v1/')) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

/** Goes to an address of the page. */
export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  keepScroll();
  const state = { entry: how === 'push' ? String(performance.now()) : entry() };
  if (how === 'push') history.pushState(state, '', to);
  else history.replaceState(state, '', to);
  batch(() => {
    place.value = read();
  });
  if (how === 'push') requestAnimationFrame(() => scroller()?.scrollTo({ top: 0 }));
}

/** An address made of parts, which are encoded, and a query. */
export function to(parts: (string | number)[], query: Record<string, string | number | boolean | undefined | null> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '' && value !== false) search.set(name, String(value));
  const text = search.toString();
  return '/' + parts.map((part) => encodeURIComponent(String(part))).join('/') + (text === '' ? '' : `?${text}`);
}

/** Changes arguments of the query and leaves the others; undefined removes. */
export function setQuery(changes: Record<string, string | number | boolean | undefined | null>, how: 'push' | 'replace' = 'replace'): void {
  const search = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === '' || value === false) search.delete(name);
    else search.set(name, String(value));
  }
  const text = search.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), how);
}

/** One argument of the query. */
export const argument = (name: string): string | undefined => place.value.query.get(name) ?? undefined;
