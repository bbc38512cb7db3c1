// SPDX-License-Identifier: Apache-2.0
// The last attempts to call a service: when, how long, why each failed; of the
// last one what was sent and what came back.
import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/client';
import { figure, t } from '../../text/text';
import { Time } from '../../ui/time';

type Call = Schema['Call'];

/** `bytes`: of the whole body, of which the first ones are kept. */
function Body({ title, head, body, bytes }: { title: string; head: ComponentChildren; body: string | undefined; bytes: number | undefined }) {
  return (
    <details>
      <summary>{title}</summary>
      <div class="mono words small">{head}</div>
      {body !== undefined && body !== '' && <pre class="call-body" dir="auto">{body}</pre>}
      {bytes !== undefined && <p class="small muted num">{t('incidents.bytes', { n: bytes })}</p>}
    </details>
  );
}

/** One call, with its request and its answer. */
export function Attempt({ call, numbered = true }: { call: Call; numbered?: boolean }) {
  const { request, answer } = call;
  const protocol = request?.method === 'MAIL' ? 'SMTP' : 'HTTP';
  return (
    <li class="column call">
      <div class="row wrap">
        {numbered && <span class="strong num">{t('incidents.attempt', { n: call.attempt })}</span>}
        <span class="muted"><Time at={call.at} as="exact" /></span>
        <span class="muted num">{t('incidents.took', { n: figure(call.milliseconds) })}</span>
        <span class={call.reason === '' ? 'num' : 'state-failed num'}>{call.status === undefined ? t('incidents.noAnswer') : `${protocol} ${call.status}`}</span>
      </div>
      {call.reason !== '' && <div class="words" dir="auto">{call.reason}</div>}
      {request && <Body title={t('incidents.request')} head={`${request.method ?? ''} ${request.url ?? ''}`} body={request.body} bytes={request.bytes} />}
      {answer && <Body title={t('incidents.answer')} head={`${protocol} ${answer.status} ${answer.type ?? ''}`} body={answer.body} bytes={answer.bytes} />}
    </li>
  );
}

export function Calls({ calls }: { calls: Call[] | undefined }) {
  if (calls === undefined || calls.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t('incidents.calls')}</h2>
      <ol class="plain-list">{[...calls].reverse().map((call) => <Attempt key={`${call.attempt} ${call.at}`} call={call} />)}</ol>
    </section>
  );
}
