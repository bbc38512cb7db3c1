// SPDX-License-Identifier: Apache-2.0
// Work by the keyboard alone: from anywhere where no text is typed, and with
// the focus on what one does next.
//
//     list ──j, k──► a row ──Enter──► its item: first field, or first action
//       ▲                                 │ a: accept, s: start
//       └──────────── nothing is left ◄───┴──► the form, the next item
import { signal } from '@preact/signals';
import { useEffect, useRef, type MutableRef } from 'preact/hooks';

/** The item that is to have the focus when it is shown; '': the list. */
const wanted = signal<string | undefined>(undefined);

/** The focus goes to the item, or to the list when there is none. */
export function wantFocus(item: string | undefined): void {
  wanted.value = item ?? '';
}

const FIELDS = ':is(input:not([type="hidden"], [readonly]), select, textarea):not(:disabled)';

/** What one does first with an item: fill in its form, or act. */
function firstOf(item: HTMLElement): HTMLElement | null {
  // On a touch screen the focus of a field would cover half of it with keys.
  const field = matchMedia('(pointer: coarse)').matches ? null : item.querySelector<HTMLElement>(`.item-form ${FIELDS}`);
  return field ?? item.querySelector<HTMLElement>('.item-bar > .primary:not([aria-disabled="true"])') ?? item.querySelector<HTMLElement>('h1');
}

/** For an item: gives it the focus that it is to have, as soon as its form is there. */
export function useFocusOf(item: string, ready: boolean): MutableRef<HTMLElement | null> {
  const root = useRef<HTMLElement | null>(null);
  const mine = wanted.value === item;
  useEffect(() => {
    if (!mine || !ready || !root.current) return;
    wanted.value = undefined;
    firstOf(root.current)?.focus();
  }, [mine, ready]);
  return root;
}

const isTyped = (target: EventTarget | null): boolean => target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Whether a key is for the view: no text is typed, and nothing lies above the view. */
function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented && !isTyped(event.target)
    && document.querySelector('dialog[open], .menu-list') === null;
}

function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => { if (isPlain(event)) latest.current(event); };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

const rows = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('.work-rows a')];

/** The row to go to: beside that with the focus, else beside the open item, else the first. */
function step(by: number): HTMLAnchorElement | undefined {
  const all = rows();
  const focused = all.indexOf(document.activeElement as HTMLAnchorElement);
  const from = focused >= 0 ? focused : all.findIndex((row) => row.getAttribute('aria-current') === 'true');
  return from < 0 ? all[0] : all[from + by];
}

/** The keys of the list, and where the focus goes when nothing is left. */
export function useListKeys(): void {
  useKeys((event) => {
    const row = (event.target as Element).closest('.work-rows a');
    const by = event.key === 'j' ? 1 : event.key === 'k' ? -1 : row && event.key === 'ArrowDown' ? 1 : row && event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      step(by)?.focus();
      event.preventDefault();
    } else if (event.key === 'Enter' && document.activeElement === document.body) {
      step(0)?.click();
    }
  });
  const list = wanted.value === '';
  useEffect(() => {
    if (!list) return;
    wanted.value = undefined;
    document.querySelector<HTMLElement>('#content')?.focus();
  }, [list]);
}

/** A row that is opened by a key passes the focus on to its item. */
export function onRowClick(event: MouseEvent, item: string): void {
  if (event.detail === 0) wantFocus(item);
}

/** The keys of the actions of an item. */
export function useActionKeys(actions: Record<string, (() => unknown) | undefined>): void {
  useKeys((event) => {
    const action = event.shiftKey || event.repeat ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
