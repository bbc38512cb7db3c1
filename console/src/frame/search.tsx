// SPDX-License-Identifier: Apache-2.0
// The search of the bar: cases, items, processes and people by id or word.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client';
import { t } from '../text/text';
import { Icon } from '../ui/icons';
import { reasonOf } from '../ui/message';
import { personName, userName } from '../ui/person-name';
import { StateMark } from '../ui/state';
import { go, to } from '../app/router';

const TYPING_MS = 200;
const SHOWN = 5;

interface Found {
  kind: 'frame.cases' | 'search.items' | 'frame.processes' | 'frame.people' | 'frame.incidents';
  key: string;
  href: string;
  name: string;
  more: string;
  state?: string;
}

async function find(q: string, signal: AbortSignal): Promise<Found[]> {
  const answer = await api.get('/v1/search', { query: { q, limit: SHOWN }, signal });
  return [
    ...answer.incidents.map((one): Found => ({ kind: 'frame.incidents', key: `n${one.incident}`, href: to(['incidents', one.incident]), name: `${one.incident} ${one.code}`, more: one.text, state: one.status })),
    ...answer.cases.map((one): Found => ({ kind: 'frame.cases', key: `c${one.case}`, href: to(['cases', one.case]), name: one.title ?? one.case, more: `${one.uri ?? ''} ${one.case}`, state: one.status })),
    ...answer.items.map((one): Found => ({ kind: 'search.items', key: `i${one.item}`, href: to(['work', one.item]), name: one.name ?? one.task, more: one.item, state: one.assignment ?? one.status })),
    ...answer.specifications.map((one): Found => ({ kind: 'frame.processes', key: `s${one.key}`, href: to(['processes', one.key]), name: one.title ?? one.uri, more: `${one.uri} ${one.version}` })),
    ...answer.people.map((one): Found => ({ kind: 'frame.people', key: `p${one.id}`, href: to(['people', 'people', one.id]), name: personName(one) || userName(one) || one.id, more: userName(one) })),
  ];
}

export function Search() {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  // Of the words that it was found by, which may be typed on already.
  const [answer, setAnswer] = useState<{ words: string; found: Found[] }>();
  const [failed, setFailed] = useState<string>();
  const [at, setAt] = useState(0);
  const root = useRef<HTMLDivElement>(null);

  useEffect(() => {
    setAt(0);
    setFailed(undefined);
    if (text.trim() === '') {
      setAnswer(undefined);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const words = text.trim();
      find(words, abort.signal).then((found) => setAnswer({ words, found }), (error: unknown) => {
        if (!abort.signal.aborted) setFailed(reasonOf(error));
      });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);

  useEffect(() => {
    const outside = (event: Event) => { if (!root.current?.contains(event.target as Node)) setOpen(false); };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, []);

  const leave = (href: string | undefined) => {
    if (href === undefined) return;
    setOpen(false);
    setText('');
    go(href);
  };
  const found = answer?.found;
  const shown = open && text.trim() !== '' && (found !== undefined || failed !== undefined);
  return (
    <div class="search" ref={root} role="search">
      <Icon name="search" size={18} />
      <input
        id="search" type="search" role="combobox" aria-label={t('frame.search')} placeholder={t('frame.search')} autocomplete="off"
        aria-expanded={shown} aria-controls="search-found" aria-activedescendant={shown && found?.[at] ? `found-${at}` : undefined} value={text}
        onFocus={() => setOpen(true)}
        onInput={(event) => { setText(event.currentTarget.value); setOpen(true); }}
        onKeyDown={(event) => {
          const count = found?.length ?? 0;
          if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(count, 1));
          else if (event.key === 'ArrowUp') setAt((at + count - 1) % Math.max(count, 1));
          else if (event.key === 'Enter') { if (answer?.words === text.trim()) leave(found?.[at]?.href); }
          else if (event.key === 'Escape') { setText(''); setOpen(false); event.currentTarget.blur(); }
          else return;
          event.preventDefault();
        }}
      />
      {shown && (
        <div class="results" id="search-found" role="listbox" aria-label={t('frame.search')}>
          {failed !== undefined && <div class="error-text words" style={{ padding: '8px' }}>{failed}</div>}
          {found?.length === 0 && <div class="muted" style={{ padding: '8px' }}>{t('frame.searchNone')}</div>}
          {found?.map((one, index) => (
            <div key={one.key} role="presentation">
              {one.kind !== found[index - 1]?.kind && <h3 role="presentation">{t(one.kind)}</h3>}
              <a id={`found-${index}`} role="option" aria-selected={index === at} tabIndex={-1} class={index === at ? 'current' : ''} href={one.href} onClick={(event) => { event.preventDefault(); leave(one.href); }}>
                {one.state !== undefined && <StateMark value={one.state} />}
                <span class="cut" dir="auto">{one.name}</span>
                <span class="cut muted small grow" dir="auto">{one.more}</span>
              </a>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
