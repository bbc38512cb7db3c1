// SPDX-License-Identifier: Apache-2.0
import { t } from '../../text/text';

export function Incidents() {
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.incidents')}</h1></div>
    </div>
  );
}
