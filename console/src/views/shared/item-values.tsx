// SPDX-License-Identifier: Apache-2.0
// The values of an item: its input, as a form if that is wanted and as data,
// and what is saved of its form.
import { useMemo } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { FormView } from '../../form/form-view';
import { itemFiles } from '../../form/item-files';
import { groupsOf, prepare, type Form, type Values } from '../../form/values';
import { language, t } from '../../text/text';
import { Await } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { Time } from '../../ui/time';
import { compareData } from './difference';
import { DataTree } from './tree';
import './shared.css';

type Preview = Schema['Preview'];
type Input = Preview | Values;

/** A preview has members of its own; a parameter may be called so, too. */
const isPreview = (input: Input): input is Preview => input['preview'] === true && Array.isArray(input['items']);

/** What the item has, or would start with; of several instances each. */
function inputOf(input: Input): { values: Values; instances: Values | undefined } {
  if (!isPreview(input)) return { values: input, instances: undefined };
  const instances = Object.fromEntries(input.items.map((one) => [one.item, one.data]));
  return { values: (input.items[0]?.data ?? {}) as Values, instances: input.items.length > 1 ? instances : undefined };
}

function Data({ values, before, none }: { values: Values; before?: Values; none: string }) {
  const branches = compareData(values, before).filter((branch) => before === undefined || branch.change !== 'same');
  return branches.length === 0 ? <p class="muted">{none}</p> : <DataTree branches={branches} label={t('values.data')} />;
}

function InputForm({ item, form, values }: { item: string; form: Form; values: Values }) {
  const prepared = useMemo(() => prepare(form.fields, values, groupsOf(form.fields)), [form, values]);
  // What an item only gives has no value yet.
  const given = useMemo(() => ({ ...form, fields: form.fields.filter((field) => field.name === '' || values[field.name] !== undefined) }), [form, values]);
  return <FormView form={given} value={prepared} onChange={() => undefined} readOnly files={itemFiles(item)} />;
}

function Draft({ form, input }: { form: Form; input: Values }) {
  if (!form.draft) return null;
  return (
    <section class="item-values-draft">
      <h2>{t('values.draft')}</h2>
      <p class="small muted"><Name value={form.draft.by} /> · <Time at={form.draft.saved} /></p>
      <Data values={form.data} before={input} none={t('values.draft.same')} />
    </section>
  );
}

/** `saved`: when a draft was saved last; what is shown is read anew then. */
export function ItemValues({ item, asForm, saved }: { item: string; asForm: boolean; saved?: string | undefined }) {
  const path = { item };
  const both = useResource(async (signal) => {
    const [input, form] = await Promise.all([
      api.get('/v1/items/{item}/data', { path, signal }) as Promise<Input>,
      api.get('/v1/items/{item}/form', { path, query: { language: language.value }, signal }),
    ]);
    return { form, preview: isPreview(input), ...inputOf(input) };
  }, [item, saved, language.value]);
  return (
    <Await of={both} lines={4}>
      {({ form, preview, values, instances }) => (
        <div class="item-values">
          {preview && <p class="muted small">{t(instances ? 'values.previews' : 'values.preview')}</p>}
          <div class={asForm ? 'item-values-beside' : ''}>
            {asForm && <section><h2>{t('values.form')}</h2><InputForm item={item} form={form} values={values} /></section>}
            <section><h2>{t(asForm ? 'values.data' : 'values.input')}</h2><Data values={instances ?? values} none={t('values.none')} /></section>
          </div>
          <Draft form={form} input={values} />
        </div>
      )}
    </Await>
  );
}
