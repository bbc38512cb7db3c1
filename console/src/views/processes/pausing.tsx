// SPDX-License-Identifier: Apache-2.0
// Whether cases of a version may be started.
import { api } from '../../api/client';
import { readSpecifications } from '../../app/specifications';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt } from '../../ui/message';
import type { Specification } from './figures';

/** Suspends a version, or lets cases of it be started again. */
export function Pausing({ of, reload }: { of: Specification; reload: () => Promise<void> }) {
  const path = { specification: of.key };
  const again = async () => { await Promise.all([reload(), readSpecifications()]); };
  if (of.suspended)
    return <Action icon="play" label={t('processes.resume')} onDo={async () => { if (await attempt(() => api.post('/v1/specifications/{specification}/resume', { path, body: {} }), t('processes.resumed'))) await again(); }} />;
  return (
    <Action icon="pause" label={t('processes.suspend')} onDo={async () => {
      const reason = await ask({ text: t('processes.suspendAsk', { name: of.title ?? of.uri, version: of.version }), detail: <p>{t('processes.suspendWhat')}</p>, verb: t('processes.suspend'), reason: 'optional' });
      if (reason === undefined) return;
      const body = reason === '' ? {} : { reason };
      if (await attempt(() => api.post('/v1/specifications/{specification}/suspend', { path, body }), t('processes.suspended'))) await again();
    }} />
  );
}
