// SPDX-License-Identifier: Apache-2.0
// An item: what it is, its form, what can be done with it, what surrounds it.
import { api, session, type Problem } from '../../api/client';
import { useResource } from '../../api/resource';
import { useCrumbs } from '../../app/crumbs';
import { may } from '../../app/session';
import { FormView } from '../../form/form-view';
import { itemFiles } from '../../form/item-files';
import { useForm, type Filling } from '../../form/use-form';
import type { Values } from '../../form/values';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { Await, Empty, Failure, reasonOf, Skeleton } from '../../ui/message';
import { State } from '../../ui/state';
import { workAddress } from './address';
import { ItemBar } from './bar';
import type { Acting, Detail } from './actions';
import { Context } from './context';
import { useDraft } from './draft';
import { useFocusOf, wantFocus } from './keys';
import { changeAll, useLatestChange } from './live';
import { nextItem, stateOf } from './order';
import { Urgency } from './urgency';
import { isReported, openItem, queryNow } from './worklist';

const NEXT_OF = 20;
const GONE = new Set([403, 404, 409, 410]);

/** Opens what is next by its due time, or says that nothing is left. */
async function openNext(done: string): Promise<void> {
  const answer = await api.get('/v1/worklist', { query: { ...queryNow(), order: 'due', limit: NEXT_OF } }).catch(() => undefined);
  const next = nextItem(answer?.items ?? [], done);
  wantFocus(next?.item);
  openItem(next?.item, next?.for);
  if (!isReported()) changeAll();
}

export function ItemView({ item, inPlaceOf }: { item: string; inPlaceOf: string | undefined }) {
  const detail = useResource((signal) => api.get('/v1/items/{item}', { path: { item }, query: { for: inPlaceOf }, signal }), [item, inPlaceOf]);
  useLatestChange((change) => {
    if (change.all || change.left.has(item) || change.here.has(item)) void detail.reload();
  });
  const known = detail.data.value;
  useCrumbs({ label: t('frame.work'), href: workAddress() }, { label: known?.name ?? known?.task ?? item });
  const error = detail.error.value;
  if (error && GONE.has(error.status)) return <Gone error={error} item={item} />;
  return <Await of={detail}>{(shown) => <Item key={`${shown.status} ${shown.assignment ?? ''} ${shown.holder ?? ''}`} detail={shown} inPlaceOf={inPlaceOf} reload={() => detail.reload()} />}</Await>;
}

function Gone({ error, item }: { error: Problem; item: string }) {
  return (
    <div class="item">
      <BackLink />
      <Empty>
        <p>{t(error.status === 403 ? 'work.taken' : 'work.gone')}</p>
        <p class="small words">{reasonOf(error)}</p>
        <p><button type="button" class="button" onClick={() => void openNext(item)}>{t('work.next')}</button></p>
      </Empty>
    </div>
  );
}

const BackLink = () => <a class="item-back row" href={workAddress()}><Icon name="back" size={16} />{t('common.back')}</a>;

function Item({ detail, inPlaceOf, reload }: { detail: Detail; inPlaceOf: string | undefined; reload: () => Promise<void> }) {
  const { item } = detail;
  const filled = detail.status === 'executing' && (detail.actions?.includes('complete') ?? false);
  const path = { item };
  const filling = useForm({
    load: (signal) => api.get('/v1/items/{item}/form', { path, signal }),
    check: (values, signal) => api.post('/v1/items/{item}/form', { path, body: values, signal }),
    names: detail.outputs?.map((one) => one.name),
    dependencies: [item, filled],
  });
  const draft = useDraft(item, filling, filled);
  const of: Acting = {
    detail, inPlaceOf,
    onLeft: () => openNext(item),
    onChanged: async (id) => { if (id === item) await reload(); else openItem(id, inPlaceOf); wantFocus(id); },
  };
  const complete = async (values: Values): Promise<void> => {
    await api.post('/v1/items/{item}/complete', { path, query: { for: inPlaceOf }, body: values });
    draft.end();
    await openNext(item);
  };
  const root = useFocusOf(item, !filled || filling.form.value !== undefined);
  return (
    <article class="item" ref={root}>
      <div class="item-scroll">
        <ItemHead of={of} />
        <div class="item-columns">
          <div class="item-form"><ItemForm detail={detail} filling={filling} filled={filled} /></div>
          <aside class="item-context" aria-label={t('work.context')}><Context detail={detail} own={isOwn(of)} mayAdd={filled} saved={draft.at.value} /></aside>
        </div>
      </div>
      <ItemBar of={of} filling={filling} draft={draft} filled={filled} onComplete={complete} />
    </article>
  );
}

/** Whether the participant has it, or somebody whose deputy it is. */
const isOwn = ({ detail, inPlaceOf }: Acting): boolean => detail.holder !== undefined && (detail.holder === session.value?.account || detail.holder === inPlaceOf);

function ItemHead({ of }: { of: Acting }) {
  const { detail } = of;
  const own = isOwn(of);
  return (
    <header class="item-head">
      <BackLink />
      <h1 class="words" dir="auto" tabIndex={-1}>{detail.name ?? detail.task}</h1>
      <div class="row wrap item-facts">
        <State value={stateOf(detail)} />
        {detail.holder !== undefined && !own && <span class="row cut"><Icon name="person" size={16} /><span class="cut" dir="auto">{detail.holder}</span></span>}
        {may('read') ? <a href={`/cases/${encodeURIComponent(detail.case)}`}>{t('work.case', { case: detail.case })}</a> : <span class="muted">{t('work.case', { case: detail.case })}</span>}
        {detail.suspended_case && <span class="chip" title={t('work.caseSuspendedHint')}>{t('work.caseSuspended')}</span>}
        <Urgency of={of} mayChange={own || may('operate')} />
      </div>
      {of.inPlaceOf !== undefined && <p class="notice">{t('work.forWhom', { person: of.inPlaceOf })}</p>}
      {detail.piled_to !== undefined && <p class="notice">{t('work.piledTo', { person: detail.piled_to })}</p>}
      {detail.chained_to !== undefined && <p class="notice">{t('work.chainedTo', { person: detail.chained_to })}</p>}
      {detail.documentation !== undefined && <p class="words documentation" dir="auto">{detail.documentation}</p>}
    </header>
  );
}

function ItemForm({ detail, filling, filled }: { detail: Detail; filling: Filling; filled: boolean }) {
  const form = filling.form.value;
  if (!form) {
    const failure = filling.resource.error.value;
    return failure ? <Failure error={failure} again={() => void filling.resource.reload()} /> : <Skeleton lines={6} />;
  }
  const unchecked = filling.unchecked.value;
  return (
    <form noValidate autocomplete="off" onSubmit={(event) => event.preventDefault()}>
      {unchecked && <Failure error={unchecked} what={t('work.unchecked')} />}
      <FormView form={form} value={filling.value.value} onChange={filling.change} onTouch={filling.touch} mistakes={filling.mistakes.value} refusals={filling.refusals.value} refused={filling.refused.value} readOnly={!filled || form.read_only} files={itemFiles(detail.item)} />
    </form>
  );
}

