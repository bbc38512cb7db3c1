// SPDX-License-Identifier: Apache-2.0
// A form as the server describes it, shown with native controls.
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import type { Problem } from '../api/client';
import { contentOf } from '../api/upload';
import { t } from '../text/text';
import { reasonOf } from '../ui/message';
import { AroundContext, labelOf, type Around, type Files } from './around';
import './form.css';
import { FieldList } from './groups';
import { placed, refined, shownPaths, words } from './mistakes';
import { groupsOf, type Form, type Mistake, type Values } from './values';

const noFiles: Files = { href: contentOf };
const nobody = () => undefined;

/**
 * `refusals` counts how often the first mistake is to get the focus.  With
 * `readOnly` all values are texts.
 */
export function FormView({ form, value, onChange, mistakes = [], onTouch = nobody, busy = false, readOnly = false, files = noFiles, refusals = 0, refused }: {
  form: Form;
  value: Values;
  onChange: (value: Values) => void;
  mistakes?: readonly Mistake[];
  onTouch?: (path: string) => void;
  busy?: boolean;
  readOnly?: boolean;
  files?: Files;
  refusals?: number;
  /** Why the values as they are were not taken. */
  refused?: Problem | undefined;
}) {
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const all = useMemo(() => (readOnly ? form.fields.map(unchanging) : form.fields), [form.fields, readOnly]);
  // What is not filled in yet is named, and takes no space.
  const empty = readOnly ? all.filter((field) => !field.hidden && field.name !== '' && value[field.name] === undefined) : [];
  const fields = readOnly ? all.filter((field) => !empty.includes(field)) : all;
  const groups = useMemo(() => groupsOf(all), [all]);
  const places = placed(refined(mistakes, fields, value, groups), shownPaths(fields, value, groups));
  const around: Around = { id, busy, groups, mistakes: places, files, touch: onTouch };

  useEffect(() => {
    if (refusals === 0) return;
    const first = root.current?.querySelector<HTMLElement>('.mistakes');
    const field = first?.closest('.form-field, td, .card, fieldset')?.querySelector<HTMLElement>('input, select, textarea, button');
    (field ?? first)?.focus();
    first?.scrollIntoView({ block: 'nearest' });
  }, [refusals]);

  return (
    <AroundContext.Provider value={around}>
      <div class="form" ref={root}>
        {form.title !== undefined && form.attributes?.['hideBanner'] !== 'true' && <h2 class="words" dir="auto">{form.title}</h2>}
        {form.custom_form !== undefined && (
          <p class="notice">{t('form.custom')} <a class="words" href={safe(form.custom_form)} target="_blank" rel="noopener noreferrer">{form.custom_form}</a></p>
        )}
        {refused && <Refused key={refused.message} problem={refused} />}
        {places.has('') && (
          <div class="notice failed mistakes" role="alert" tabIndex={-1}>
            {places.get('')!.map((one, index) => <div key={index} class="words">{words(one)}</div>)}
          </div>
        )}
        {all.every((field) => field.hidden) && <p class="muted">{t('form.nothing')}</p>}
        <div class="form-fields"><FieldList fields={fields} values={value} path="" onChange={onChange} /></div>
        {empty.length > 0 && <p class="muted words" dir="auto">{t('form.toFillIn', { fields: empty.map(labelOf).join(', ') })}</p>}
      </div>
    </AroundContext.Provider>
  );
}

/** Stands where the eyes are: it is brought there, and read aloud. */
export function Refused({ problem }: { problem: Problem }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    root.current?.scrollIntoView({ block: 'nearest' });
    root.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={root} class="notice failed refused" role="alert" tabIndex={-1}>
      <div class="strong">{t('form.refused')}</div>
      <div class="words" dir="auto">{reasonOf(problem)}</div>
    </div>
  );
}

/** A specification may name any address, and a script is one, too. */
const safe = (address: string): string | undefined => (/^https?:\/\//i.test(address) ? address : undefined);

type Field = Form['fields'][number];
const unchanging = (field: Field): Field => ({
  ...field,
  read_only: true,
  ...(field.fields ? { fields: field.fields.map(unchanging) } : {}),
  ...(field.alternatives ? { alternatives: field.alternatives.map((one) => one.map(unchanging)) } : {}),
});
