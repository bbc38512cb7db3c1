// SPDX-License-Identifier: Apache-2.0
// The address of the list of work and of an item beside it.
import { argument, to } from '../../app/router';

/** The arguments of the list, which stay when an item is chosen. */
const listArguments = (): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const name of ['view', 'order', 'q', 'priority', 'due', 'person']) {
    const value = argument(name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
};

export const workAddress = (item?: string, more: Record<string, string | undefined> = {}): string =>
  to(item === undefined ? ['work'] : ['work', item], { ...listArguments(), ...more });
