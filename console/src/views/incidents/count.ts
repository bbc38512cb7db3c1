// SPDX-License-Identifier: Apache-2.0
// How many incidents are open, for the rail: read when one comes to another
// section, after commands and changes, and by the views that read them anyway.
import { useEffect } from 'preact/hooks';
import { news } from '../../app/changes';
import { api } from '../../api/client';
import { place, section } from '../../app/router';
import { may, mayAnywhere } from '../../app/session';
import { counts } from '../../app/counts';

/** The rail says "99+" from there on. */
const COUNTED = 100;
const LATER_MS = 500;

export function showOpen(open: number): void {
  if (counts.value['incidents'] !== open) counts.value = { ...counts.value, incidents: open };
}

/** Whether the view reads them all anyway, and says how many. */
function shown(): boolean {
  const { path, query } = place.value;
  return (path[0] === 'overview' && may('read')) || (path[0] === 'incidents' && path.length === 1 && query.size === 0);
}

async function readOpen(): Promise<void> {
  // What cannot be read now is with the next section.
  const page = await api.get('/v1/incidents', { query: { limit: COUNTED } }).catch(() => undefined);
  if (page) showOpen(page.incidents.length);
}

export function useOpenIncidents(): void {
  const at = section.value;
  const heard = news.value;
  useEffect(() => {
    if (!mayAnywhere('read') || shown()) return undefined;
    // The view comes first.
    const timer = setTimeout(() => void readOpen(), LATER_MS);
    return () => clearTimeout(timer);
  }, [at, heard]);
}
