// SPDX-License-Identifier: Apache-2.0
// The documents of a case, or of an item: taken, added with what has been sent,
// removed.
import { useRef, useState } from 'preact/hooks';
import { api, session, type Schema } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { contentOf, upload } from '../../api/upload';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { bytes } from '../../ui/bytes';
import { Action } from '../../ui/control';
import { Icon } from '../../ui/icons';
import { ask, attempt, Await, Empty } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { Time } from '../../ui/time';
import './shared.css';

type Document = Schema['Document'];
interface Shown {
  documents: Resource<Document[]>;
  /** Where one is added with its name. */
  address: (name: string) => string;
  mayAdd: boolean;
}

export function CaseDocuments({ id, mayAdd }: { id: string; mayAdd: boolean }) {
  const path = { case: id };
  const documents = useResource(async (signal) => (await api.get('/v1/cases/{case}/documents', { path, signal })).documents, [id]);
  return <Documents documents={documents} address={(name) => api.address('/v1/cases/{case}/documents', path, { name })} mayAdd={mayAdd} />;
}

export function ItemDocuments({ item, mayAdd }: { item: string; mayAdd: boolean }) {
  const path = { item };
  const documents = useResource(async (signal) => (await api.get('/v1/items/{item}/documents', { path, signal })).documents, [item]);
  return <Documents documents={documents} address={(name) => api.address('/v1/items/{item}/documents', path, { name })} mayAdd={mayAdd} />;
}

function Documents({ documents, address, mayAdd }: Shown) {
  const remove = async (document: Document): Promise<void> => {
    if ((await ask({ text: t('case.document.removeText', { name: document.name }), verb: t('common.remove'), danger: true })) === undefined) return;
    if (await attempt(() => api.delete('/v1/documents/{document}', { path: { document: document.document } }), t('case.document.removed'))) await documents.reload();
  };
  return (
    <div class="column">
      <Await of={documents} lines={3}>
        {(all) => all.length === 0 ? <Empty>{t('case.document.none')}</Empty> : (
          <ul class="documents">
            {all.map((document) => (
              <li key={document.document}>
                <Icon name="file" size={16} />
                <div class="grow">
                  <a class="cut document-name" href={contentOf(document.document)} download={document.name}><Name value={document.name} /></a>
                  <div class="small muted row wrap">
                    <span class="num">{bytes(document.size)}</span>
                    {document.version > 1 && <span>{t('case.document.version', { n: document.version })}</span>}
                    <Time at={document.added} />
                    <span class="cut"><Name value={document.author} /></span>
                  </div>
                </div>
                {mayAdd && (document.author === session.value?.account || may('operate')) && (
                  <button type="button" class="link" aria-label={t('work.removeFile', { name: document.name })} onClick={() => void remove(document)}>{t('common.remove')}</button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {mayAdd && <Add address={address} documents={documents} />}
    </div>
  );
}

function Add({ address, documents }: Omit<Shown, 'mayAdd'>) {
  const [sending, setSending] = useState<{ name: string; part: number }>();
  const input = useRef<HTMLInputElement>(null);
  const said = sending && t('case.document.sending', { name: sending.name });
  const send = async (file: File): Promise<void> => {
    const { name } = file;
    setSending({ name, part: 0 });
    await attempt(() => upload(address(name), file, (part) => setSending({ name, part })), t('case.document.added'));
    setSending(undefined);
    await documents.reload();
  };
  return (
    <div class="row">
      <input ref={input} type="file" hidden onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void send(file); event.currentTarget.value = ''; }} />
      <Action label={t('case.document.add')} icon="upload" refused={said} onDo={() => input.current?.click()} />
      {sending && <progress value={sending.part} max={1} aria-label={said} />}
    </div>
  );
}
