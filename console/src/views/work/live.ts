// SPDX-License-Identifier: Apache-2.0
// The own worklist as it changes: what the stream reports, for the list, the
// open item and the count on the rail.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, session } from '../../api/client';
import { openStream } from '../../api/stream';
import { counts } from '../../app/counts';

interface Listed {
  item: string;
  case: string;
  task: string;
  assignment?: string;
}

interface Change {
  /** Everything may have changed. */
  all: boolean;
  left: Set<string>;
  /** Items that are new or have changed. */
  here: Map<string, Listed>;
}

/** The latest changes, some at once; the number of each is a new object. */
const changes = signal<Change>({ all: false, left: new Set(), here: new Map() });

/** Calls `react` with each change behind the one that was there at first. */
export function useLatestChange(react: (change: Change) => void): void {
  const seen = useRef(changes.value);
  const change = changes.value;
  useEffect(() => {
    if (seen.current === change) return;
    seen.current = change;
    react(change);
  }, [change]);
}

/** For lists that the stream does not report: all is read again. */
export function changeAll(): void {
  changes.value = { all: true, left: new Set(), here: new Map() };
}

const GATHER_MS = 120;

function showCount(mine: number): void {
  counts.value = { ...counts.value, work: mine };
}

const isMine = (one: Listed): boolean => one.assignment === 'allocated' || one.assignment === 'started';

/** Follows the stream as long as the view is open. */
export function useLiveWork(): void {
  const participant = session.value?.participant;
  useEffect(() => {
    if (participant === undefined) return;
    const known = new Map<string, Listed>();
    let gathered: Change | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = (change: (to: Change) => void) => {
      if (!gathered) {
        gathered = { all: false, left: new Set(), here: new Map() };
        timer = setTimeout(() => {
          if (gathered) changes.value = gathered;
          gathered = undefined;
          showCount([...known.values()].filter(isMine).length);
        }, GATHER_MS);
      }
      change(gathered);
    };
    const put = (data: unknown) => {
      const one = data as Listed;
      known.set(one.item, one);
      note((to) => { to.left.delete(one.item); to.here.set(one.item, one); });
    };
    const stream = openStream('/v1/worklist/events', {
      events: {
        list: (data) => {
          known.clear();
          for (const one of (data as { items: Listed[] }).items) known.set(one.item, one);
          note((to) => { to.all = true; });
        },
        appeared: put,
        changed: put,
        left: (data) => {
          const { item } = data as Listed;
          known.delete(item);
          note((to) => { to.here.delete(item); to.left.add(item); });
        },
      },
    });
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  }, [participant]);
}

/** Reads the count for the rail once: the other views have no stream of it. */
export async function readCount(): Promise<void> {
  if (session.value?.participant === undefined) return;
  const { mine } = await api.get('/v1/worklist/counts', {});
  showCount(mine.allocated + mine.started + mine.suspended);
}
