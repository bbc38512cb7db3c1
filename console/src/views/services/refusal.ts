// SPDX-License-Identifier: Apache-2.0
// Where a refusal of a form belongs: the server begins it with the member.
import { Problem } from '../../api/client';
import { t } from '../../text/text';

export interface Refusal {
  /** The member that is wrong, if it is one of these. */
  member: string | undefined;
  text: string;
}

export function refusalOf(error: unknown, members: readonly string[]): Refusal {
  if (!(error instanceof Problem)) return { member: undefined, text: String(error) };
  if (error.status === 0) return { member: undefined, text: t('error.unreachable') };
  const found = /^(\w+): (.*)$/s.exec(error.message);
  return found && members.includes(found[1]!) ? { member: found[1], text: found[2]! } : { member: undefined, text: error.message };
}
