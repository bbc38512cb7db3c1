// SPDX-License-Identifier: Apache-2.0
// The bar of an item: what is done with it next, and whether it is saved.
import type { Filling } from '../../form/use-form';
import { useSubmit } from '../../form/use-submit';
import type { Values } from '../../form/values';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { reasonOf, say } from '../../ui/message';
import { Time } from '../../ui/time';
import { doAction, MoreActions, type Acting } from './actions';
import { useActionKeys } from './keys';
import type { Draft } from './draft';

/** What accepting takes from others. */
function Meaning({ of }: { of: Acting }) {
  const { offered_to: to, assignment } = of.detail;
  if (assignment !== 'offered' || !to) return null;
  const others = (to.people?.length ?? 0) - 1;
  const text = to.everybody ? t('work.offered.everybody')
    : to.roles && to.roles.length > 0 ? t('work.offered.roles', { roles: to.roles.join(', ') })
    : to.more ? t('work.offered.many') : others > 0 ? t('work.offered.people', { n: others }) : undefined;
  return text === undefined ? null : <span class="small muted words">{text}</span>;
}

function Saved({ draft }: { draft: Draft }) {
  const state = draft.state.value;
  if (state === 'unchanged') return <span class="grow" />;
  if (state === 'refused')
    return (
      <span class="row wrap grow small error-text" role="alert">{t('work.draft.refused')}
        <button type="button" class="button" onClick={() => location.reload()}>{t('work.draft.theirs')}</button>
        <button type="button" class="button" onClick={() => void draft.replace()}>{t('work.draft.mine')}</button>
      </span>
    );
  if (state === 'failed')
    return <span class="row grow small error-text words" role="alert" title={draft.problem.value && reasonOf(draft.problem.value)}>{t('work.draft.failed')} <button type="button" class="button" onClick={() => void draft.save()}>{t('common.retry')}</button></span>;
  return <span class="grow small muted num" role="status">{state === 'kept' ? <>{t('work.draft.kept')} <Time at={draft.at.value} /></> : t('work.draft.saving')}</span>;
}

export function ItemBar({ of, filling, draft, filled, onComplete }: { of: Acting; filling: Filling; draft: Draft; filled: boolean; onComplete: (values: Values) => Promise<void> }) {
  const { detail } = of;
  const can = (action: NonNullable<typeof detail.actions>[number]) => detail.actions?.includes(action) ?? false;
  const why = (action: string) => detail.refused?.[action]?.reason;

  const { busy, submit } = useSubmit(filling, async () => {
    await onComplete(filling.output());
    say(t(detail.suspended_case ? 'work.done.completeSuspended' : 'work.done.complete'));
  }, filled);

  const state = detail.assignment;
  const waits = detail.status !== 'suspended' && (state === 'offered' || state === 'allocated');
  const accept = () => doAction(of, 'accept');
  const start = () => doAction(of, 'start');
  useActionKeys({ a: waits && state === 'offered' && can('accept') ? accept : undefined, s: waits && can('start') ? start : undefined });
  return (
    <footer class="item-bar">
      {filled ? <Saved draft={draft} /> : <span class="grow"><Meaning of={of} /></span>}
      <MoreActions of={of} />
      {filled && <Action label={t('common.save')} onDo={() => draft.save()} />}
      {filled && <Action label={t('work.action.complete')} primary title="Ctrl+Enter" refused={busy ? t('work.completing') : undefined} onDo={submit} />}
      {detail.status === 'suspended' && (can('resume') || why('resume') !== undefined) && <Action label={t('work.action.resume')} primary refused={can('resume') ? undefined : why('resume')} onDo={() => doAction(of, 'resume')} />}
      {waits && state === 'offered' && <Action label={t('work.action.accept')} title={t('common.key', { key: 'A' })} refused={can('accept') ? undefined : (why('accept') ?? '')} onDo={accept} />}
      {waits && <Action label={t('work.action.start')} primary title={t('common.key', { key: 'S' })} refused={can('start') ? undefined : (why('start') ?? '')} onDo={start} />}
    </footer>
  );
}
