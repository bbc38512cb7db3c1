// SPDX-License-Identifier: Apache-2.0
// Starting a case: the processes that one may start, and the form of each.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { to } from '../../app/router';
import { FormView } from '../../form/form-view';
import { useStart } from '../../form/use-start';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { Await, Empty, Failure } from '../../ui/message';

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
  const { filling, busy, start } = useStart(specification);
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
            <FormView form={form ?? read} value={filling.value.value} onChange={filling.change} onTouch={filling.touch} mistakes={filling.mistakes.value} refusals={filling.refusals.value} refused={filling.refused.value} busy={busy} />
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
