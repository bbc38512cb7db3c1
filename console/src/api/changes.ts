// SPDX-License-Identifier: Apache-2.0
// That something has changed on the server, for views with figures of many
// cases: one stream for all of them, and each reads again at most so often.
import { useEffect, useRef } from 'preact/hooks';
import { mayAnywhere } from '../app/session';
import { openStream, type Stream } from './stream';

const AT_MOST_EACH_MS = 2000;
// What opens an incident is no step: after a step the views read once more.
const AFTERWARDS_MS = 8000;

const readers = new Set<() => void>();
let stream: Stream | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let afterwards: ReturnType<typeof setTimeout> | undefined;
let announced = 0;

function readAll(): void {
  announced = Date.now();
  for (const read of readers) read();
}

// A page that nobody sees reads nothing; it does when it is seen again.
function announce(): void {
  timer = undefined;
  if (document.visibilityState === 'hidden') {
    document.addEventListener('visibilitychange', changed, { once: true });
    return;
  }
  readAll();
  clearTimeout(afterwards);
  afterwards = setTimeout(readAll, AFTERWARDS_MS);
}

function changed(): void {
  timer ??= setTimeout(announce, Math.max(0, announced + AT_MOST_EACH_MS - Date.now()));
}

function leave(read: () => void): void {
  readers.delete(read);
  if (readers.size > 0) return;
  clearTimeout(timer);
  clearTimeout(afterwards);
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
    // Who may read nothing of others is refused the stream.
    if (!mayAnywhere('read')) return;
    const mine = () => latest.current();
    readers.add(mine);
    stream ??= openStream('/v1/events', { step: changed, opened: changed });
    return () => leave(mine);
  }, []);
}
