// SPDX-License-Identifier: Apache-2.0
// Controls of simple values, each native; what they show is the JSON value.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../text/text';
import { Combobox } from '../ui/combobox';
import { native, type Controlled } from './around';
import { isNatural } from './bounds';
import { instantOf, localOf, momentOf, withoutZone, zoneOf } from './times';
import { asList, numberOf, textOf, textOfNumber, type Field } from './values';

const RADIO_MOST = 5;
const LIST_MOST = 15;

/**
 * A text that is typed for a value.  What is typed stays as it is, such as
 * "1.0", until the value becomes another one.
 */
function useTyped(value: unknown, show: (value: unknown) => string, read: (text: string) => unknown): [string, (text: string) => unknown] {
  const [typed, setTyped] = useState(() => show(value));
  const last = useRef(value);
  // At once: later, it would take back a letter that was typed in between.
  useLayoutEffect(() => {
    if (last.current === value) return;
    last.current = value;
    setTyped(show(value));
  }, [value]);
  return [typed, (text) => {
    setTyped(text);
    return (last.current = read(text));
  }];
}

const textFrom = (text: string): string | undefined => (text === '' ? undefined : text);

export function TextInput(props: Controlled) {
  const { field, value, onChange, id } = props;
  const suggested = field.values ?? [];
  return (
    <>
      <input {...native(props)} type="text" dir="auto" autocomplete="off" inputMode={field.widget === 'uri' ? 'url' : 'text'} value={textOf(value)} {...(suggested.length > 0 ? { list: `${id}-values` } : {})}
        onInput={(event) => onChange(textFrom(event.currentTarget.value))} />
      {suggested.length > 0 && <datalist id={`${id}-values`}>{suggested.map((one) => <option key={one} value={one} />)}</datalist>}
    </>
  );
}

export function TextArea(props: Controlled) {
  return (
    <textarea {...native(props)} dir={props.field.widget === 'xml' ? 'ltr' : 'auto'} rows={4} class={props.field.widget === 'xml' ? 'mono' : ''} spellcheck={props.field.widget !== 'xml'} value={textOf(props.value)}
      onInput={(event) => props.onChange(textFrom(event.currentTarget.value))} />
  );
}

export function NumberInput(props: Controlled) {
  const { field, value, onChange } = props;
  const [text, type] = useTyped(value, (one) => textOfNumber(one, field), (typed) => numberOf(typed, field));
  // Not a browser's number control: it has no value for what is no number, as if nothing were typed.
  return <input {...native(props)} class="num" type="text" inputMode={isNatural(field) ? 'numeric' : 'decimal'} autocomplete="off" value={text} onInput={(event) => onChange(type(event.currentTarget.value))} />;
}

export function DateInput(props: Controlled) {
  const { field, onChange } = props;
  const value = textOf(props.value);
  const facets = field.facets ?? {};
  const zone = field.widget === 'datetime' ? '' : zoneOf(value);
  const bound = (text: string | undefined) => (text === undefined ? undefined : field.widget === 'datetime' ? localOf(text) : withoutZone(text));
  return (
    <span class="row">
      <input {...native(props)} type={field.widget === 'datetime' ? 'datetime-local' : field.widget} step={field.widget === 'date' ? undefined : 'any'} min={bound(facets.min_inclusive)} max={bound(facets.max_inclusive)}
        title={value === '' ? undefined : value} value={field.widget === 'datetime' ? localOf(value) : withoutZone(value)}
        onInput={(event) => onChange(field.widget === 'datetime' ? instantOf(event.currentTarget.value, value) : momentOf(event.currentTarget.value, value))} />
      {zone !== '' && <span class="small muted">{zone}</span>}
    </span>
  );
}

/** Yes or no: a box to tick, or two choices while nothing was said. */
export function BooleanInput(props: Controlled) {
  const { value, onChange, field } = props;
  const [asked] = useState(value === undefined);
  if (!asked)
    return (
      <label class="check">
        <input {...native(props)} type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
        <span>{value === true ? t('common.yes') : t('common.no')}</span>
      </label>
    );
  const choices: [string, unknown][] = [[t('common.yes'), true], [t('common.no'), false], ...(field.required ? [] : [[t('form.notGiven'), undefined] as [string, unknown]])];
  return <Radios {...props} choices={choices} />;
}

function Radios({ choices, ...props }: Controlled & { choices: [string, unknown][] }) {
  return (
    <div class="radios" role="radiogroup" aria-labelledby={`${props.id}-label`} {...(props.invalid ? { 'aria-invalid': true } : {})} {...(props.describedBy ? { 'aria-describedby': props.describedBy } : {})} {...(props.field.required ? { 'aria-required': true } : {})}>
      {choices.map(([label, one], index) => (
        <label key={index} class="check">
          <input type="radio" name={props.id} id={index === 0 ? props.id : undefined} disabled={props.disabled} checked={props.value === one} onChange={() => props.onChange(one)} onBlur={props.onBlur} />
          <span class="words" dir="auto">{label}</span>
        </label>
      ))}
    </div>
  );
}

/** A value as it is in the JSON: numbers of an enumeration are numbers. */
const valueIn = (field: Field, text: string): unknown =>
  field.base !== undefined && /^(decimal|double|float|.*([iI]nt(eger)?|[lL]ong|[sS]hort|[bB]yte))$/.test(field.base) ? numberOf(text, field)
  : field.base === 'boolean' ? text === 'true' || text === '1' : text;

export function SelectInput(props: Controlled) {
  const { field, value, onChange } = props;
  const values = field.values ?? [];
  const chosen = textOf(value);
  if (values.length <= RADIO_MOST)
    return <Radios {...props} choices={[...values.map((one) => [one, valueIn(field, one)] as [string, unknown]), ...(field.required ? [] : [[t('form.notGiven'), undefined] as [string, unknown]])]} />;
  if (values.length > LIST_MOST)
    return (
      <Combobox id={props.id} value={chosen} options={values.map((one) => ({ value: one, label: one }))} placeholder={t('form.choose')} disabled={props.disabled} invalid={props.invalid} describedBy={props.describedBy}
        onChoose={(one) => onChange(one === '' ? undefined : valueIn(field, one))} onBlur={props.onBlur} />
    );
  return (
    <select {...native(props)} value={chosen} onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : valueIn(field, event.currentTarget.value))}>
      <option value="">{field.required ? t('form.choose') : t('form.notGiven')}</option>
      {values.map((one) => <option key={one} value={one}>{one}</option>)}
    </select>
  );
}

/** A list of words in one value: boxes of those there are, else a text. */
export function ListInput(props: Controlled) {
  const { field, value, onChange } = props;
  const words = textOf(value).split(/\s+/).filter((word) => word !== '');
  if (!field.values || field.open) return <TextInput {...props} field={{ ...field, values: [] }} />;
  const all = [...new Set([...field.values, ...words])];
  return (
    <div class="radios" role="group" aria-labelledby={`${props.id}-label`}>
      {all.map((one, index) => (
        <label key={one} class="check">
          <input type="checkbox" id={index === 0 ? props.id : undefined} disabled={props.disabled} checked={words.includes(one)} onBlur={props.onBlur}
            onChange={(event) => onChange(textFrom(all.filter((word) => (word === one ? event.currentTarget.checked : words.includes(word))).join(' ')))} />
          <span class="words" dir="auto">{one}</span>
        </label>
      ))}
    </div>
  );
}

/** An element without content: it is there, or not. */
export function FlagInput(props: Controlled) {
  return (
    <label class="check">
      <input {...native(props)} type="checkbox" checked={props.value !== undefined} onChange={(event) => props.onChange(event.currentTarget.checked ? '' : undefined)} />
      <span>{props.value === undefined ? t('common.no') : t('common.yes')}</span>
    </label>
  );
}

/** What a value is as text; a list of values is one line each. */
export const lines = (value: unknown): string[] => asList(value).map(textOf);
