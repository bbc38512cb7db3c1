// SPDX-License-Identifier: Apache-2.0
import { t } from '../../text/text';

export function Server() {
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.server')}</h1></div>
    </div>
  );
}
