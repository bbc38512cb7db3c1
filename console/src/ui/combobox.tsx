// SPDX-License-Identifier: Apache-2.0
// A choice from a long list: words find what is meant, arrows move, Enter takes.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../text/text';
import { reasonOf } from './message';

export interface Option {
  value: string;
  label: string;
  detail?: string | undefined;
}

const SHOWN = 50;
const SEARCH_PAUSE_MS = 200;

const fits = (option: Option, typed: string): boolean =>
  `${option.label} ${option.value} ${option.detail ?? ''}`.toLocaleLowerCase().includes(typed.toLocaleLowerCase());

/**
 * `options` are all there are, or `search` finds some by words.  `value` is the
 * one that is chosen.
 */
export function Combobox({ id, value, label, options, search, onChoose, onBlur, disabled = false, invalid = false, describedBy, placeholder }: {
  id: string;
  value: string;
  /** Of the value, when it is not among the options. */
  label?: string;
  options?: readonly Option[];
  search?: (words: string) => Promise<Option[]>;
  /** The value, empty for none, and the option that it is of. */
  onChoose: (value: string, option?: Option) => void;
  onBlur?: () => void;
  disabled?: boolean;
  invalid?: boolean;
  describedBy?: string | undefined;
  placeholder?: string;
}) {
  const list = useId();
  const [typed, setTyped] = useState<string>();
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<{ words: string; options: Option[]; failure?: string }>({ words: '', options: [] });
  const box = useRef<HTMLDivElement>(null);
  const open = typed !== undefined;
  const shown = (options ?? found.options).filter((option) => search !== undefined || typed === undefined || typed === '' || fits(option, typed)).slice(0, SHOWN);
  const text = options?.find((option) => option.value === value)?.label ?? label ?? value;

  useEffect(() => {
    if (!search || typed === undefined) return;
    let over = false;
    const take = (next: Option[], failure?: string) => { if (!over) setFound({ words: typed, options: next, ...(failure === undefined ? {} : { failure }) }); };
    const timer = setTimeout(() => void search(typed).then((next) => take(next), (error: unknown) => take([], reasonOf(error))), SEARCH_PAUSE_MS);
    return () => { over = true; clearTimeout(timer); };
  }, [typed]);
  useEffect(() => box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at, open]);

  const choose = (option: Option) => {
    setTyped(undefined);
    onChoose(option.value, option);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      if (!open) setTyped('');
      else if (shown.length > 0) setAt((at + by + shown.length) % shown.length);
    } else if (event.key === 'Enter' && open && !event.ctrlKey) {
      event.preventDefault();
      // What was found by words typed before is not what is meant.
      const option = search !== undefined && found.words !== typed ? undefined : shown[at];
      if (option) choose(option);
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation();
      event.preventDefault();
      setTyped(undefined);
    }
  };
  return (
    <div class="combobox" ref={box}>
      <input id={id} role="combobox" autocomplete="off" dir="auto" aria-expanded={open} aria-controls={list} aria-autocomplete="list" disabled={disabled}
        {...(open && shown[at] ? { 'aria-activedescendant': `${list}-${at}` } : {})} {...(invalid ? { 'aria-invalid': true } : {})} {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        placeholder={placeholder} value={typed ?? text} onClick={() => { if (!open) setTyped(''); }} onKeyDown={onKey}
        onInput={(event) => { setTyped(event.currentTarget.value); setAt(0); if (event.currentTarget.value === '' && value !== '') onChoose(''); }}
        onBlur={() => { setTyped(undefined); onBlur?.(); }} />
      <ul id={list} role="listbox" aria-label={t('common.options')} hidden={!open}>
        {shown.map((option, index) => (
          <li key={option.value} id={`${list}-${index}`} role="option" aria-selected={index === at} onPointerDown={(event) => { event.preventDefault(); choose(option); }} onPointerEnter={() => setAt(index)}>
            <span class="cut" dir="auto" title={option.label}>{option.label}</span>
            {option.detail !== undefined && <span class="small muted cut" dir="auto">{option.detail}</span>}
          </li>
        ))}
        {open && shown.length === 0 && <li class="muted" role="option" aria-selected={false} aria-disabled={true}>{found.failure ?? t('frame.searchNone')}</li>}
      </ul>
    </div>
  );
}
