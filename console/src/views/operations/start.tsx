// SPDX-License-Identifier: Apache-2.0
// Starting an operation on many cases: what will happen is said first.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { processOf } from '../../app/specifications';
import { figure, t } from '../../text/text';
import { Field } from '../../ui/control';
import { ask, attempt, Await, Dialog, MANY } from '../../ui/message';
import { notOperable, operationFilter, type Filter } from '../shared/case-filter';
import { follow } from './tray';

type Kind = 'suspend' | 'resume' | 'cancel' | 'retry' | 'complete' | 'migrate';
const kinds: Kind[] = ['suspend', 'resume', 'cancel', 'retry', 'migrate', 'complete'];
/** What cannot be undone. */
const final = new Set<Kind>(['cancel', 'complete']);

type Preview = Schema['OperationPreview'];

function request(kind: Kind, filter: Filter, cases: string[] | undefined, version: string, rate: string): Schema['OperationRequest'] {
  return {
    kind,
    ...(cases ? { cases } : { filter: operationFilter(filter) }),
    ...(kind === 'migrate' && version !== '' ? { version } : {}),
    ...(rate === '' ? {} : { rate: Number(rate) }),
  };
}

function Refusals({ preview }: { preview: Preview }) {
  const refused = preview.sample.filter((one) => !one.allowed);
  if (refused.length === 0) return null;
  return (
    <div class="notice late column">
      <div>{t('operations.wouldRefuse', { n: refused.length, of: preview.tried })}</div>
      <ul class="plain-list">
        {refused.map((one) => <li key={one.subject ?? one.case} class="words"><span class="mono">{one.subject ?? one.case}</span> {one.refusal}</li>)}
      </ul>
    </div>
  );
}

function Groups({ preview }: { preview: Preview }) {
  if (!preview.groups) return null;
  return (
    <ul class="plain-list">
      {preview.groups.map((group) => (
        <li key={group.example} class={`notice ${group.allowed ? 'done' : 'late'}`}>
          <div>{t(group.allowed ? 'operations.groupAllowed' : 'operations.groupRefused', { n: group.count })} <span class="muted">{t('operations.example')} <a class="mono" href={`/cases/${encodeURIComponent(group.example)}`}>{group.example}</a></span></div>
          {group.refusal !== undefined && <div class="words">{group.refusal}</div>}
          {group.problems.map((problem) => <div key={problem.net + problem.element} class="words small">{problem.text}</div>)}
        </li>
      ))}
    </ul>
  );
}

export function OperationStart({ filter, cases, onClose, onStarted }: { filter: Filter; cases: string[] | undefined; onClose: () => void; onStarted: () => void }) {
  const [kind, setKind] = useState<Kind>('suspend');
  const [reason, setReason] = useState('');
  const [version, setVersion] = useState('');
  const [rate, setRate] = useState('');
  const [force, setForce] = useState(false);
  const reasonNot = cases ? undefined : notOperable(filter);
  const versions = processOf(filter.specification ?? '')?.versions ?? [];
  const preview = useResource<Preview>(async (signal) => {
    const answer = await api.post('/v1/operations', { body: { ...request(kind, filter, cases, version, rate), dry_run: true }, signal });
    return answer as Preview;
  }, [kind, version, JSON.stringify(filter), cases?.length]);
  const previewed = preview.data.value;

  async function start() {
    const count = previewed?.count ?? 0;
    // What will happen is said above the button.
    if (final.has(kind) && count >= MANY) {
      const text = t(`operations.will.${kind as 'cancel' | 'complete'}`, { n: count, more: previewed?.more ? t('operations.orMore') : '' });
      const said = await ask({ text, verb: t(`operations.kind.${kind}`), count, danger: true });
      if (said === undefined) return;
    }
    await attempt(async () => {
      const operation = await api.post('/v1/operations', {
        body: { ...request(kind, filter, cases, version, rate), ...(reason.trim() === '' ? {} : { reason: reason.trim() }), ...(force ? { force: true } : {}) },
      });
      follow((operation as Schema['Operation']).operation);
      onStarted();
    });
  }

  return (
    <Dialog wide title={cases ? t('operations.chosenTitle', { n: cases.length }) : t('operations.allTitle')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.back')}</button>
        <button type="button" class={`button primary ${final.has(kind) ? 'danger' : ''}`} disabled={!previewed || previewed.count === 0 || reasonNot !== undefined} onClick={() => void start()}>
          {previewed ? `${t(`operations.kind.${kind}`)} ${figure(previewed.count)}${previewed.more ? '+' : ''}` : t(`operations.kind.${kind}`)}
        </button>
      </>
    }>
      {reasonNot && <div class="notice late">{t(`operations.not.${reasonNot}`)}</div>}
      <div class="filter-row">
        <Field id="operation-kind" label={t('operations.what')}>
          <select id="operation-kind" value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            {kinds.map((one) => <option key={one} value={one}>{t(`operations.kind.${one}`)}</option>)}
          </select>
        </Field>
        {kind === 'migrate' && (
          <Field id="operation-version" label={t('operations.toVersion')}>
            {versions.length > 0 ? (
              <select id="operation-version" value={version} onChange={(event) => setVersion(event.currentTarget.value)}>
                <option value="">{t('operations.latest')}</option>
                {versions.map((one) => <option key={one.key} value={one.version}>{one.version}</option>)}
              </select>
            ) : <input id="operation-version" value={version} placeholder={t('operations.latest')} onChange={(event) => setVersion(event.currentTarget.value)} />}
          </Field>
        )}
        <Field id="operation-rate" label={t('operations.rate')}>
          <input id="operation-rate" type="number" min={1} max={1000000} value={rate} placeholder={t('operations.noLimit')} onInput={(event) => setRate(event.currentTarget.value)} />
        </Field>
        <Field id="operation-reason" label={t('common.reason')}>
          <input id="operation-reason" maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
      </div>
      <Await of={preview} lines={3}>
        {(data) => (
          <div class="column">
            <div class="strong">{t('operations.selected', { n: data.count, more: data.more ? t('operations.orMore') : '' })}</div>
            <div class="muted">{t(`operations.effect.${kind}`)}</div>
            <Refusals preview={data} />
            <Groups preview={data} />
          </div>
        )}
      </Await>
      {kind === 'migrate' && (
        <label class="row"><input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />{t('operations.force')}</label>
      )}
    </Dialog>
  );
}
