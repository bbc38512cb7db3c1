// SPDX-License-Identifier: Apache-2.0
// The nodes on the store, the store, and how this node does.
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { bytes } from '../../ui/bytes';
import { figure, t } from '../../text/text';
import { Action } from '../../ui/control';
import { Await } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { State } from '../../ui/state';
import { duration, Time } from '../../ui/time';

type Server = Schema['Server'];

/** Whether the node takes commands: what monitors ask, too. */
function Health() {
  const ready = useResource((signal) => api.get('/readyz', { signal }), []);
  if (ready.error.value) return <State value="failed" label={t('server.notReady', { reason: ready.error.value.message })} />;
  return ready.data.value ? <State value="ready" label={t('server.ready')} /> : null;
}

function NodeTable({ nodes }: { nodes: Server['nodes'] }) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('server.nodes')}>
      <table class="list" aria-label={t('server.nodes')}>
        <thead><tr>
          <th scope="col">{t('server.node')}</th><th scope="col">{t('server.host')}</th><th scope="col">{t('cases.version')}</th><th scope="col" class="right">{t('server.tables')}</th><th scope="col">{t('server.started')}</th><th scope="col">{t('server.seen')}</th>
        </tr></thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.node} class={node.this ? 'current' : ''}>
              <td class="mono"><Name value={node.node} />{node.this && <span class="chip server-this">{t('server.this')}</span>}</td>
              <td><Name value={node.host} /></td><td>{node.version}</td><td class="right">{node.tables}</td><td><Time at={node.started} /></td><td><Time at={node.seen} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Nodes() {
  const server = useResource((signal) => api.get('/v1/server', { signal }), []);
  return (
    <Await of={server}>
      {({ version, licence, nodes, store, libraries, load }) => (
        <>
          <section class="panel">
            <div class="panel-head"><h2 class="grow">Weft {version}</h2><Action icon="refresh" label={t('cases.refresh')} onDo={() => server.reload()} /></div>
            <dl class="facts">
              <dt>{t('server.health')}</dt><dd><Health /></dd>
              <dt>{t('server.licence')}</dt><dd>{licence}</dd>
              <dt>{t('server.libraries')}</dt><dd>{Object.entries(libraries).map(([name, version]) => `${name} ${version}`).join(', ')}</dd>
            </dl>
          </section>
          <section class="panel">
            <h2>{t('server.nodes')}</h2>
            <NodeTable nodes={nodes} />
          </section>
          <section class="panel">
            <h2>{t('server.store')}</h2>
            <dl class="facts">
              <dt>{t('server.program')}</dt><dd>{store.program}</dd>
              {store.bytes > 0 && <><dt>{t('server.size')}</dt><dd class="num">{bytes(store.bytes)}</dd></>}
              {store.oldest_transaction !== undefined && <><dt>{t('server.oldestTransaction')}</dt><dd><Time at={store.oldest_transaction} /></dd></>}
              <dt>{t('server.address')}</dt><dd class="mono"><Name value={store.url} /></dd>
              <dt>{t('server.identity')}</dt><dd class="mono">{store.identity}</dd>
              <dt>{t('server.tables')}</dt><dd class="num">{store.tables}</dd>
              <dt>{t('server.shared')}</dt><dd>{t(store.shared ? 'common.yes' : 'common.no')}</dd>
              <dt>{t('server.dueLag')}</dt><dd class="num">{duration(store.due_lag)}</dd>
              <dt>{t('server.outboxLag')}</dt><dd class="num">{duration(store.outbox_lag)}</dd>
            </dl>
          </section>
          <section class="panel">
            <h2>{t('server.load')}</h2>
            <dl class="facts">
              <dt>{t('server.steps')}</dt><dd class="num">{figure(load.steps)}</dd>
              <dt>{t('server.batches')}</dt><dd class="num">{figure(load.batches)}</dd>
              <dt>{t('server.queued')}</dt><dd class="num">{figure(load.queued)}</dd>
              <dt>{t('server.cached')}</dt><dd class="num">{t('server.cachedCases', { n: load.cached_cases, size: figure(Math.ceil(load.cached_bytes / 1024)) })}</dd>
              <dt>{t('server.busy')}</dt><dd class="num">{duration(load.busy)}</dd>
            </dl>
          </section>
        </>
      )}
    </Await>
  );
}
