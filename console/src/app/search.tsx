// SPDX-License-Identifier: Apache-2.0
// The search of the bar: cases, items, processes and people by id or word.
import { t } from '../text/text';

export function Search() {
  return (
    <div class="search">
      <input id="search" type="search" aria-label={t('frame.search')} placeholder={t('frame.search')} autocomplete="off" />
    </div>
  );
}
