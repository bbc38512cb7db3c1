// SPDX-License-Identifier: Apache-2.0
// Where a refusal of a form belongs: the server begins it with the member.
import { reasonOf } from '../../ui/message';

export interface Refusal {
  /** The member that is wrong, if it is one of these. */
  member: string | undefined;
  text: string;
}

export function refusalOf(error: unknown, members: readonly string[]): Refusal {
  const text = reasonOf(error);
  const found = /^(\w+): (.*)$/s.exec(text);
  return found && members.includes(found[1]!) ? { member: found[1], text: found[2]! } : { member: undefined, text };
}
