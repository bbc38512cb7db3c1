// SPDX-License-Identifier: Apache-2.0
// Lists as tables: read page by page before their end is reached, with a
// selection, columns that a person chooses, and the keys j, k, x and Enter.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { preference, setPreference } from '../app/preferences';
import { go } from '../app/router';
import { t } from '../text/text';
import { Menu } from './control';
import { Failure, Skeleton } from './message';
import { useMore, type Pages } from './pages';

export interface Column<T> {
  id: string;
  label: string;
  cell: (row: T) => ComponentChildren;
  right?: boolean;
  /** Shown only when a person asks for it. */
  extra?: boolean;
  width?: string;
}

// With Shift the key x is X.
const ROW_KEYS = new Set(['j', 'k', 'x', 'X', 'Enter', 'ArrowDown', 'ArrowUp']);

/** The keys j and k begin with the first row of the first list, as long as nothing else has the focus. */
function useFirstRow(body: RefObject<HTMLTableSectionElement>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const idle = document.activeElement === document.body || document.activeElement?.id === 'content';
      if (!idle || event.ctrlKey || event.metaKey || event.altKey || (event.key !== 'j' && event.key !== 'k')) return;
      if (document.querySelector('table.list > tbody') !== body.current) return;
      event.preventDefault();
      (body.current?.firstElementChild as HTMLElement | null)?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/**
 * A list.  `name` is that under which a person's columns are kept; `href` is
 * where a row leads; `chosen` the ids that are selected, if rows can be.
 */
export function Table<T>({ name, label, pages, columns, keyOf, href, chosen, onChoose, current, empty, tools }: {
  name: string;
  label: string;
  pages: Pages<T>;
  columns: Column<T>[];
  keyOf: (row: T) => string;
  href?: (row: T) => string;
  chosen?: ReadonlySet<string>;
  onChoose?: (chosen: Set<string>) => void;
  current?: string | undefined;
  empty: ComponentChildren;
  tools?: ComponentChildren;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  useFirstRow(body);
  const end = useMore(pages);
  const last = useRef<number>(-1);
  const rows = pages.rows.value;
  const kept = preference<string[] | undefined>(`columns.${name}`, undefined);
  const shown = columns.filter((column) => (kept ? kept.includes(column.id) : !column.extra));

  if (!pages.ready.value) return pages.error.value ? <Failure error={pages.error.value} again={() => void pages.again()} /> : <Skeleton lines={10} />;

  const choose = (index: number, range: boolean) => {
    if (!onChoose) return;
    const next = new Set(chosen);
    const from = range && last.current >= 0 ? Math.min(last.current, index) : index;
    const to = range && last.current >= 0 ? Math.max(last.current, index) : index;
    const on = range || !next.has(keyOf(rows[index]!));
    for (let i = from; i <= to; i++) {
      if (on) next.add(keyOf(rows[i]!));
      else next.delete(keyOf(rows[i]!));
    }
    last.current = index;
    onChoose(next);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!ROW_KEYS.has(event.key) || !(event.target instanceof HTMLTableRowElement)) return;
    const index = Number(event.target.dataset['index']);
    event.preventDefault();
    if (event.key.toLowerCase() === 'x') choose(index, event.shiftKey);
    else if (event.key === 'Enter') { if (href) go(href(rows[index]!)); }
    else (body.current?.children[index + (event.key === 'j' || event.key === 'ArrowDown' ? 1 : -1)] as HTMLElement | undefined)?.focus();
  };
  const all = rows.length > 0 && rows.every((row) => chosen?.has(keyOf(row)));

  return (
    <>
      <div class="row wrap" style={{ marginBottom: '8px' }}>
        <span class="small muted num grow">{pages.whole.value ? t('common.rows', { n: rows.length }) : t('common.atLeast', { n: rows.length })}</span>
        {tools}
        <Menu label={t('common.columns')} entries={columns.map((column) => ({
          label: column.label,
          checked: shown.includes(column),
          onDo: () => setPreference(`columns.${name}`, columns.filter((c) => (c === column ? !shown.includes(c) : shown.includes(c))).map((c) => c.id)),
        }))} />
      </div>
      {rows.length === 0 && pages.whole.value ? <div class="empty">{empty}</div> : (
        <div class="table-wrap">
          <table class="list" aria-label={label}>
            <thead>
              <tr>
                {onChoose && <th style={{ width: '40px' }}><input type="checkbox" aria-label={t('common.all')} checked={all} onChange={() => onChoose(all ? new Set() : new Set(rows.map(keyOf)))} /></th>}
                {shown.map((column) => <th key={column.id} scope="col" class={column.right ? 'right' : ''} style={column.width ? { width: column.width } : {}}>{column.label}</th>)}
              </tr>
            </thead>
            <tbody ref={body} onKeyDown={onKey}>
              {rows.map((row, index) => {
                const key = keyOf(row);
                return (
                  <tr key={key} data-index={index} data-key={key} tabIndex={0} class={`${href ? 'open' : ''} ${current === key ? 'current' : ''}`} {...(onChoose ? { 'aria-selected': chosen?.has(key) ?? false } : {})}
                    onClick={(event) => { if (href && !(event.target as Element).closest('a, button, input')) go(href(row)); }}>
                    {onChoose && <td onClick={(event) => choose(index, event.shiftKey)}><input type="checkbox" tabIndex={-1} aria-label={key} checked={chosen?.has(key) ?? false} /></td>}
                    {shown.map((column) => <td key={column.id} class={column.right ? 'right' : ''}>{column.cell(row)}</td>)}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {pages.error.value && <Failure error={pages.error.value} again={() => void pages.again()} />}
      <div ref={end} style={{ height: '1px' }} />
    </>
  );
}
