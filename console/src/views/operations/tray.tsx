// SPDX-License-Identifier: Apache-2.0
// Operations that this page has started: their progress stays in sight until
// they are over.
import { signal } from '@preact/signals';
import { changed } from '../../app/changes';
import { api, Problem, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { say } from '../../ui/message';

type Operation = Schema['Operation'];
const ASK_EACH_MS = 1000;

const followed = signal<Operation[]>([]);

/** Shows the progress of an operation until it is over. */
export function follow(operation: number): void {
  const read = async () => {
    try {
      const now = await api.get('/v1/operations/{operation}', { path: { operation } });
      const others = followed.value.filter((one) => one.operation !== operation);
      if (now.state === 'running' || now.state === 'paused') {
        followed.value = [...others, now];
        setTimeout(() => void read(), ASK_EACH_MS);
      } else {
        followed.value = others;
        changed();
        say(t('operations.over', { kind: t(`operations.kind.${now.kind}`), done: now.done, refused: now.refused }));
      }
    } catch (error) {
      if (error instanceof Problem && error.status !== 0 && error.status !== 503) followed.value = followed.value.filter((one) => one.operation !== operation);
      else setTimeout(() => void read(), ASK_EACH_MS);
    }
  };
  void read();
}

export function Tray() {
  if (followed.value.length === 0) return null;
  return (
    <div class="tray" role="status">
      {followed.value.map((one) => (
        <a key={one.operation} href={`/operations/${one.operation}`}>
          <span class="spinner" aria-hidden="true" />
          {t('operations.progress', { kind: t(`operations.kind.${one.kind}`), done: one.done, refused: one.refused })}
        </a>
      ))}
    </div>
  );
}
