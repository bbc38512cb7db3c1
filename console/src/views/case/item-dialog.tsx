// SPDX-License-Identifier: Apache-2.0
// What an action of a work item asks for before it is done: a form, people, a
// service, data, a due time.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { FormView } from '../../form/form-view';
import { itemFiles } from '../../form/item-files';
import { PersonDialog, PersonField } from '../../form/person';
import { ServiceDialog } from '../../form/service';
import { useUrgency } from '../../form/urgency';
import { useForm } from '../../form/use-form';
import { refuse } from '../../form/use-submit';
import { t } from '../../text/text';
import { CommandDialog } from '../../ui/command-dialog';
import { Field } from '../../ui/control';
import { attempt, Await } from '../../ui/message';
import { objectOf } from './json';
import type { Item } from './apply';
import { doItem, type ItemAction } from './item-actions';
import type { CaseModel } from './model';

interface Props {
  item: Item;
  action: ItemAction;
  of: CaseModel;
  onClose: () => void;
}

const titleOf = ({ item, action, of }: Props): string => t('item.ask', { verb: t(action.label), task: of.names.of(item.task) });

/** True when it was done. */
async function give({ item, action, of }: Props, body: object, onRefused?: (failure: unknown) => unknown): Promise<boolean> {
  const done = await attempt(() => doItem(item, action, body), t('item.done', { verb: t(action.label), task: of.names.of(item.task) }), onRefused);
  if (done) of.changed();
  return done;
}

function PeopleDialog(props: Props) {
  const [people, setPeople] = useState<string[]>([]);
  return (
    <CommandDialog title={titleOf(props)} verb={t(props.action.label)} onDo={() => give(props, people.length === 0 ? {} : { to: people })} onClose={props.onClose}>
      <p class="muted">{t('item.offer.help')}</p>
      <Field label={t('item.addPerson')} id="item-people">
        <PersonField id="item-people" value={undefined} onChoose={(person) => { if (person && !people.includes(person.value)) setPeople([...people, person.value]); }} />
      </Field>
      <div class="row wrap">
        {people.map((user) => <button key={user} type="button" class="chip" title={t('common.remove')} onClick={() => setPeople(people.filter((one) => one !== user))}>{user} ×</button>)}
      </div>
    </CommandDialog>
  );
}

function UrgencyDialog(props: Props) {
  const { fields, body, valid } = useUrgency(props.item);
  return <CommandDialog title={titleOf(props)} verb={t(props.action.label)} ready={valid && Object.keys(body).length > 0} onDo={() => give(props, body)} onClose={props.onClose}>{fields}</CommandDialog>;
}

function DataDialog(props: Props) {
  const input = useResource((signal) => api.get('/v1/items/{item}/data', { path: { item: props.item.item }, signal }), [props.item.item]);
  const [text, setText] = useState<string>();
  const known = input.data.value;
  const shown = text ?? (known === undefined ? '' : JSON.stringify(known, null, 2));
  const parsed = objectOf(shown);
  return (
    <CommandDialog wide title={titleOf(props)} verb={t(props.action.label)} ready={parsed !== undefined} onDo={() => give(props, parsed!)} onClose={props.onClose}>
      <Field label={t('item.data')} id="item-data" hint={t('item.data.help')}>
        <textarea id="item-data" class="mono" rows={12} spellcheck={false} aria-invalid={shown !== '' && parsed === undefined} value={shown} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
    </CommandDialog>
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
  const complete = async () => {
    if (!(await filling.verify())) return false;
    filling.rest(true);
    return give(props, filling.output(), (failure) => {
      filling.rest(false);
      return refuse(filling, failure);
    });
  };
  return (
    <CommandDialog wide title={titleOf(props)} verb={t(props.action.label)} ready={filling.form.value !== undefined && detail.data.value !== undefined} onDo={complete} onClose={props.onClose}>
      <Await of={filling.resource}>
        {(read) => <FormView form={filling.form.value ?? read} value={filling.value.value} onChange={filling.change} mistakes={filling.mistakes.value} onTouch={filling.touch} refusals={filling.refusals.value} refused={filling.refused.value} files={itemFiles(props.item.item)} />}
      </Await>
    </CommandDialog>
  );
}

export function ItemDialog(props: Props) {
  switch (props.action.needs) {
    case 'person': return <PersonDialog title={titleOf(props)} verb={t(props.action.label)} withoutData={props.action.id === 'reallocate'} onDo={(body) => give(props, body)} onClose={props.onClose} />;
    case 'people': return <PeopleDialog {...props} />;
    case 'service': return <ServiceDialog title={titleOf(props)} verb={t(props.action.label)} onDo={(body) => give(props, body)} onClose={props.onClose} />;
    case 'urgency': return <UrgencyDialog {...props} />;
    case 'form': return <FormDialog {...props} />;
    default: return <DataDialog {...props} />;
  }
}
