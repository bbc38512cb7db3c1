// SPDX-License-Identifier: Apache-2.0
// A dialog that gives one command, and closes when it was done.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../text/text';
import { Dialog } from './message';

export function CommandDialog({ title, verb, wide = false, ready = true, onDo, onClose, children }: {
  title: string; verb: string; wide?: boolean;
  /** Whether all that the command needs is there. */
  ready?: boolean;
  /** True when it was done. */
  onDo: () => Promise<boolean>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    const done = await onDo();
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog wide={wide} title={title} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="button" class="button primary" disabled={busy || !ready} onClick={() => void submit()}>{verb}</button>
      </>
    }>
      {children}
    </Dialog>
  );
}
