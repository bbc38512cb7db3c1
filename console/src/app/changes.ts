// SPDX-License-Identifier: Apache-2.0
// That something has changed on the server, for views with figures of many
// cases: one stream for all of them, and each reads again at most so often.
// What is no step, such as an incident of a call that failed, is not in the
// stream: so they read now and then without one, too.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { may } from './session';
import { openStream, type Stream } from '../api/stream';

const AT_MOST_EACH_MS = 2000;
const AT_LEAST_EACH_MS = 10_000;

/** Counts what was announced or commanded, for what stands beside the views: it opens no stream. */
export const news = signal(0);

const readers = new Set<() => void>();
let stream: Stream | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let quiet: ReturnType<typeof setTimeout> | undefined;
let announced = 0;

// A page that nobody sees reads nothing; it does when it is seen again.
function announce(): void {
  timer = undefined;
  clearTimeout(quiet);
  if (document.visibilityState === 'hidden') {
    document.addEventListener('visibilitychange', changed, { once: true });
    return;
  }
  announced = Date.now();
  quiet = setTimeout(changed, AT_LEAST_EACH_MS);
  for (const read of readers) read();
  news.value++;
}

/** That a command of this page was done. */
export function commanded(): void {
  news.value++;
}

/** That something has changed which is no step, such as an operation that ended. */
export function changed(): void {
  if (readers.size === 0) news.value++;
  else timer ??= setTimeout(announce, Math.max(0, announced + AT_MOST_EACH_MS - Date.now()));
}

function leave(read: () => void): void {
  readers.delete(read);
  if (readers.size > 0) return;
  clearTimeout(timer);
  clearTimeout(quiet);
  timer = undefined;
  document.removeEventListener('visibilitychange', changed);
  stream?.close();
  stream = undefined;
}

/** Calls `read` after a step of any case, as long as the view is shown. */
export function useChanges(read: () => void): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const mine = () => latest.current();
    readers.add(mine);
    // Who may not read all is refused the stream of all, and reads now and then.
    if (may('read')) stream ??= openStream('/v1/events', { step: changed, opened: changed });
    else if (readers.size === 1) quiet = setTimeout(changed, AT_LEAST_EACH_MS);
    return () => leave(mine);
  }, []);
}
