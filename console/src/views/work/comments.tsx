// SPDX-License-Identifier: Apache-2.0
// What was written about the case of an item; whoever may see the case adds.
import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { attempt, Empty, Failure, Skeleton } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Time } from '../../ui/time';

const MOST_BYTES = 4000;
const FORBIDDEN = 403;

export function CaseComments({ id }: { id: string }) {
  const path = { case: id };
  const comments = usePages(async (after, signal) => {
    const answer = await api.get('/v1/cases/{case}/comments', { path, query: { limit: 100, after }, signal });
    return { rows: answer.comments, next: answer.next };
  }, [id]);
  const [text, setText] = useState('');
  const error = comments.error.value;
  if (!comments.ready.value) {
    if (!error) return <Skeleton lines={3} />;
    return error.status === FORBIDDEN ? <Empty>{t('work.comments.later')}</Empty> : <Failure error={error} again={() => void comments.reload()} />;
  }
  const add = async () => {
    if (!(await attempt(() => api.post('/v1/cases/{case}/comments', { path, body: { text: text.trim() } })))) return;
    setText('');
    await comments.reload();
  };
  const tooLong = new TextEncoder().encode(text).length > MOST_BYTES;
  return (
    <div class="column" style={{ gap: '16px' }}>
      {comments.rows.value.length === 0 && <Empty>{t('work.comments.none')}</Empty>}
      <ol class="comments">
        {comments.rows.value.map((one) => (
          <li key={one.comment}>
            <div class="small muted"><span class="strong" dir="auto">{one.author}</span> · <Time at={one.time} /></div>
            <div class="words comment" dir="auto">{one.text}</div>
          </li>
        ))}
      </ol>
      {!comments.whole.value && <div><Action label={t('common.more')} onDo={() => comments.more()} /></div>}
      <div class="field">
        <label for="comment-text">{t('work.comments.new')}</label>
        <textarea id="comment-text" dir="auto" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      <div><Action label={t('common.add')} refused={text.trim() === '' ? t('work.comments.empty') : tooLong ? t('work.comments.tooLong') : undefined} onDo={add} /></div>
    </div>
  );
}
