// SPDX-License-Identifier: Apache-2.0
// Starting a case: the processes that one may start, and the form of each.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, Problem, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { go, to } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { FormView } from '../../form/form-view';
import { useForm } from '../../form/use-form';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { Await, complain, Empty, Failure, say } from '../../ui/message';

export function Startable() {
  const [words, setWords] = useState('');
  const processes = useResource(async (signal) => (await api.get('/v1/startable', { signal })).specifications, []);
  const fits = (one: Schema['Specification']) => `${one.title ?? ''} ${one.uri}`.toLocaleLowerCase().includes(words.toLocaleLowerCase());
  return (
    <>
      <div class="view-head"><h1>{t('work.new')}</h1></div>
      <Await of={processes}>
        {(all) => all.length === 0 ? <Empty>{t('work.noStartable')}</Empty> : (
          <>
            {all.length > 8 && <input type="search" style={{ maxWidth: '360px', marginBottom: '12px' }} aria-label={t('common.search')} placeholder={t('common.search')} value={words} onInput={(event) => setWords(event.currentTarget.value)} />}
            <ul class="startable">
              {all.filter(fits).map((one) => (
                <li key={one.key}>
                  <a href={to(['work', 'new', one.key])}>
                    <span class="strong words" dir="auto">{one.title ?? one.uri}</span>
                    <span class="small muted num">{t('work.version', { version: one.version ?? '' })}</span>
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      </Await>
    </>
  );
}

export function Start({ specification }: { specification: string }) {
  const path = { specification };
  const filling = useForm({
    load: (signal) => api.get('/v1/specifications/{specification}/form', { path, signal }),
    check: (values, signal) => api.post('/v1/specifications/{specification}/form', { path, body: values, signal }),
    dependencies: [specification],
  });
  const [busy, setBusy] = useState(false);
  // One key for one start, however often it is tried.
  const key = useRef(crypto.randomUUID());

  async function start(): Promise<void> {
    if (busy) return;
    setBusy(true);
    filling.rest();
    try {
      const done = await api.post('/v1/cases', { body: { specification, data: filling.output() }, key: key.current });
      say(t('work.started', { case: done.case }));
      go(mayAnywhere('read') ? to(['cases', done.case]) : '/work');
    } catch (failure) {
      key.current = crypto.randomUUID();
      setBusy(false);
      if (!(failure instanceof Problem) || (failure.status !== 422 && failure.status !== 400) || (await filling.verify())) complain(failure);
    }
  }
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const form = filling.form.value;
  const unchecked = filling.unchecked.value;
  return (
    <Await of={filling.resource}>
      {(read) => (
        <div class="column start" style={{ gap: '16px' }}>
          <h1 class="words" dir="auto">{read.name ?? read.uri}</h1>
          {read.documentation !== undefined && <p class="words documentation" dir="auto">{read.documentation}</p>}
          {unchecked && <Failure error={unchecked} what={t('work.unchecked')} />}
          <form noValidate autocomplete="off" onSubmit={(event) => event.preventDefault()}>
            <FormView form={form ?? read} value={filling.value.value} onChange={filling.change} onTouch={filling.touch} mistakes={filling.mistakes.value} refusals={filling.refusals.value} busy={busy} />
          </form>
          <div class="row start-bar">
            <Action label={t('work.startCase')} primary title="Ctrl+Enter" onDo={start} />
            <a class="button" href="/work/new">{t('common.cancel')}</a>
          </div>
        </div>
      )}
    </Await>
  );
}
