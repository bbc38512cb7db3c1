// SPDX-License-Identifier: Apache-2.0
// Who has paused a service, and why.
import { t } from '../../text/text';
import { Name } from '../../ui/phrase';

export function PausedBy({ of: { by, reason } }: { of: { by?: string | undefined; reason?: string | undefined } }) {
  return <>{by !== undefined && <> {t('common.by')} <Name value={by} /></>}{reason !== undefined && <>: <Name value={reason} /></>}</>;
}
