// SPDX-License-Identifier: Apache-2.0
// Lengths of time, and timers, which end after one or at an instant.
import { useState } from 'preact/hooks';
import { t } from '../text/text';
import { native, type Controlled } from './around';
import { durationOf, instantOf, localOf, partsOf, type Parts } from './times';
import { asObject, textOf, withMember } from './values';

const units = ['days', 'hours', 'minutes', 'seconds'] as const;

/** Days, hours, minutes, seconds; what has other parts is a text. */
export function DurationInput(props: Controlled) {
  const value = textOf(props.value);
  const parts = value === '' ? { days: 0, hours: 0, minutes: 0, seconds: 0 } : partsOf(value);
  if (!parts)
    return <input {...native(props)} type="text" autocomplete="off" class="mono" value={value} onInput={(event) => props.onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)} />;
  const change = (unit: keyof Parts, text: string, input: HTMLInputElement) => {
    const next = { ...parts, [unit]: Math.max(0, Math.trunc(Number(text))) };
    const empty = [...input.closest('.spans')!.querySelectorAll('input')].every((one) => one.value === '' && !one.validity.badInput);
    props.onChange(empty ? undefined : durationOf(next));
  };
  return (
    <div class="spans" role="group" aria-labelledby={`${props.id}-label`}>
      {units.map((unit, index) => (
        <label key={unit} class="span-part">
          <input {...native(props)} id={index === 0 ? props.id : `${props.id}-${unit}`} type="number" min="0" step="1" inputMode="numeric" value={value === '' ? '' : parts[unit]} onInput={(event) => change(unit, event.currentTarget.value, event.currentTarget)} />
          <span class="small muted">{t(`form.${unit}`)}</span>
        </label>
      ))}
    </div>
  );
}

const triggers = ['OnEnabled', 'OnExecuting'] as const;

export function TimerInput(props: Controlled) {
  const timer = asObject(props.value);
  const expiry = textOf(timer['expiry']);
  const [at, setAt] = useState(/^\d{4}-/.test(expiry));
  const put = (name: string, value: unknown) => {
    const next = withMember(timer, name, value);
    props.onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <div class="column" role="group" aria-labelledby={`${props.id}-label`}>
      <label class="field"><span class="label">{t('form.timer.from')}</span>
        <select {...native(props)} value={textOf(timer['trigger'])} onChange={(event) => put('trigger', event.currentTarget.value === '' ? undefined : event.currentTarget.value)}>
          <option value="">{t('form.choose')}</option>
          {triggers.map((one) => <option key={one} value={one}>{t(`form.timer.${one}`)}</option>)}
        </select>
      </label>
      <label class="field"><span class="label">{t('form.timer.ends')}</span>
        <select value={at ? 'at' : 'after'} disabled={props.disabled} onChange={(event) => { setAt(event.currentTarget.value === 'at'); put('expiry', undefined); }}>
          <option value="after">{t('form.timer.after')}</option>
          <option value="at">{t('form.timer.at')}</option>
        </select>
      </label>
      {at ? (
        <input type="datetime-local" aria-label={t('form.timer.at')} disabled={props.disabled} onBlur={props.onBlur} value={localOf(expiry)} onInput={(event) => put('expiry', instantOf(event.currentTarget.value, expiry))} />
      ) : (
        <DurationInput {...props} id={`${props.id}-expiry`} value={timer['expiry']} onChange={(value) => put('expiry', value)} />
      )}
      <label class="check">
        <input type="checkbox" disabled={props.disabled} checked={timer['workdays'] === true} onChange={(event) => put('workdays', event.currentTarget.checked ? true : undefined)} />
        <span>{t('form.timer.workdays')}</span>
      </label>
    </div>
  );
}
