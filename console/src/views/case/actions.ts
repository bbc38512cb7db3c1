// SPDX-License-Identifier: Apache-2.0
// What the account may do with a case now, and why not the rest: the server is
// asked.  What the account may never do is not shown.
import { api } from '../../api/client';
import { mayAnywhere, type Verb } from '../../app/session';

const verbs = {
  suspend: 'suspend', resume: 'suspend', cancel: 'cancel', change_data: 'operate', repair: 'operate', migrate: 'operate',
  withdraw: 'participate', comment: 'participate', erase: 'administer',
} as const satisfies Record<string, Verb>;

export type CaseAction = keyof typeof verbs;
export type Allowed = Record<string, { allowed: boolean; reason?: string }>;

export interface CaseActions {
  /** Why it cannot be done now; undefined: it can. */
  refused(action: CaseAction): string | undefined;
  shown(action: CaseAction): boolean;
}

export const caseActions = (allowed: Allowed | undefined): CaseActions => ({
  refused: (action) => (allowed?.[action]?.allowed === false ? (allowed[action].reason ?? '') : undefined),
  shown: (action) => mayAnywhere(verbs[action]),
});

/** Until the server says it, nothing is refused beforehand. */
export async function readAllowed(kind: 'cases' | 'items', id: string, signal: AbortSignal): Promise<Allowed> {
  return (await api.get(`/v1/${kind}/{id}/actions` as '/readyz', { path: { id }, signal } as object)) as unknown as Allowed;
}
