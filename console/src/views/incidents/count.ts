// SPDX-License-Identifier: Apache-2.0
// How many incidents are open, for the rail: read when one comes to another
// section, and by the views that read them anyway.
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { section } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { counts } from '../../app/frame';

/** The rail says "99+" from there on. */
const COUNTED = 100;

export function showOpen(open: number): void {
  if (counts.value['incidents'] !== open) counts.value = { ...counts.value, incidents: open };
}

export async function readOpen(): Promise<void> {
  if (!mayAnywhere('read')) return;
  // What cannot be read now is with the next section.
  const page = await api.get('/v1/incidents', { query: { limit: COUNTED } }).catch(() => undefined);
  if (page) showOpen(page.incidents.length);
}

export function useOpenIncidents(): void {
  const at = section.value;
  useEffect(() => void readOpen(), [at]);
}
