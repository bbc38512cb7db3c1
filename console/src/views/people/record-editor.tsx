// SPDX-License-Identifier: Apache-2.0
// Adding and changing a record, by the description of its kind.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Field } from '../../ui/control';
import { Dialog, reasonOf } from '../../ui/message';
import { changes, kinds, text, type Kind, type Member, type OrgRecord } from './kinds';
import { LinkPicker } from './link-picker';

type Values = Record<string, unknown>;
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : value === undefined || value === '' ? [] : [text(value)]);

function Control({ id, member, value, onChange }: { id: string; member: Member; value: unknown; onChange: (value: unknown) => void }) {
  switch (member.type) {
    case 'lines':
      return <textarea id={id} dir="auto" value={text(value)} onInput={(event) => onChange(event.currentTarget.value)} />;
    case 'flag':
      return <input id={id} type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
    case 'link':
      return <LinkPicker id={id} kind={member.to!} many={false} value={list(value)} onChange={(next) => onChange(next[0] ?? '')} />;
    case 'links':
      return <LinkPicker id={id} kind={member.to!} many value={list(value)} onChange={onChange} />;
    case 'texts':
      return <textarea id={id} dir="auto" value={list(value).join('\n')} onInput={(event) => onChange(event.currentTarget.value.split('\n').filter((line) => line.trim() !== ''))} />;
    case 'choice':
      return (
        <select id={id} value={text(value)} onChange={(event) => onChange(event.currentTarget.value)}>
          {!member.values!.includes('') && text(value) === '' && <option value="">–</option>}
          {member.values!.map((one) => <option key={one} value={one}>{one === '' ? '–' : one}</option>)}
        </select>
      );
    case 'choices':
      return (
        <div id={id} class="column" role="group">
          {member.values!.map((one) => (
            <label key={one} class="row" title={one}>
              <input type="checkbox" checked={list(value).includes(one)} onChange={(event) => onChange(event.currentTarget.checked ? [...list(value), one] : list(value).filter((other) => other !== one))} />
              <span>{member.word ? t(member.word(one)) : one}</span>
            </label>
          ))}
        </div>
      );
    case 'object':
      return <textarea id={id} class="mono" spellcheck={false} value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)} onInput={(event) => onChange(event.currentTarget.value)} />;
    case 'amount':
      return <input id={id} inputMode="decimal" value={text(value)} onInput={(event) => onChange(event.currentTarget.value)} />;
    case 'text':
      return <input id={id} dir="auto" required={member.required} value={text(value)} onInput={(event) => onChange(event.currentTarget.value)} />;
  }
}

/** What was typed as the values that the interface takes; throws on bad JSON. */
function parsed(kind: Kind, values: Values): Values {
  const next: Values = { ...values };
  for (const member of kinds[kind].members) {
    const value = next[member.name];
    if (member.type === 'object' && typeof value === 'string')
      next[member.name] = value.trim() === '' ? '' : (JSON.parse(value) as unknown);
    if (member.type === 'amount' && typeof value === 'string' && value.trim() !== '') next[member.name] = Number(value);
  }
  return next;
}

export function RecordEditor({ kind, record, version, onClose, onDone }: { kind: Kind; record?: OrgRecord; version?: string | undefined; onClose: () => void; onDone: (record: OrgRecord) => void }) {
  const [values, setValues] = useState<Values>(record ?? {});
  const [refusal, setRefusal] = useState<string>();

  async function submit(event: Event) {
    event.preventDefault();
    try {
      const now = parsed(kind, values);
      const body = changes(kind, record ?? {}, now);
      const saved = record
        ? await api.patch(`/v1/${kind}/{record}` as '/v1/roles/{record}', { path: { record: record.id }, body, ...(version === undefined ? {} : { headers: { 'If-Match': version } }) })
        : await api.post(`/v1/${kind}` as '/v1/roles', { body });
      onDone(saved);
    } catch (error) {
      setRefusal(error instanceof SyntaxError ? t('people.notJson', { text: String(error) }) : reasonOf(error));
    }
  }

  return (
    <Dialog wide title={record ? t('people.changeOne', { kind: t(kinds[kind].one) }) : t('people.addOne', { kind: t(kinds[kind].one) })} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="record-form" class="button primary">{t('common.save')}</button>
      </>
    }>
      {refusal !== undefined && <div class="notice failed words" role="alert">{refusal}</div>}
      <form id="record-form" class="record-form" onSubmit={(event) => void submit(event)}>
        {kinds[kind].members.map((member) => (
          <Field key={member.name} id={`record-${member.name}`} label={t(member.label) + (member.required ? ' *' : '')} {...(member.hint ? { hint: t(member.hint) } : {})}>
            <Control id={`record-${member.name}`} member={member} value={values[member.name]} onChange={(value) => setValues((before) => ({ ...before, [member.name]: value }))} />
          </Field>
        ))}
      </form>
    </Dialog>
  );
}
