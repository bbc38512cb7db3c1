// SPDX-License-Identifier: Apache-2.0
// What an action of a work item asks for before it is done: a form, people, a
// service, data, a due time.
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { FormView } from '../../form/form-view';
import { itemFiles } from '../../form/item-files';
import { PersonField } from '../../form/person';
import { ServiceField } from '../../form/service';
import { useUrgency } from '../../form/urgency';
import { useForm } from '../../form/use-form';
import { refuse } from '../../form/use-submit';
import { t } from '../../text/text';
import type { Option } from '../../ui/combobox';
import { Field } from '../../ui/control';
import { attempt, Await, Dialog } from '../../ui/message';
import { objectOf } from './json';
import type { Item } from './apply';
import { doItem } from './item-menu';
import type { ItemAction } from './item-actions';
import type { CaseModel } from './model';

interface Props {
  item: Item;
  action: ItemAction;
  of: CaseModel;
  onClose: () => void;
}

/** A dialog that gives the command with what `body` makes; false: not ready. */
function Frame({ item, action, of, onClose, body, ready, wide = false, onRefused, children }: Props & { body: () => object | undefined | Promise<object | undefined>; ready: boolean; wide?: boolean; onRefused?: (failure: unknown) => unknown; children: ComponentChildren }) {
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    const given = await body();
    if (given !== undefined && (await attempt(() => doItem(item, action, given), t('item.done', { verb: t(action.label), task: of.names.of(item.task) }), onRefused))) {
      of.changed();
      onClose();
    }
    setBusy(false);
  };
  return (
    <Dialog wide={wide} title={t('item.ask', { verb: t(action.label), task: of.names.of(item.task) })} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={busy || !ready} onClick={() => void submit()}>{t(action.label)}</button>
      </>
    }>
      {action.warning && <p>{t(action.warning)}</p>}
      {children}
    </Dialog>
  );
}

function PersonDialog(props: Props) {
  const [chosen, setChosen] = useState<Option>();
  const [dropped, setDropped] = useState(false);
  const [reason, setReason] = useState('');
  const body = () => ({ to: chosen?.value, ...(reason.trim() === '' ? {} : { reason: reason.trim() }), ...(dropped ? { without_data: true } : {}) });
  return (
    <Frame {...props} ready={chosen !== undefined} body={body}>
      <Field label={t('work.person')} id="item-to"><PersonField id="item-to" value={chosen} onChoose={setChosen} /></Field>
      {props.action.id === 'reallocate' && <label class="row"><input type="checkbox" checked={dropped} onChange={(event) => setDropped(event.currentTarget.checked)} />{t('work.withoutData')}</label>}
      <Field label={t('common.reason')} id="item-reason"><input id="item-reason" value={reason} maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} /></Field>
    </Frame>
  );
}

function PeopleDialog(props: Props) {
  const [people, setPeople] = useState<string[]>([]);
  return (
    <Frame {...props} ready body={() => (people.length === 0 ? {} : { to: people })}>
      <p class="muted">{t('item.offer.help')}</p>
      <Field label={t('item.addPerson')} id="item-people">
        <PersonField id="item-people" value={undefined} onChoose={(person) => { if (person && !people.includes(person.value)) setPeople([...people, person.value]); }} />
      </Field>
      <div class="row wrap">
        {people.map((user) => <button key={user} type="button" class="chip" title={t('common.remove')} onClick={() => setPeople(people.filter((one) => one !== user))}>{user} ×</button>)}
      </div>
    </Frame>
  );
}

function ServiceDialog(props: Props) {
  const [service, setService] = useState('');
  return (
    <Frame {...props} ready={service !== ''} body={() => ({ service })}>
      <ServiceField id="item-service" value={service} onChoose={setService} />
    </Frame>
  );
}

function UrgencyDialog(props: Props) {
  const { fields, body, valid } = useUrgency(props.item);
  return <Frame {...props} ready={valid && Object.keys(body).length > 0} body={() => body}>{fields}</Frame>;
}

function DataDialog(props: Props) {
  const input = useResource((signal) => api.get('/v1/items/{item}/data', { path: { item: props.item.item }, signal }), [props.item.item]);
  const [text, setText] = useState<string>();
  const known = input.data.value;
  const shown = text ?? (known === undefined ? '' : JSON.stringify(known, null, 2));
  const parsed = objectOf(shown);
  return (
    <Frame {...props} wide ready={parsed !== undefined} body={() => parsed}>
      <Field label={t('item.data')} id="item-data" hint={t('item.data.help')}>
        <textarea id="item-data" class="mono" rows={12} spellcheck={false} aria-invalid={shown !== '' && parsed === undefined} value={shown} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
    </Frame>
  );
}

function FormDialog(props: Props) {
  const path = { item: props.item.item };
  const detail = useResource((signal) => api.get('/v1/items/{item}', { path, signal }), [props.item.item]);
  const filling = useForm({
    load: (signal) => api.get('/v1/items/{item}/form', { path, signal }),
    check: (data, signal) => api.post('/v1/items/{item}/form', { path, body: data, signal }),
    names: detail.data.value?.outputs?.map((one) => one.name),
    dependencies: [props.item.item],
  });
  return (
    <Frame {...props} wide ready={filling.form.value !== undefined && detail.data.value !== undefined} onRefused={(failure) => refuse(filling, failure)} body={async () => ((await filling.verify()) ? filling.output() : undefined)}>
      <Await of={filling.resource}>
        {(read) => <FormView form={filling.form.value ?? read} value={filling.value.value} onChange={filling.change} mistakes={filling.mistakes.value} onTouch={filling.touch} refusals={filling.refusals.value} refused={filling.refused.value} files={itemFiles(props.item.item)} />}
      </Await>
    </Frame>
  );
}

export function ItemDialog(props: Props) {
  switch (props.action.needs) {
    case 'person': return <PersonDialog {...props} />;
    case 'people': return <PeopleDialog {...props} />;
    case 'service': return <ServiceDialog {...props} />;
    case 'urgency': return <UrgencyDialog {...props} />;
    case 'form': return <FormDialog {...props} />;
    default: return <DataDialog {...props} />;
  }
}
