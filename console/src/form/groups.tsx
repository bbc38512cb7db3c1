// SPDX-License-Identifier: Apache-2.0
// Fields that contain others: groups, choices, and what is repeated.
import { useRef, useState } from 'preact/hooks';
import { t } from '../text/text';
import { Icon } from '../ui/icons';
import { idOf, labelOf, useAround } from './around';
import { FieldControl, FieldText, isShownOnly, Mistakes, Required, SimpleField, Surrounded } from './field-view';
import { choicePath, inside } from './mistakes';
import { asList, asObject, blank, chooseAlternative, chosenAlternative, fieldsOf, groupOf, isFlat, withMember, type Field, type Values } from './values';

const OPTIONAL_MANY = 5;

interface Members {
  fields: Field[];
  values: Values;
  path: string;
  onChange: (values: Values) => void;
}

/** Fields in their order; many optional ones stand together, to be opened. */
export function FieldList({ fields, values, path, onChange }: Members) {
  const { mistakes } = useAround();
  const shown = fields.filter((field) => !field.hidden);
  const [optional] = useState(() => new Set(shown.filter((field) => !field.required && !isShownOnly(field) && field.name !== '' && values[field.name] === undefined).map((field) => field.name)));
  const grouped = optional.size >= OPTIONAL_MANY && optional.size < shown.length;
  const one = (field: Field, index: number) => (
    <FieldIn key={field.name || index} field={field} values={values} path={path} onChange={onChange} />
  );
  const later = grouped ? shown.filter((field) => optional.has(field.name)) : [];
  const wrong = later.some((field) => [...mistakes.keys()].some((at) => at.startsWith(inside(path, field.name))));
  return (
    <>
      {shown.filter((field) => !later.includes(field)).map(one)}
      {later.length > 0 && (
        <details class="optional" open={wrong}>
          <summary>{t('form.optional', { n: later.length })}</summary>
          <div class="form-fields">{later.map(one)}</div>
        </details>
      )}
    </>
  );
}

function FieldIn({ field, values, path, onChange }: { field: Field } & Omit<Members, 'fields'>) {
  const own = inside(path, field.name);
  const value = values[field.name];
  const put = (next: unknown) => onChange(withMember(values, field.name, next));
  if (field.widget === 'choice') return <Choice field={field} values={values} path={path} onChange={onChange} />;
  if (field.repeat) return <Repeated field={field} value={value} path={own} onChange={put} />;
  if (field.widget === 'group') return <Group field={field} value={value} path={own} onChange={put} />;
  return <SimpleField field={field} value={value} path={own} onChange={put} />;
}

function Group({ field, value, path, onChange }: { field: Field; value: unknown; path: string; onChange: (value: unknown) => void }) {
  const { groups, busy } = useAround();
  // JSON cannot express what is in it: it is a text of XML.
  if (typeof value === 'string') return <SimpleField field={{ ...field, widget: 'xml' }} value={value} path={path} onChange={onChange} />;
  const nested = field.like !== undefined && value === undefined;
  return (
    <Surrounded field={field}>
      <fieldset class="group" title={field.tooltip}>
        <legend class="words" dir="auto">{labelOf(field)}<Required field={field} /></legend>
        <Mistakes path={path} />
        {nested ? !isShownOnly(field) && <button type="button" class="button" disabled={busy} onClick={() => onChange(blank(field, groups))}><Icon name="plus" size={16} />{t('common.add')}</button> : (
          <div class="form-fields">
            <FieldList fields={fieldsOf(field, groups)} values={asObject(value)} path={path} onChange={(next) => onChange(groupOf(field, next))} />
          </div>
        )}
      </fieldset>
    </Surrounded>
  );
}

function Choice({ field, values, path, onChange }: { field: Field } & Omit<Members, 'fields'>) {
  const around = useAround();
  const { groups } = around;
  const alternatives = field.alternatives ?? [];
  const [picked, setPicked] = useState<number>();
  // What was filled in of an alternative is there again when it is chosen again.
  const left = useRef(new Map<number, Values>());
  const chosen = chosenAlternative(field, values) ?? picked;
  const name = `${idOf(around, path)}-choice-${alternatives[0]?.[0]?.path ?? ''}`;
  const choose = (index: number) => {
    if (chosen !== undefined) left.current.set(chosen, values);
    setPicked(index);
    const before = left.current.get(index);
    const start = before ? { ...values, ...Object.fromEntries((alternatives[index] ?? []).map((one) => [one.name, before[one.name]])) } : values;
    onChange(chooseAlternative(field, start, index, groups));
  };
  const titled = (fields: Field[]) => fields.filter((one) => !one.hidden).map(labelOf).join(' + ') || t('common.none');
  return (
    <fieldset class="group choice">
      <legend class="words" dir="auto">{field.label ?? t('form.oneOf')}<Required field={field} /></legend>
      {!field.read_only && (
        <div class="radios">
          {alternatives.map((fields, index) => (
            <label key={index} class="check">
              <input type="radio" name={name} disabled={around.busy} checked={chosen === index} onChange={() => choose(index)} />
              <span class="words" dir="auto">{titled(fields)}</span>
            </label>
          ))}
        </div>
      )}
      <Mistakes path={choicePath(field, path)} />
      {chosen !== undefined && (
        <div class="form-fields" key={chosen}>
          <FieldList fields={alternatives[chosen] ?? []} values={values} path={path} onChange={onChange} />
        </div>
      )}
    </fieldset>
  );
}

function Repeated({ field, value, path, onChange }: { field: Field; value: unknown; path: string; onChange: (value: unknown) => void }) {
  const { groups, busy } = useAround();
  const list = asList(value);
  const fields = fieldsOf(field, groups);
  const { minimum, maximum } = field.repeat!;
  const only = isShownOnly(field);
  const change = (next: unknown[]) => onChange(next.length === 0 ? undefined : next);
  const put = (index: number, next: unknown) => change(list.map((one, at) => (at === index ? next : one)));
  const removed = list.length <= minimum && field.required ? t('form.least', { n: minimum }) : undefined;
  const added = maximum !== undefined && list.length >= maximum ? t('form.most', { n: maximum }) : undefined;
  const remove = (index: number) => only ? null : (
    <button type="button" class="button plain icon" aria-label={t('form.removeNumber', { n: index + 1 })} title={removed ?? t('common.remove')} aria-disabled={removed !== undefined || busy}
      onClick={() => { if (removed === undefined && !busy) change(list.filter((_, at) => at !== index)); }}><Icon name="close" size={14} /></button>
  );
  const limits = maximum === undefined ? (minimum > 0 ? t('form.atLeast', { min: minimum }) : undefined) : t('form.between', { min: minimum, max: maximum });
  return (
    <Surrounded field={field}>
      <fieldset class="group" title={field.tooltip}>
        <legend class="words" dir="auto">{labelOf(field)}<Required field={field} /> {limits !== undefined && !only && <span class="small muted">{limits}</span>}</legend>
        <Mistakes path={path} />
        {list.length === 0 && only && <span class="muted">–</span>}
        {field.widget !== 'group' ? list.map((one, index) => (
          <SimpleField key={index} field={{ ...field, label: String(index + 1) }} value={one ?? undefined} path={`${path}[${index + 1}]`} onChange={(next) => put(index, next ?? null)} onRemove={remove(index)} />
        )) : isFlat(fields) ? (
          list.length > 0 && <Rows label={labelOf(field)} fields={fields.filter((one) => !one.hidden)} list={list} path={path} put={put} remove={only ? undefined : remove} />
        ) : list.map((one, index) => (
          <div key={index} class="card">
            <div class="row"><span class="strong grow num">{index + 1}</span>{remove(index)}</div>
            <Mistakes path={`${path}[${index + 1}]`} />
            <div class="form-fields"><FieldList fields={fields} values={asObject(one)} path={`${path}[${index + 1}]`} onChange={(next) => put(index, next)} /></div>
          </div>
        ))}
        {!only && (
          <button type="button" class="button" aria-disabled={added !== undefined || busy} title={added} onClick={() => { if (added === undefined && !busy) change([...list, field.widget === 'group' ? blank(field, groups) : (blank(field, groups) ?? null)]); }}>
            <Icon name="plus" size={16} />{t('common.add')}
          </button>
        )}
      </fieldset>
    </Surrounded>
  );
}

/** A flat repeated group as a table. */
function Rows({ label, fields, list, path, put, remove }: { label: string; fields: Field[]; list: unknown[]; path: string; put: (index: number, value: Values) => void; remove: ((index: number) => preact.ComponentChildren) | undefined }) {
  const around = useAround();
  return (
    <div class="table-wrap">
      <table class="form-rows" aria-label={label}>
        <thead>
          <tr>
            {fields.map((field) => <th key={field.name} scope="col" title={field.tooltip} id={`${idOf(around, path)}-${field.name}`}><span dir="auto">{labelOf(field)}</span><Required field={field} /></th>)}
            {remove && <th><span class="sr-only">{t('common.remove')}</span></th>}
          </tr>
        </thead>
        <tbody>
          {list.map((one, index) => {
            const at = `${path}[${index + 1}]`;
            const values = asObject(one);
            return (
              <tr key={index}>
                {fields.map((field) => {
                  const own = inside(at, field.name);
                  return (
                    <td key={field.name}>
                      <label class="sr-only" for={idOf(around, own)} id={`${idOf(around, own)}-label`}>{`${labelOf(field)} ${index + 1}`}</label>
                      {isShownOnly(field) ? <FieldText field={field} value={values[field.name]} /> : <FieldControl field={field} value={values[field.name]} path={own} onChange={(next) => put(index, withMember(values, field.name, next))} />}
                      <Mistakes path={own} />
                    </td>
                  );
                })}
                {remove && <td class="remove">{remove(index)}<Mistakes path={at} /></td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
