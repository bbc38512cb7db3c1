// SPDX-License-Identifier: Apache-2.0
// Streams of server-sent events, which come back by themselves.
//
//     opening ──► open ──lost──► waiting ──1, 2, 4.. 15 s──► opening
//
// EventSource itself gives up on answers such as 503 of a server that starts.
import { signal } from '@preact/signals';
import { reachable, renewSession, session, type Schema } from './client';

/** Streams that should be open; how many are not; since when. */
export const live = signal<{ wanted: number; lost: number; since: number }>({ wanted: 0, lost: 0, since: 0 });

const LONGEST_MS = 15_000;

export interface Stream {
  close(): void;
}

function count(wanted: number, lost: number): void {
  const now = live.value;
  const next = now.lost + lost;
  live.value = { wanted: now.wanted + wanted, lost: next, since: next > 0 && now.lost === 0 ? Date.now() : now.since };
}

/**
 * Opens a stream.  `path` has no position: the stream begins at
 * `after`, and after a loss behind the last step that was seen.
 */
export function openStream(
  path: string,
  handlers: {
    step?: (step: Schema['Step'] & { received: number }) => void;
    /** Of a stream that is not one of steps: by the name of the event. */
    events?: Record<string, (data: unknown) => void>;
    opened?: () => void;
  },
  after?: string,
): Stream {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = after;
  let lost = false;
  let closed = false;
  let delay = 500;
  count(1, 0);

  function open(): void {
    const target = last === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(last)}`;
    source = new EventSource(target, { withCredentials: true });
    source.onopen = () => {
      delay = 500;
      reachable.value = true;
      if (lost) count(0, -1);
      lost = false;
      handlers.opened?.();
    };
    const follow = (name: string, take: (data: unknown) => void) =>
      source?.addEventListener(name, (event: MessageEvent<string>) => {
        if (event.lastEventId !== '') last = event.lastEventId;
        take(JSON.parse(event.data));
      });
    const { step } = handlers;
    if (step) follow('step', (data) => step({ ...(data as Schema['Step']), received: performance.now() }));
    for (const [name, take] of Object.entries(handlers.events ?? {})) follow(name, take);
    source.onerror = () => {
      if (closed) return;
      source?.close();
      if (!lost) count(0, 1);
      lost = true;
      delay = Math.min(delay * 2, LONGEST_MS);
      timer = setTimeout(() => void reopen(), delay);
    };
  }

  /** A stream does not say why it ended: a session that is over and a right that is lost end it, too. */
  async function reopen(): Promise<void> {
    await renewSession();
    if (!closed && session.value !== null) open();
  }

  open();
  return {
    close() {
      if (closed) return;
      closed = true;
      clearTimeout(timer);
      source?.close();
      count(-1, lost ? -1 : 0);
    },
  };
}
