// SPDX-License-Identifier: Apache-2.0
// When a person is absent, and who acts in the place of whom.
import { useState } from 'preact/hooks';
import { api, session, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Action, Field } from '../../ui/control';
import { attempt, Await } from '../../ui/message';
import { Time } from '../../ui/time';
import { LinkPicker } from './link-picker';

/** A time of the browser's zone as the interface takes it. */
const instant = (local: string): string | undefined => (local === '' ? undefined : new Date(local).toISOString());

export function Person({ user }: { user: string }) {
  const own = session.value?.account === user;
  const mayChange = may('organise') || own;
  return (
    <>
      <Absences user={user} mayChange={mayChange} />
      <Deputies user={user} mayChange={mayChange} />
    </>
  );
}

function Period({ prefix, from, to, onFrom, onTo }: { prefix: string; from: string; to: string; onFrom: (value: string) => void; onTo: (value: string) => void }) {
  return (
    <>
      <Field id={`${prefix}-from`} label={t('people.from')} hint={t('people.fromHint')}><input id={`${prefix}-from`} type="datetime-local" value={from} onInput={(event) => onFrom(event.currentTarget.value)} /></Field>
      <Field id={`${prefix}-to`} label={t('people.to')}><input id={`${prefix}-to`} type="datetime-local" required value={to} onInput={(event) => onTo(event.currentTarget.value)} /></Field>
    </>
  );
}

function Absences({ user, mayChange }: { user: string; mayChange: boolean }) {
  const path = { person: user };
  const absences = useResource((signal) => api.get('/v1/people/{person}/absences', { path, signal }), [user]);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [comment, setComment] = useState('');
  const add = () => attempt(async () => {
    const begin = instant(from);
    await api.post('/v1/people/{person}/absences', { path, body: { to: instant(to) ?? '', ...(begin === undefined ? {} : { from: begin }), ...(comment === '' ? {} : { comment }) } });
    setFrom(''); setTo(''); setComment('');
    await absences.reload();
  });
  return (
    <section class="panel">
      <h2>{t('people.absences')}</h2>
      <Await of={absences} lines={2}>
        {(data) => (
          <ul class="entries">
            {data.absences.length === 0 && <li class="muted">{t('people.noAbsence')}</li>}
            {data.absences.map((one) => (
              <li key={one.absence} class="row wrap">
                <span class="grow"><Time at={one.from} as="exact" /> – <Time at={one.to} as="exact" />{one.workload < 100 && ` · ${one.workload} %`} <span class="muted" dir="auto">{one.comment}</span></span>
                {mayChange && <Action label={t('common.remove')} onDo={() => attempt(async () => { await api.delete('/v1/people/{person}/absences/{entry}', { path: { person: user, entry: one.absence } }); await absences.reload(); })} />}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {mayChange && (
        <form class="filter-row" onSubmit={(event) => { event.preventDefault(); void add(); }}>
          <Period prefix="absence" from={from} to={to} onFrom={setFrom} onTo={setTo} />
          <Field id="absence-comment" label={t('people.comment')}><input id="absence-comment" value={comment} onInput={(event) => setComment(event.currentTarget.value)} /></Field>
          <button type="submit" class="button">{t('people.addAbsence')}</button>
        </form>
      )}
    </section>
  );
}

function Entry({ one, other, onRemove }: { one: Schema['Deputy']; other: string; onRemove?: () => Promise<unknown> }) {
  return (
    <li class="row wrap">
      <span class="grow words"><span class="strong mono">{other}</span> · <Time at={one.from} as="exact" /> – <Time at={one.to} as="exact" /> <span class="muted">{one.processes?.join(', ') ?? t('people.allProcesses')} {one.comment}</span></span>
      {onRemove && <Action label={t('common.remove')} onDo={onRemove} />}
    </li>
  );
}

function Deputies({ user, mayChange }: { user: string; mayChange: boolean }) {
  const path = { person: user };
  const deputies = useResource((signal) => api.get('/v1/people/{person}/deputies', { path, signal }), [user]);
  const [deputy, setDeputy] = useState<string[]>([]);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const add = () => attempt(async () => {
    const begin = instant(from);
    await api.post('/v1/people/{person}/deputies', { path, body: { deputy: deputy[0] ?? '', to: instant(to) ?? '', ...(begin === undefined ? {} : { from: begin }) } });
    setDeputy([]); setFrom(''); setTo('');
    await deputies.reload();
  });
  return (
    <section class="panel">
      <h2>{t('people.deputies')}</h2>
      <Await of={deputies} lines={2}>
        {(data) => (
          <>
            <ul class="entries">
              {data.deputies.length === 0 && <li class="muted">{t('people.noDeputy')}</li>}
              {data.deputies.map((one) => (
                <Entry key={one.entry} one={one} other={one.deputy} {...(mayChange ? { onRemove: () => attempt(async () => { await api.delete('/v1/people/{person}/deputies/{entry}', { path: { person: user, entry: one.entry } }); await deputies.reload(); }) } : {})} />
              ))}
            </ul>
            {data.acts_for.length > 0 && <><h3>{t('people.actsFor')}</h3><ul class="entries">{data.acts_for.map((one) => <Entry key={one.entry} one={one} other={one.person} />)}</ul></>}
          </>
        )}
      </Await>
      {mayChange && (
        <form class="filter-row" onSubmit={(event) => { event.preventDefault(); void add(); }}>
          <Field id="deputy" label={t('people.deputy')}><LinkPicker id="deputy" kind="people" many={false} value={deputy} onChange={setDeputy} /></Field>
          <Period prefix="deputy" from={from} to={to} onFrom={setFrom} onTo={setTo} />
          <button type="submit" class="button" disabled={deputy.length === 0}>{t('people.addDeputy')}</button>
        </form>
      )}
    </section>
  );
}
