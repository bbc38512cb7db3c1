// SPDX-License-Identifier: Apache-2.0
// Small controls: an action with its reason, ids, menus, tabs.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../text/text';
import { Icon, type IconName } from './icons';
import { explain, say } from './message';

/** A button; with a reason it cannot be used, and says why. */
export function Action({ label, icon, onDo, refused, primary = false, danger = false, title }: {
  label: string; icon?: IconName; onDo: () => void | Promise<unknown>; refused?: string | undefined; primary?: boolean; danger?: boolean; title?: string;
}) {
  const [busy, setBusy] = useState(false);
  const off = busy || refused !== undefined;
  return (
    <button
      type="button"
      class={`button ${primary ? 'primary' : ''} ${danger ? 'danger' : ''}`}
      aria-disabled={off}
      title={refused ?? title}
      onClick={() => {
        // Who has no pointer sees the reason on pressing.
        if (refused !== undefined && refused !== '') explain(refused);
        if (off) return;
        const result = onDo();
        if (result instanceof Promise) {
          setBusy(true);
          void result.finally(() => setBusy(false));
        }
      }}
    >
      {icon && <Icon name={icon} size={16} />}
      {label}
    </button>
  );
}

// With TLS and on loopback only.
const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;

function Copy({ value }: { value: string }) {
  return clipboard ? (
    <button type="button" class="button plain icon" aria-label={t('common.copy')} title={t('common.copy')} onClick={() => void clipboard.writeText(value).then(() => say(t('common.copied')))}>
      <Icon name="copy" size={14} />
    </button>
  ) : null;
}

/** An id in monospace, shortened in the middle, with copying where the browser has it. */
export function Id({ value, href, copy = false }: { value: string; href?: string; copy?: boolean }) {
  const shown = value.length > 28 ? `${value.slice(0, 14)}…${value.slice(-12)}` : value;
  return (
    <span class="row" style={{ gap: '4px', display: 'inline-flex' }}>
      {href === undefined ? <span class="mono" title={value}>{shown}</span> : <a class="mono" href={href} title={value}>{shown}</a>}
      {copy && <Copy value={value} />}
    </span>
  );
}

export interface MenuEntry {
  label: string;
  onDo?: () => void;
  href?: string;
  refused?: string | undefined;
  danger?: boolean;
  checked?: boolean;
}

/** The entries of a menu. */
export function Entries({ entries, close }: { entries: MenuEntry[]; close: () => void }) {
  return (
    <>
      {entries.map((entry) => entry.href !== undefined ? (
        <a key={entry.label} href={entry.href} onClick={close}>{entry.label}</a>
      ) : (
        <button key={entry.label} type="button" class={entry.danger ? 'error-text' : ''} aria-disabled={entry.refused !== undefined} {...(entry.checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': entry.checked })}
          onClick={() => { if (entry.refused !== undefined) return; close(); entry.onDo?.(); }}>
          {entry.checked !== undefined && <span aria-hidden="true" style={{ width: '16px' }}>{entry.checked ? '✓' : ''}</span>}
          <span class="grow">
            {entry.label}
            {entry.refused !== undefined && <span class="small why">{entry.refused}</span>}
          </span>
        </button>
      ))}
    </>
  );
}

const GAP = 4;

/** Puts a list at its button, where there is room; it lies above all that scrolls. */
function putAt(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const below = at.bottom + GAP;
  const room = innerHeight - below - GAP;
  const height = list.scrollHeight + 2;
  const up = height > room && at.top > room;
  list.style.maxHeight = `${Math.max(80, up ? at.top - 2 * GAP : room)}px`;
  list.style.top = up ? `${Math.max(GAP, at.top - GAP - Math.min(height, at.top - 2 * GAP))}px` : `${below}px`;
  list.style.left = `${Math.max(GAP, Math.min(at.right - list.offsetWidth, innerWidth - list.offsetWidth - GAP))}px`;
}

/**
 * A button that opens a list of actions; arrows move, Escape closes.  `children`
 * are made when it opens, and may be a function that gets how to close it.
 */
export function Menu({ label, icon, entries, children }: { label: string; icon?: IconName; entries?: MenuEntry[]; children?: ComponentChildren | ((close: () => void) => ComponentChildren) }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = () => root.current?.querySelector<HTMLElement>(':scope > button');
  const list = () => root.current?.querySelector<HTMLElement>(':scope > .menu-list');
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => { if (!root.current?.contains(event.target as Node)) setOpen(false); };
    const place = () => { const shown = list(); if (shown) putAt(shown, button()!); };
    // What it has may come later, and what it stands in may scroll.
    const grown = new ResizeObserver(place);
    grown.observe(list()!);
    document.addEventListener('pointerdown', outside);
    addEventListener('scroll', place, { capture: true, passive: true });
    place();
    list()?.querySelector<HTMLElement>('button, a, select')?.focus({ preventScroll: true });
    return () => {
      grown.disconnect();
      document.removeEventListener('pointerdown', outside);
      removeEventListener('scroll', place, { capture: true });
    };
  }, [open]);
  const move = (by: number) => {
    const all = [...(list()?.querySelectorAll<HTMLElement>('button, a, summary') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + by + all.length) % all.length]?.focus();
  };
  const close = () => setOpen(false);
  return (
    <div class="menu" ref={root} onKeyDown={(event) => {
      if (!open) return;
      if (event.key === 'Escape') { close(); button()?.focus(); event.stopPropagation(); }
      else if (event.key === 'ArrowDown') { move(1); event.preventDefault(); }
      else if (event.key === 'ArrowUp') { move(-1); event.preventDefault(); }
    }}>
      <button type="button" class={`button ${icon ? 'icon plain' : ''}`} aria-haspopup="true" aria-expanded={open} aria-label={icon ? label : undefined} title={icon ? label : undefined} onClick={() => setOpen(!open)}>
        {icon ? <Icon name={icon} /> : <>{label}<Icon name="down" size={14} /></>}
      </button>
      {open && (
        <div class="menu-list">
          {entries && <Entries entries={entries} close={close} />}
          {typeof children === 'function' ? children(close) : children}
        </div>
      )}
    </div>
  );
}

/** Tabs that are addresses. */
export function Tabs({ label, tabs, current }: { label: string; tabs: { id: string; label: string; href: string; count?: number | undefined }[]; current: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.id} href={tab.href} {...(tab.id === current ? { 'aria-current': 'page' as const } : {})}>
          {tab.label}
          {tab.count !== undefined && tab.count > 0 && <> <span class="muted num">{tab.count}</span></>}
        </a>
      ))}
    </nav>
  );
}

/** What is shown only once: whole, to be selected where there is no copying. */
export function Secret({ value }: { value: string }) {
  return (
    <div class="notice row">
      <code class="grow words secret">{value}</code>
      <Copy value={value} />
    </div>
  );
}

/** A field with its label above; why it was refused stands in the place of the hint. */
export function Field({ label, id, hint, refusal, children }: { label: string; id: string; hint?: string | undefined; refusal?: string | undefined; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {refusal !== undefined ? <span class="small error-text words" id={`${id}-hint`} role="alert">{refusal}</span>
      : hint !== undefined && <span class="small muted" id={`${id}-hint`}>{hint}</span>}
    </div>
  );
}

/** What a control in a field has whose refusal stands there. */
export const refusable = (id: string, refusal: string | undefined) =>
  ({ id, 'aria-describedby': `${id}-hint`, ...(refusal === undefined ? {} : { 'aria-invalid': true as const }) });
