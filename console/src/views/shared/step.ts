// SPDX-License-Identifier: Apache-2.0
// The steps of a case, as its history and its stream have them.
import type { Schema } from '../../api/client';

export type Step = Schema['Step'];
export type CaseEvent = Schema['Event'];

/** The task that an id of an item ends with. */
export const taskOf = (item: string): string => item.slice(item.indexOf(':') + 1);

/** The net instance, or the case, that an id of an item begins with. */
export const owner = (item: string): string => item.slice(0, item.indexOf(':'));
