// SPDX-License-Identifier: Apache-2.0
import { t } from '../../text/text';

export function Processes() {
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.processes')}</h1></div>
    </div>
  );
}
