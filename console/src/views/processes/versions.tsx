// SPDX-License-Identifier: Apache-2.0
// The versions of a process: what each is, how two of them differ, and how long
// ended cases are kept.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { readSpecifications } from '../../app/specifications';
import { argument, go, setQuery, to } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { readPictures } from '../../picture/nets';
import { figure, t } from '../../text/text';
import { Action, Field, Id } from '../../ui/control';
import { ask, attempt, Await, Empty } from '../../ui/message';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { differences } from './compare';
import { CaseCountLine } from './counts';
import { countsOf, type Specification } from './figures';
import { Pausing } from './pausing';

export function Versions({ of, versions, reload }: { of: Specification; versions: Specification[]; reload: () => Promise<void> }) {
  // Of all: there may be more versions than can be chosen at once.
  const counts = useResource((signal) => api.get('/v1/case-counts', { signal }).then(countsOf), []).data.value;
  return (
    <>
      <div class="table-wrap">
        <table class="list" aria-label={t('processes.versions')}>
          <thead>
            <tr>
              {(['version', 'key', 'loaded', 'state'] as const).map((one) => <th key={one} scope="col">{t(`processes.${one}`)}</th>)}
              <th scope="col">{t('frame.cases')}</th>
              <th scope="col"><span class="sr-only">{t('processes.actions')}</span></th>
            </tr>
          </thead>
          <tbody>
            {versions.map((one) => (
              <tr key={one.key} class={one.key === of.key ? 'current' : ''}>
                <td><a dir="auto" href={to(['processes', one.key], { tab: 'versions' })}>{one.version}</a></td>
                <td><Id value={one.key} copy /></td>
                <td><Time at={one.loaded} /></td>
                <td><span title={one.suspended?.reason}><State value={one.suspended ? 'suspended' : 'ready'} label={one.suspended ? t('state.suspended') : t('processes.startable')} /></span></td>
                <td><CaseCountLine counts={counts} keys={[one.key]} specification={one.key} /></td>
                <td>
                  <div class="row end">
                    {one.key !== of.key && <Action label={t('processes.compare')} onDo={() => setQuery({ with: one.key })} />}
                    {mayAnywhere('suspend') && <Pausing of={one} reload={reload} />}
                    {mayAnywhere('load') && <Removal of={one} rest={versions.filter((other) => other !== one)} reload={reload} />}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Comparison of={of} versions={versions} />
      {mayAnywhere('administer') && <Retention of={of} />}
    </>
  );
}

function Removal({ of, rest, reload }: { of: Specification; rest: Specification[]; reload: () => Promise<void> }) {
  return (
    <Action danger label={t('common.remove')} onDo={async () => {
      if (await ask({ text: t('processes.removeAsk', { name: of.title ?? of.uri, version: of.version }), detail: <p>{t('processes.removeWhat')}</p>, verb: t('common.remove'), danger: true }) === undefined) return;
      if (!await attempt(() => api.delete('/v1/specifications/{specification}', { path: { specification: of.key } }), t('processes.removed'))) return;
      void readSpecifications();
      if (argument('tab') === 'versions' && rest[0]) {
        go(to(['processes', rest[0].key], { tab: 'versions' }), 'replace');
        await reload();
      } else go('/processes');
    }} />
  );
}

function Comparison({ of, versions }: { of: Specification; versions: Specification[] }) {
  const other = versions.find((one) => one.key === argument('with') && one.key !== of.key);
  const read = useResource(async () => (other ? differences((await readPictures(other.key)).nets, (await readPictures(of.key)).nets) : undefined), [of.key, other?.key]);
  if (!other) return null;
  return (
    <section class="panel" aria-label={t('processes.compare')}>
      <div class="panel-head">
        <h2 class="grow words" dir="auto">{t('processes.differences', { from: other.version, to: of.version })}</h2>
        <Action label={t('common.close')} onDo={() => setQuery({ with: undefined })} />
      </div>
      <Await of={read}>{(found) => found === undefined || found.length === 0 ? <Empty>{t('processes.same')}</Empty> : (
        <ul class="differences">
          {found.map((one, i) => (
            <li key={i}>
              <span class={`difference ${one.what}`}>{t(`processes.difference.${one.what}`)}</span>
              <span class="grow words"><span class="muted">{t(`processes.part.${one.part}`)}</span> <bdi>{one.name}</bdi>{one.net !== undefined && <span class="muted"> · <bdi>{one.net}</bdi></span>}
                {one.changes.map((change) => (
                  <div key={change.member} class="small"><span class="muted">{t(`processes.member.${change.member}`)}:</span> <del dir="auto">{change.from || '–'}</del> → <ins dir="auto">{change.to || '–'}</ins></div>
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}</Await>
    </section>
  );
}

/** How long ended cases are kept: as the server is set, never dropped, or so many days. */
function Retention({ of }: { of: Specification }) {
  const detail = useResource((signal) => api.get('/v1/specifications/{specification}', { path: { specification: of.key }, signal }), [of.key]);
  return (
    <section class="panel">
      <h2>{t('processes.retention')}</h2>
      <p class="muted">{t('processes.retentionWhat')}</p>
      <Await of={detail} lines={1}>{(there) => <RetentionForm key={there.keep ?? ''} of={of} keep={there.keep} done={() => detail.reload()} />}</Await>
    </section>
  );
}

function RetentionForm({ of, keep, done }: { of: Specification; keep: string | undefined; done: () => Promise<void> }) {
  const days = /^P(\d+)D$/.exec(keep ?? '')?.[1];
  const [way, setWay] = useState(keep === undefined ? 'default' : keep === 'never' ? 'never' : 'days');
  const [number, setNumber] = useState(days ?? '90');
  const next = way === 'days' ? `P${number}D` : way;
  const refused = way === 'days' && !/^[1-9]\d{0,4}$/.test(number) ? t('processes.retentionDays') : next === (keep ?? 'default') ? t('processes.retentionSame') : undefined;
  return (
    <form class="row wrap retention" onSubmit={(event) => event.preventDefault()}>
      <Field id="retention" label={t('processes.retentionKeep')}>
        <select id="retention" value={way} onChange={(event) => setWay(event.currentTarget.value)}>
          {(['default', 'never', 'days'] as const).map((one) => <option key={one} value={one}>{t(`processes.keep.${one}`)}</option>)}
        </select>
      </Field>
      {way === 'days' && <Field id="retention-days" label={t('processes.days')}><input id="retention-days" type="number" min={1} max={99999} value={number} onInput={(event) => setNumber(event.currentTarget.value)} /></Field>}
      <Action label={t('common.save')} refused={refused} onDo={async () => {
        if (way === 'days' && await ask({ text: t('processes.retentionAsk', { name: of.title ?? of.uri, days: figure(Number(number)) }), verb: t('common.save'), danger: true }) === undefined) return;
        if (await attempt(() => api.put('/v1/specifications/{specification}/retention', { path: { specification: of.key }, body: { keep: next } }), t('processes.retentionSaved'))) await done();
      }} />
      {keep !== undefined && way === 'days' && days === undefined && <span class="muted small">{t('processes.retentionNow', { keep })}</span>}
    </form>
  );
}
