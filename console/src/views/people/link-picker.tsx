// SPDX-License-Identifier: Apache-2.0
// Choosing records by typing a part of their name: one, or several.
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { called, naming, text, type Kind, type OrgRecord } from './kinds';

const TYPING_MS = 200;
const SHOWN = 20;

/** A page of the records of a kind, which all have the same operations. */
export async function listRecords(kind: Kind, query: { q?: string; after?: string | undefined; limit?: number; names?: boolean }, signal?: AbortSignal): Promise<{ rows: OrgRecord[]; next?: string | undefined }> {
  const answer = (await api.get(`/v1/${kind}` as '/v1/roles', { query, ...(signal ? { signal } : {}) })) as unknown as Record<string, unknown>;
  return { rows: answer[kind] as OrgRecord[], next: answer['next'] as string | undefined };
}

/**
 * Links are names here, as `names=true` reads them; several are kept in order.
 */
export function LinkPicker({ id, kind, value, many, onChange }: { id: string; kind: Kind; value: string[]; many: boolean; onChange: (value: string[]) => void }) {
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<{ words: string; rows: OrgRecord[] }>({ words: '', rows: [] });
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (!open) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const words = typed.trim();
      listRecords(kind, { limit: SHOWN, q: words }, abort.signal).then((page) => { setFound({ words, rows: page.rows }); setAt(0); }, () => undefined);
    }, TYPING_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [typed, open, kind]);
  const nameOf = (record: OrgRecord) => text(record[naming(kind)]);
  const offered = found.rows.filter((record) => !value.includes(nameOf(record)));
  const take = (record: OrgRecord | undefined) => {
    if (!record) return;
    onChange(many ? [...value, nameOf(record)] : [nameOf(record)]);
    setTyped('');
    if (!many) setOpen(false);
  };
  return (
    <div class="picker">
      {value.map((one) => (
        <span key={one} class="chip">
          <span class="cut" dir="auto">{one}</span>
          <button type="button" class="chip-remove" aria-label={`${t('common.remove')} ${one}`} onClick={() => onChange(value.filter((other) => other !== one))}><Icon name="close" size={12} /></button>
        </span>
      ))}
      {(many || value.length === 0) && (
        <input
          id={id} type="text" role="combobox" autocomplete="off" aria-expanded={open && offered.length > 0} aria-controls={`${id}-list`} value={typed}
          onFocus={() => setOpen(true)} onBlur={() => setOpen(false)} onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt(Math.min(at + 1, offered.length - 1));
            else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
            else if (event.key === 'Enter') { if (found.words === typed.trim()) take(offered[at]); }
            else if (event.key === 'Backspace' && typed === '' && value.length > 0) onChange(value.slice(0, -1));
            else return;
            if (event.key !== 'Backspace') event.preventDefault();
          }}
        />
      )}
      {open && offered.length > 0 && (
        <ul class="picker-list" id={`${id}-list`} role="listbox">
          {offered.map((record, index) => (
            <li key={record.id} role="option" aria-selected={index === at} class={index === at ? 'current' : ''} onPointerDown={(event) => { event.preventDefault(); take(record); }}>
              <span dir="auto">{called(kind, record)}</span> <span class="muted small mono">{nameOf(record)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
