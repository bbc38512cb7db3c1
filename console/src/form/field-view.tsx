// SPDX-License-Identifier: Apache-2.0
// One field: its label, its control or its text, and its mistakes.
import type { ComponentChildren, ComponentType, JSX } from 'preact';
import { t } from '../text/text';
import { exactly } from '../ui/time';
import { idOf, labelOf, useAround, type Controlled } from './around';
import { expected } from './bounds';
import { FileInput, FileLink } from './file-input';
import { BooleanInput, DateInput, FlagInput, lines, ListInput, NumberInput, SelectInput, TextArea, TextInput } from './inputs';
import { words } from './mistakes';
import { DurationInput, TimerInput } from './spans';
import { zoneOf } from './times';
import { asObject, textOf, textOfNumber, type Field } from './values';

const controls: Partial<Record<Field['widget'], ComponentType<Controlled>>> = {
  text: TextInput, uri: TextInput, textarea: TextArea, xml: TextArea, checkbox: BooleanInput, number: NumberInput,
  date: DateInput, time: DateInput, datetime: DateInput, duration: DurationInput, select: SelectInput, list: ListInput,
  document: FileInput, timer: TimerInput, flag: FlagInput,
};

/** What of the attributes is taken: nothing that would break a theme. */
function appearance(field: Field): JSX.CSSProperties {
  const attributes = field.attributes ?? {};
  const style: JSX.CSSProperties = {};
  const justify = attributes['justify'];
  if (justify === 'left' || justify === 'center' || justify === 'right') style.textAlign = justify;
  if (/bold/.test(attributes['font-style'] ?? '')) style.fontWeight = 600;
  if (/italic/.test(attributes['font-style'] ?? '')) style.fontStyle = 'italic';
  const width = Number(attributes['max-field-width']);
  if (width > 0) style.maxWidth = `${width}px`;
  return style;
}

/** The lines and texts that a field has above and below it. */
export function Surrounded({ field, children }: { field: Field; children: ComponentChildren }) {
  const attributes = field.attributes ?? {};
  const on = (name: string) => attributes[name] !== undefined && attributes[name] !== 'false';
  return (
    <>
      {on('line-above') && <hr />}
      {attributes['text-above'] !== undefined && <p class="words" dir="auto">{attributes['text-above']}</p>}
      {children}
      {attributes['text-below'] !== undefined && <p class="words" dir="auto">{attributes['text-below']}</p>}
      {on('line-below') && <hr />}
    </>
  );
}

export function Mistakes({ path }: { path: string }) {
  const around = useAround();
  const mistakes = around.mistakes.get(path);
  if (!mistakes) return null;
  return (
    <div id={`${idOf(around, path)}-mistake`} class="mistakes" role="alert">
      {mistakes.map((one, index) => <div key={index} class="error-text words" title={one.message}>{words(one)}</div>)}
    </div>
  );
}

function shownText(field: Field, value: unknown): string {
  if (value === true) return t('common.yes');
  if (value === false) return t('common.no');
  if (field.widget === 'flag') return t('common.yes');
  if (field.widget === 'number') return textOfNumber(value, field);
  if (field.widget === 'timer') return Object.values(asObject(value)).map(textOf).join(' · ');
  if (field.widget === 'datetime' && zoneOf(textOf(value)) !== '' && !Number.isNaN(Date.parse(textOf(value)))) return exactly(Date.parse(textOf(value)));
  return lines(value).join('\n');
}

/** A value that is not changed: as text, not as a dead field. */
export function FieldText({ field, value }: { field: Field; value: unknown }) {
  if (field.attributes?.['blackout'] === 'true') return <span class="blackout" title={t('form.blackout')}><span class="sr-only">{t('form.blackout')}</span></span>;
  if (field.widget === 'document') return <FileLink value={value} />;
  if (value === undefined || value === '') return <span class="muted">–</span>;
  return <span class={`words value-text ${field.widget === 'xml' ? 'mono' : field.widget === 'number' ? 'num' : ''}`} dir="auto" title={field.widget === 'datetime' ? textOf(value) : undefined} style={appearance(field)}>{shownText(field, value)}</span>;
}

/** The control alone, with what it is described by; in tables it has no label of its own. */
export function FieldControl({ field, value, path, onChange, hint }: { field: Field; value: unknown; path: string; onChange: (value: unknown) => void; hint?: boolean }) {
  const around = useAround();
  const id = idOf(around, path);
  const Control = controls[field.widget] ?? TextInput;
  const invalid = around.mistakes.has(path);
  const described = [invalid ? `${id}-mistake` : '', hint ? `${id}-hint` : ''].filter((one) => one !== '').join(' ');
  return (
    <Control id={id} field={field} path={path} value={value} disabled={around.busy} invalid={invalid} describedBy={described === '' ? undefined : described}
      onChange={onChange} onBlur={() => around.touch(path)} />
  );
}

/** Whether the value is shown only. */
export const isShownOnly = (field: Field): boolean => field.read_only || field.fixed !== undefined || field.attributes?.['blackout'] === 'true';

export function Required({ field }: { field: Field }) {
  return field.required && !isShownOnly(field) ? <span class="required" title={t('form.required')} aria-hidden="true">*</span> : null;
}

export function SimpleField({ field, value, path, onChange, onRemove }: { field: Field; value: unknown; path: string; onChange: (value: unknown) => void; onRemove?: ComponentChildren }) {
  const around = useAround();
  const id = idOf(around, path);
  const only = isShownOnly(field);
  // The server takes the default for what is empty.
  const byDefault = field.default === undefined || field.default === '' || textOf(value) !== '' ? undefined : t('form.default', { value: field.default });
  const hint = only ? undefined : [expected(field), byDefault].filter((one) => one !== undefined).join(' · ') || undefined;
  const several = field.widget === 'duration' || field.widget === 'timer' || field.widget === 'list';
  return (
    <Surrounded field={field}>
      <div class={`field form-field widget-${field.widget}`} title={field.tooltip}>
        {only || several
          ? <span class="label words" dir="auto" id={`${id}-label`}>{labelOf(field)}<Required field={field} /></span>
          : <label class="words" dir="auto" id={`${id}-label`} for={id}>{labelOf(field)}<Required field={field} /></label>}
        {only ? <FieldText field={field} value={value} /> : (
          <div class="row control" style={appearance(field)}>
            <div class="grow"><FieldControl field={field} value={value} path={path} onChange={onChange} hint={hint !== undefined} /></div>
            {onRemove}
          </div>
        )}
        {hint !== undefined && <span class="small muted words" id={`${id}-hint`}>{hint}</span>}
        {field.tooltip !== undefined && !only && <span class="small muted words" dir="auto">{field.tooltip}</span>}
        <Mistakes path={path} />
      </div>
    </Surrounded>
  );
}
