// SPDX-License-Identifier: Apache-2.0
// How long ended cases of a process are kept.
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { processes, processOf } from '../../app/specifications';
import { argument, setQuery } from '../../app/router';
import { t } from '../../text/text';
import { Action, Field } from '../../ui/control';
import { attempt, Await, Empty } from '../../ui/message';
import { ProcessSelect } from '../../ui/process-select';

const choices = ['default', 'P30D', 'P90D', 'P365D', 'P3650D', 'never'] as const;

/** The server says days in seconds. */
function inDays(keep: string): string {
  const seconds = Number(/^PT(\d+)S$/.exec(keep)?.[1] ?? NaN);
  return seconds % 86_400 === 0 ? `P${seconds / 86_400}D` : keep;
}

function keptText(keep: string): string {
  if (keep === 'default' || keep === 'never') return t(`server.keep.${keep}`);
  const days = /^P(\d+)D$/.exec(keep)?.[1];
  return days === undefined ? keep : t('cases.days', { n: Number(days) });
}

function Kept({ specification }: { specification: string }) {
  const found = useResource((signal) => api.get('/v1/specifications/{specification}', { path: { specification }, signal }), [specification]);
  const kept = inDays(found.data.value?.keep ?? 'default');
  const [keep, setKeep] = useState('default');
  useEffect(() => setKeep(kept), [kept]);
  const all: string[] = [...choices, ...(([...choices] as string[]).includes(kept) ? [] : [kept])];
  const save = () => attempt(async () => {
    await api.put('/v1/specifications/{specification}/retention', { path: { specification }, body: { keep } });
    await found.reload();
  }, t('server.kept'));
  return (
    <Await of={found} lines={2}>
      {() => (
        <div class="row wrap retention">
          <Field id="retention-keep" label={t('server.keep')}>
            <select id="retention-keep" value={keep} onChange={(event) => setKeep(event.currentTarget.value)}>
              {all.map((one) => <option key={one} value={one}>{keptText(one)}</option>)}
            </select>
          </Field>
          <Action primary label={t('common.save')} refused={keep === kept ? t('server.unchanged') : undefined} onDo={save} />
        </div>
      )}
    </Await>
  );
}

export function Retention() {
  const all = processes();
  const process = argument('process') ?? '';
  const chosen = processOf(process)?.versions.at(-1);
  if (all.length === 0) return <Empty>{t('server.noProcess')}</Empty>;
  return (
    <div class="column retention-form">
      <p class="muted">{t('server.aboutRetention')}</p>
      <Field id="retention-process" label={t('cases.process')}>
        <ProcessSelect id="retention-process" value={process} first={[{ value: '', label: t('server.choose') }]} onChoose={(chosen) => setQuery({ process: chosen })} />
      </Field>
      {chosen && <Kept key={chosen.key} specification={chosen.key} />}
    </div>
  );
}
