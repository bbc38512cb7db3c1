// SPDX-License-Identifier: Apache-2.0
import { t } from '../../text/text';

export function People() {
  return (
    <div class="view">
      <div class="view-head"><h1>{t('frame.people')}</h1></div>
    </div>
  );
}
