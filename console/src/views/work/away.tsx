// SPDX-License-Identifier: Apache-2.0
// When one is absent, and who acts in one's place meanwhile.
import { useState } from 'preact/hooks';
import { api, session } from '../../api/client';
import { useResource } from '../../api/resource';
import { instantOf } from '../../form/times';
import { t } from '../../text/text';
import type { Option } from '../../ui/combobox';
import { Action, Field } from '../../ui/control';
import { attempt, Await, Empty } from '../../ui/message';
import { Time } from '../../ui/time';
import { PersonField } from '../../form/person';
import { ProcessesField } from './processes-field';

export function Away({ person }: { person: string }) {
  return (
    <>
      <div class="view-head"><h1>{t('work.away')}</h1></div>
      <Absences person={person} />
      <Deputies person={person} />
    </>
  );
}

interface Span {
  from: string;
  to: string;
}

/** From and to, as the browser has times; from may be empty: now. */
function SpanFields({ id, value, onChange }: { id: string; value: Span; onChange: (value: Span) => void }) {
  return (
    <>
      <Field id={`${id}-from`} label={t('work.from')}><input id={`${id}-from`} type="datetime-local" value={value.from} onInput={(event) => onChange({ ...value, from: event.currentTarget.value })} /></Field>
      <Field id={`${id}-to`} label={t('work.to')}><input id={`${id}-to`} type="datetime-local" required value={value.to} onInput={(event) => onChange({ ...value, to: event.currentTarget.value })} /></Field>
    </>
  );
}

const sent = ({ from, to }: Span): { from?: string; to: string } => ({ ...(from === '' ? {} : { from: instantOf(from, '')! }), to: instantOf(to, '') ?? '' });

function Absences({ person }: { person: string }) {
  const [span, setSpan] = useState<Span>({ from: '', to: '' });
  const [comment, setComment] = useState('');
  const path = { person };
  const absences = useResource(async (signal) => (await api.get('/v1/people/{person}/absences', { path, signal })).absences, [person]);
  const add = async () => {
    const done = await attempt(() => api.post('/v1/people/{person}/absences', { path, body: { ...sent(span), ...(comment === '' ? {} : { comment }) } }));
    if (!done) return;
    setSpan({ from: '', to: '' });
    setComment('');
    await absences.reload();
  };
  const remove = async (entry: number) => {
    if (await attempt(() => api.delete('/v1/people/{person}/absences/{entry}', { path: { person, entry } }))) await absences.reload();
  };
  return (
    <section class="panel">
      <h2>{t('work.absences')}</h2>
      <Await of={absences} lines={2}>
        {(all) => all.length === 0 ? <Empty>{t('work.noAbsences')}</Empty> : (
          <ul class="entries">
            {all.map((one) => (
              <li key={one.absence} class="row wrap">
                <span class="grow"><Time at={one.from} as="exact" /> – <Time at={one.to} as="exact" />{one.workload < 100 && <span class="muted"> · {one.workload} %</span>}{one.comment !== undefined && <span class="muted words" dir="auto"> · {one.comment}</span>}</span>
                <Action label={t('common.remove')} onDo={() => remove(one.absence)} />
              </li>
            ))}
          </ul>
        )}
      </Await>
      <div class="row wrap entry-new">
        <SpanFields id="absence" value={span} onChange={setSpan} />
        <Field id="absence-comment" label={t('work.comment')}><input id="absence-comment" maxLength={500} value={comment} onInput={(event) => setComment(event.currentTarget.value)} /></Field>
        <Action label={t('common.add')} refused={span.to === '' ? t('work.needsEnd') : undefined} onDo={add} />
      </div>
    </section>
  );
}

function Deputies({ person }: { person: string }) {
  const [span, setSpan] = useState<Span>({ from: '', to: '' });
  const [deputy, setDeputy] = useState<Option>();
  const [processes, setProcesses] = useState<string[]>([]);
  const path = { person };
  const deputies = useResource(async (signal) => api.get('/v1/people/{person}/deputies', { path, signal }), [person]);
  const add = async () => {
    if (!deputy) return;
    if (!(await attempt(() => api.post('/v1/people/{person}/deputies', { path, body: { deputy: deputy.value, ...sent(span), ...(processes.length > 0 ? { processes } : {}) } })))) return;
    setSpan({ from: '', to: '' });
    setDeputy(undefined);
    setProcesses([]);
    await deputies.reload();
  };
  const remove = async (entry: number) => {
    if (await attempt(() => api.delete('/v1/people/{person}/deputies/{entry}', { path: { person, entry } }))) await deputies.reload();
  };
  return (
    <section class="panel">
      <h2>{t('work.deputies')}</h2>
      <Await of={deputies} lines={2}>
        {(all) => (
          <>
            {all.deputies.length === 0 && <Empty>{t('work.noDeputies')}</Empty>}
            <ul class="entries">
              {all.deputies.map((one) => (
                <li key={one.entry} class="row wrap">
                  <span class="grow"><span class="strong" dir="auto">{one.deputy}</span> · <Time at={one.from} as="exact" /> – <Time at={one.to} as="exact" />{one.processes && <span class="muted words" dir="auto"> · {t('work.onlyFor', { processes: one.processes.join(', ') })}</span>}</span>
                  <Action label={t('common.remove')} onDo={() => remove(one.entry)} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Await>
      <div class="row wrap entry-new">
        <Field id="deputy-person" label={t('work.person')}><PersonField id="deputy-person" value={deputy} onChoose={setDeputy} except={session.value?.account} /></Field>
        <SpanFields id="deputy" value={span} onChange={setSpan} />
        <ProcessesField id="deputy-processes" value={processes} onChange={setProcesses} />
        <Action label={t('common.add')} refused={span.to === '' ? t('work.needsEnd') : deputy === undefined ? t('work.needsPerson') : undefined} onDo={add} />
      </div>
    </section>
  );
}
