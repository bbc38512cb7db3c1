// SPDX-License-Identifier: Apache-2.0
// What incidents are, by their codes; services may give others.
import { tOr } from '../../text/text';

/** Those that can be chosen. */
export const codes = ['deadlock', 'unavailable', 'delivery', 'refused', 'failed', 'lost', 'unserved', 'unoffered', 'not_started', 'late', 'urgency', 'data', 'limit', 'subscription', 'corrupt', 'bug'];

/** What the code says, as far as the page knows it. */
export const codeName = (code: string): string => tOr(`case.code.${code.toLowerCase()}`, code);
