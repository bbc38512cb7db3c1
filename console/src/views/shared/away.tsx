// SPDX-License-Identifier: Apache-2.0
// When a person is absent, and who acts in the place of whom meanwhile: shown
// to everybody who reads people, changed by the person and by who organises.
import { useState } from 'preact/hooks';
import { api, session, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { may } from '../../app/session';
import { PersonField } from '../../form/person';
import { ProcessesField } from '../../form/processes';
import { instantOf } from '../../form/times';
import { t } from '../../text/text';
import type { Option } from '../../ui/combobox';
import { Action, Field } from '../../ui/control';
import { attempt, Await } from '../../ui/message';
import { Time } from '../../ui/time';
import './shared.css';

/** `user`: of a participant. */
export function Away({ user }: { user: string }) {
  const own = session.value?.account === user;
  const mayChange = own || may('organise');
  return (
    <>
      <Absences user={user} own={own} mayChange={mayChange} />
      <Deputies user={user} own={own} mayChange={mayChange} />
    </>
  );
}

interface Of {
  user: string;
  own: boolean;
  mayChange: boolean;
}

interface Span {
  from: string;
  to: string;
}
const EMPTY: Span = { from: '', to: '' };

/** From and to, as the browser has times; from may be empty: now. */
function SpanFields({ id, value, onChange }: { id: string; value: Span; onChange: (value: Span) => void }) {
  return (
    <>
      <Field id={`${id}-from`} label={t('away.from')}><input id={`${id}-from`} type="datetime-local" value={value.from} onInput={(event) => onChange({ ...value, from: event.currentTarget.value })} /></Field>
      <Field id={`${id}-to`} label={t('away.to')}><input id={`${id}-to`} type="datetime-local" required value={value.to} onInput={(event) => onChange({ ...value, to: event.currentTarget.value })} /></Field>
    </>
  );
}

const sent = ({ from, to }: Span): { from?: string; to: string } => ({ ...(from === '' ? {} : { from: instantOf(from, '')! }), to: instantOf(to, '') ?? '' });

const Lasts = ({ from, to }: Span) => <><Time at={from} as="exact" /> – <Time at={to} as="exact" /></>;

function Absences({ user, own, mayChange }: Of) {
  const [span, setSpan] = useState(EMPTY);
  const [comment, setComment] = useState('');
  const path = { person: user };
  const absences = useResource(async (signal) => (await api.get('/v1/people/{person}/absences', { path, signal })).absences, [user]);
  const add = async () => {
    if (!(await attempt(() => api.post('/v1/people/{person}/absences', { path, body: { ...sent(span), ...(comment === '' ? {} : { comment }) } })))) return;
    setSpan(EMPTY);
    setComment('');
    await absences.reload();
  };
  const remove = async (entry: number) => {
    if (await attempt(() => api.delete('/v1/people/{person}/absences/{entry}', { path: { person: user, entry } }))) await absences.reload();
  };
  return (
    <section class="panel">
      <h2>{t('away.absences')}</h2>
      <Await of={absences} lines={2}>
        {(all) => all.length === 0 ? <p class="muted">{t(own ? 'away.ownNone' : 'away.none')}</p> : (
          <ul class="entries">
            {all.map((one) => (
              <li key={one.absence} class="row wrap">
                <span class="grow"><Lasts {...one} />{one.workload < 100 && <span class="muted"> · {one.workload} %</span>}{one.comment !== undefined && <span class="muted words" dir="auto"> · {one.comment}</span>}</span>
                {mayChange && <Action label={t('common.remove')} onDo={() => remove(one.absence)} />}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {mayChange && (
        <div class="row wrap entry-new">
          <SpanFields id="absence" value={span} onChange={setSpan} />
          <Field id="absence-comment" label={t('away.comment')}><input id="absence-comment" maxLength={500} value={comment} onInput={(event) => setComment(event.currentTarget.value)} /></Field>
          <Action label={t('common.add')} refused={span.to === '' ? t('away.needsEnd') : undefined} onDo={add} />
        </div>
      )}
    </section>
  );
}

function Entry({ one, who, onRemove }: { one: Schema['Deputy']; who: string; onRemove?: (() => Promise<void>) | undefined }) {
  return (
    <li class="row wrap">
      <span class="grow"><span class="strong" dir="auto">{who}</span> · <Lasts {...one} />
        {one.processes && <span class="muted words" dir="auto"> · {t('away.onlyFor', { processes: one.processes.join(', ') })}</span>}
        {one.comment !== undefined && <span class="muted words" dir="auto"> · {one.comment}</span>}
      </span>
      {onRemove && <Action label={t('common.remove')} onDo={onRemove} />}
    </li>
  );
}

function Deputies({ user, own, mayChange }: Of) {
  const [span, setSpan] = useState(EMPTY);
  const [deputy, setDeputy] = useState<Option>();
  const [processes, setProcesses] = useState<string[]>([]);
  const path = { person: user };
  const deputies = useResource((signal) => api.get('/v1/people/{person}/deputies', { path, signal }), [user]);
  const add = async () => {
    if (!deputy) return;
    if (!(await attempt(() => api.post('/v1/people/{person}/deputies', { path, body: { deputy: deputy.value, ...sent(span), ...(processes.length > 0 ? { processes } : {}) } })))) return;
    setSpan(EMPTY);
    setDeputy(undefined);
    setProcesses([]);
    await deputies.reload();
  };
  const remove = async (entry: number) => {
    if (await attempt(() => api.delete('/v1/people/{person}/deputies/{entry}', { path: { person: user, entry } }))) await deputies.reload();
  };
  return (
    <section class="panel">
      <h2>{t('away.deputies')}</h2>
      <Await of={deputies} lines={2}>
        {(all) => (
          <>
            {all.deputies.length === 0 && <p class="muted">{t(own ? 'away.ownNobody' : 'away.nobody')}</p>}
            <ul class="entries">
              {all.deputies.map((one) => <Entry key={one.entry} one={one} who={one.deputy} onRemove={mayChange ? () => remove(one.entry) : undefined} />)}
            </ul>
            {all.acts_for.length > 0 && <><h3>{t('away.actsFor')}</h3><ul class="entries">{all.acts_for.map((one) => <Entry key={one.entry} one={one} who={one.person} />)}</ul></>}
          </>
        )}
      </Await>
      {mayChange && (
        <div class="row wrap entry-new">
          <Field id="deputy-person" label={t('away.person')}><PersonField id="deputy-person" value={deputy} onChoose={setDeputy} except={user} /></Field>
          <SpanFields id="deputy" value={span} onChange={setSpan} />
          <ProcessesField id="deputy-processes" value={processes} onChange={setProcesses} />
          <Action label={t('common.add')} refused={span.to === '' ? t('away.needsEnd') : deputy === undefined ? t('away.needsPerson') : undefined} onDo={add} />
        </div>
      )}
    </section>
  );
}
