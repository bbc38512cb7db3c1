// SPDX-License-Identifier: Apache-2.0
// The settings in force, and where each comes from.
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { argument, setQuery } from '../../app/router';
import { t, tOr } from '../../text/text';
import { Await, Empty } from '../../ui/message';

export function Settings() {
  const server = useResource((signal) => api.get('/v1/server', { signal }), []);
  const words = (argument('q') ?? '').toLocaleLowerCase();
  const set = argument('set') === 'true';
  return (
    <Await of={server}>
      {({ settings }) => {
        const shown = settings.filter((one) => `${one.key} ${one.value} ${one.meaning}`.toLocaleLowerCase().includes(words) && (!set || one.source !== 'default'));
        return (
          <>
            <div class="row wrap server-filter">
              <input type="search" class="server-search" aria-label={t('common.search')} placeholder={t('server.findSetting')} value={argument('q') ?? ''} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
              <label class="row"><input type="checkbox" checked={set} onChange={(event) => setQuery({ set: event.currentTarget.checked })} />{t('server.onlySet')}</label>
              <span class="small muted num">{t('common.rows', { n: shown.length })}</span>
            </div>
            {shown.length === 0 ? <Empty>{t('server.noSetting')}</Empty> : (
              <div class="table-wrap" role="region" tabIndex={0} aria-label={t('server.tab.settings')}>
                <table class="list" aria-label={t('server.tab.settings')}>
                  <thead><tr><th scope="col">{t('server.setting')}</th><th scope="col">{t('server.value')}</th><th scope="col">{t('server.source')}</th><th scope="col">{t('server.meaning')}</th></tr></thead>
                  <tbody>
                    {shown.map((one) => (
                      <tr key={one.key}>
                        <td class="mono">{one.key}</td>
                        <td class={`mono ${one.source === 'default' ? 'muted' : 'strong'}`} title={one.value}>{one.value}</td>
                        <td>{tOr(`server.source.${one.source}`, one.source)}{one.source !== 'default' && !one.reloaded && <span class="muted"> · {t('server.restart')}</span>}</td>
                        <td class="muted setting-meaning">{one.meaning}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </>
        );
      }}
    </Await>
  );
}
