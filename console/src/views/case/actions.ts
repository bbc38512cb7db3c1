// SPDX-License-Identifier: Apache-2.0
// What the account may do with a case now, and why not the rest: the server is
// asked.  What the account may never do is not shown.
import type { Schema } from '../../api/client';
import { mayAnywhere, type Verb } from '../../app/session';

const verbs = {
  suspend: 'suspend', resume: 'suspend', cancel: 'cancel', change_data: 'operate', repair: 'operate', migrate: 'operate',
  withdraw: 'participate', comment: 'participate', erase: 'administer',
} as const satisfies Record<string, Verb>;

export type CaseAction = keyof typeof verbs;
export type Permission = Schema['Permission'];

export interface CaseActions {
  /** Why it cannot be done now; undefined: it can. */
  refused(action: CaseAction): string | undefined;
  shown(action: CaseAction): boolean;
  /** Whether it is known that it can be done now. */
  allowed(action: CaseAction): boolean;
}

export const caseActions = (allowed: Record<CaseAction, Permission> | undefined): CaseActions => ({
  refused: (action) => (allowed ? notAllowed(allowed[action]) : undefined),
  allowed: (action) => allowed?.[action].allowed === true,
  shown: (action) => mayAnywhere(verbs[action]) && allowed?.[action].lacks === undefined,
});

/** Why something is not allowed; undefined: it is. */
export const notAllowed = (permission: Permission | undefined): string | undefined => (permission?.allowed === false ? (permission.reason ?? '') : undefined);
