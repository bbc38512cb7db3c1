// SPDX-License-Identifier: Apache-2.0
import { t } from '../../text/text';

export function Services() {
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.services')}</h1></div>
    </div>
  );
}
