// SPDX-License-Identifier: Apache-2.0
// The actions of a menu: those that can be done, and behind a summary those
// that cannot, each with its reason.
import { t } from '../../text/text';
import { Entries, type MenuEntry } from '../../ui/control';

export function Choices({ entries, close }: { entries: MenuEntry[]; close: () => void }) {
  const possible = entries.filter((entry) => entry.refused === undefined);
  const refused = entries.filter((entry) => entry.refused !== undefined);
  if (entries.length === 0) return <p class="small muted">{t('item.noActions')}</p>;
  return (
    <>
      <Entries close={close} entries={possible} />
      {refused.length > 0 && (
        <details open={possible.length === 0}>
          <summary>{t('item.notNow', { n: refused.length })}</summary>
          <Entries close={close} entries={refused} />
        </details>
      )}
    </>
  );
}
