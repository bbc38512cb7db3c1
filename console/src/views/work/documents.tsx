// SPDX-License-Identifier: Apache-2.0
// The files of an item: taken from it, and added with what has been sent of it.
import { useRef, useState } from 'preact/hooks';
import { api, session } from '../../api/client';
import { useResource } from '../../api/resource';
import { bytes, upload } from '../../api/upload';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { ask, attempt, Await, Empty, reasonOf } from '../../ui/message';
import { Time } from '../../ui/time';

export function ItemDocuments({ item, mayAdd }: { item: string; mayAdd: boolean }) {
  const documents = useResource(async (signal) => (await api.get('/v1/items/{item}/documents', { path: { item }, signal })).documents, [item]);
  const [part, setPart] = useState<number>();
  const [refusal, setRefusal] = useState<string>();
  const input = useRef<HTMLInputElement>(null);

  async function send(file: File): Promise<void> {
    setRefusal(undefined);
    setPart(0);
    try {
      await upload(api.address('/v1/items/{item}/documents', { item }, { name: file.name }), file, setPart);
      await documents.reload();
    } catch (error) {
      setRefusal(reasonOf(error));
    }
    setPart(undefined);
    if (input.current) input.current.value = '';
  }
  async function remove(document: number, name: string): Promise<void> {
    if ((await ask({ text: t('work.removeFile', { name }), verb: t('common.remove'), danger: true })) === undefined) return;
    if (await attempt(() => api.delete('/v1/documents/{document}', { path: { document } }))) await documents.reload();
  }
  return (
    <div class="column">
      <Await of={documents} lines={2}>
        {(all) => all.length === 0 ? <Empty>{t('work.noFiles')}</Empty> : (
          <ul class="files">
            {all.map((one) => (
              <li key={one.document} class="row">
                <Icon name="file" size={16} />
                <span class="grow">
                  <a class="words" dir="auto" href={`/v1/documents/${one.document}/content`} download>{one.name}</a>
                  <span class="small muted num" style={{ display: 'block' }}>{bytes(one.size)} · <span dir="auto">{one.author}</span> · <Time at={one.added} /></span>
                </span>
                {mayAdd && (one.author === session.value?.account || may('operate')) && (
                  <button type="button" class="button plain icon" aria-label={t('work.removeFile', { name: one.name })} title={t('common.remove')} onClick={() => void remove(one.document, one.name)}><Icon name="close" size={14} /></button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {mayAdd && (
        <div class="field">
          <label for="item-file">{t('work.addFile')}</label>
          <input id="item-file" ref={input} type="file" disabled={part !== undefined} onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void send(file); }} />
        </div>
      )}
      {part !== undefined && <progress value={part} max={1} aria-label={t('form.file.sending')} />}
      {refusal !== undefined && <p class="error-text small words" role="alert">{refusal}</p>}
    </div>
  );
}
