// SPDX-License-Identifier: Apache-2.0
// What incidents are, by their codes; services may give others.
import { t, tOr } from '../../text/text';

/** Those that can be chosen. */
export const codes = ['deadlock', 'unavailable', 'unserved', 'unoffered', 'not_started', 'late', 'urgency', 'data', 'limit', 'subscription', 'corrupt', 'bug'];

const NOT_CALLED = 'its address may not be called';

/** What the code says, as far as the page knows it; a service that was not called has refused nothing. */
export const codeName = (code: string, reason = ''): string =>
  reason.includes(NOT_CALLED) ? t('incidents.notCalled') : tOr(`case.code.${code.toLowerCase()}`, code);
