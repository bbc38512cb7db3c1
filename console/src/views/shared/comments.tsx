// SPDX-License-Identifier: Apache-2.0
// Comments on a case: read, added, removed by whoever may see the case.
import { useState } from 'preact/hooks';
import { api, session, type Schema } from '../../api/client';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { attempt, Empty, Failure, Skeleton } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Name } from '../../ui/phrase';
import { Time } from '../../ui/time';
import './shared.css';

type Comment = Schema['Comment'];
const LONGEST = 4000;
const FORBIDDEN = 403;

export function Comments({ id }: { id: string }) {
  const path = { case: id };
  const pages = usePages<Comment>(async (after, signal) => {
    const page = await api.get('/v1/cases/{case}/comments', { path, query: { limit: 100, after }, signal });
    return { rows: page.comments, next: page.next };
  }, [id]);
  const [text, setText] = useState('');
  const bytes = new TextEncoder().encode(text).length;
  const error = pages.error.value;
  if (!pages.ready.value) {
    if (!error) return <Skeleton lines={3} />;
    // Whoever works on a case sees it from then on.
    return error.status === FORBIDDEN ? <Empty>{t('work.comments.later')}</Empty> : <Failure error={error} again={() => void pages.reload()} />;
  }

  async function add(event: Event) {
    event.preventDefault();
    const added = await attempt(async () => {
      const comment = await api.post('/v1/cases/{case}/comments', { path, body: { text: text.trim() } });
      if (pages.whole.value) pages.replace((rows) => [...rows, comment]);
    });
    if (added) setText('');
  }
  async function remove(comment: Comment) {
    const removed = await attempt(() => api.delete('/v1/cases/{case}/comments/{comment}', { path: { case: id, comment: comment.comment } }), t('case.comment.removed'));
    if (removed) pages.replace((rows) => rows.filter((row) => row !== comment));
  }

  return (
    <div class="column">
      {error && <Failure error={error} again={() => void pages.again()} />}
      {pages.rows.value.length === 0 && <Empty>{t('case.comment.none')}</Empty>}
      <ul class="comments">
        {pages.rows.value.map((comment) => (
          <li key={comment.comment}>
            <div class="row small muted">
              <span class="strong cut"><Name value={comment.author} /></span>
              <Time at={comment.time} />
              <span class="grow" />
              {(comment.author === session.value?.account || may('operate')) && (
                <button type="button" class="link" onClick={() => void remove(comment)}>{t('common.remove')}</button>
              )}
            </div>
            <p class="words comment" dir="auto">{comment.text}</p>
          </li>
        ))}
      </ul>
      {!pages.whole.value && <div><button type="button" class="button" onClick={() => void pages.more()}>{t('common.more')}</button></div>}
      <form class="column" onSubmit={(event) => void add(event)}>
        <div class="field">
          <label for="comment-text">{t('case.comment.label')}</label>
          <textarea id="comment-text" dir="auto" rows={3} value={text} aria-invalid={bytes > LONGEST} onInput={(event) => setText(event.currentTarget.value)} />
          {bytes > LONGEST && <span class="small error-text" role="alert">{t('case.comment.long', { n: bytes, most: LONGEST })}</span>}
        </div>
        <div><button type="submit" class="button" disabled={text.trim() === '' || bytes > LONGEST}>{t('case.comment.add')}</button></div>
      </form>
    </div>
  );
}
