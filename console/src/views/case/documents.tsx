// SPDX-License-Identifier: Apache-2.0
// The documents of a case: downloaded, added, removed.
import { useRef, useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { ask, attempt, Await, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { Time } from '../../ui/time';

type Document = Schema['Document'];

/** A number of bytes in the largest unit that makes it one or more. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)}\u202f${units[unit]}`;
}

export function Documents({ id, mayAdd }: { id: string; mayAdd: boolean }) {
  const documents = useResource((signal) => api.get('/v1/cases/{case}/documents', { path: { case: id }, signal }), [id]);
  const file = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<string>();

  async function add(chosen: File) {
    setSending(chosen.name);
    const type = chosen.type === '' ? 'application/octet-stream' : chosen.type;
    await attempt(() => api.post('/v1/cases/{case}/documents', { path: { case: id }, query: { name: chosen.name }, raw: { type, content: chosen } }), t('case.document.added'));
    setSending(undefined);
    await documents.reload();
  }
  async function remove(document: Document) {
    const reason = await ask({ text: t('case.document.removeText', { name: document.name }), verb: t('common.remove'), danger: true });
    if (reason === undefined) return;
    await attempt(() => api.delete('/v1/documents/{document}', { path: { document: document.document } }), t('case.document.removed'));
    await documents.reload();
  }

  return (
    <div class="column">
      <Await of={documents} lines={3}>
        {(read) => read.documents.length === 0 ? <Empty>{t('case.document.none')}</Empty> : (
          <ul class="case-entries">
            {read.documents.map((document) => (
              <li key={document.document} class="case-entry">
                <div class="grow">
                  <a class="cut case-block" href={`/v1/documents/${document.document}/content`} download={document.name}><Name value={document.name} /></a>
                  <div class="small muted row wrap">
                    <span class="num">{bytes(document.size)}</span>
                    {document.version > 1 && <span>{t('case.document.version', { n: document.version })}</span>}
                    <Time at={document.added} />
                    <span class="cut"><Name value={document.author} /></span>
                  </div>
                </div>
                {mayAdd && <button type="button" class="link" onClick={() => void remove(document)}>{t('common.remove')}</button>}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {mayAdd && (
        <div class="row">
          <input ref={file} type="file" hidden onChange={(event) => { const chosen = event.currentTarget.files?.[0]; if (chosen) void add(chosen); event.currentTarget.value = ''; }} />
          <Action label={t('case.document.add')} icon="upload" refused={sending === undefined ? undefined : t('case.document.sending', { name: sending })} onDo={() => file.current?.click()} />
          {sending !== undefined && <span class="small muted cut" role="status">{t('case.document.sending', { name: sending })}</span>}
        </div>
      )}
    </div>
  );
}
