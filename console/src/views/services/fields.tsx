// SPDX-License-Identifier: Apache-2.0
// Fields of a form whose refusals stand at the field.
import type { ComponentChildren } from 'preact';
import type { Refusal } from './refusal';

export type Values = Record<string, string>;

export interface Form {
  id: string;
  values: Values;
  set: (name: string, value: string) => void;
  refusal: Refusal | undefined;
}

function Around({ form, name, label, hint, children }: { form: Form; name: string; label: string; hint?: string | undefined; children: ComponentChildren }) {
  const wrong = form.refusal?.member === name;
  return (
    <div class="field">
      <label for={`${form.id}-${name}`}>{label}</label>
      {children}
      {hint !== undefined && !wrong && <span class="small muted" id={`${form.id}-${name}-hint`}>{hint}</span>}
      {wrong && <span class="small error-text words" id={`${form.id}-${name}-hint`} role="alert">{form.refusal!.text}</span>}
    </div>
  );
}

/** What ties a control to its value and to what is wrong with it. */
function tied(form: Form, name: string, hint: string | undefined) {
  const wrong = form.refusal?.member === name;
  return {
    id: `${form.id}-${name}`,
    value: form.values[name] ?? '',
    ...(wrong ? { 'aria-invalid': true as const } : {}),
    ...(wrong || hint !== undefined ? { 'aria-describedby': `${form.id}-${name}-hint` } : {}),
  };
}

export function TextField({ form, name, label, hint, type = 'text', required = false, mono = false, most }: {
  form: Form; name: string; label: string; hint?: string; type?: string; required?: boolean; mono?: boolean; most?: number;
}) {
  return (
    <Around form={form} name={name} label={required ? `${label} *` : label} hint={hint}>
      <input {...tied(form, name, hint)} type={type} class={mono ? 'mono' : ''} dir="auto" autocomplete="off" required={required} {...(most === undefined ? {} : { maxLength: most })}
        onInput={(event) => form.set(name, event.currentTarget.value)} />
    </Around>
  );
}

export function NumberField({ form, name, label, least, most, hint }: { form: Form; name: string; label: string; least: number; most: number; hint?: string }) {
  return (
    <Around form={form} name={name} label={label} hint={hint}>
      <input {...tied(form, name, hint)} type="number" min={least} max={most} step={1} required onInput={(event) => form.set(name, event.currentTarget.value)} />
    </Around>
  );
}

export function ChoiceField({ form, name, label, options, hint }: { form: Form; name: string; label: string; options: { value: string; label: string }[]; hint?: string }) {
  return (
    <Around form={form} name={name} label={label} hint={hint}>
      <select {...tied(form, name, hint)} onChange={(event) => form.set(name, event.currentTarget.value)}>
        {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
      </select>
    </Around>
  );
}
