// SPDX-License-Identifier: Apache-2.0
// The picture of a case for who may see the case but not read its process.
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { Drawn } from '../shared/drawn';
import type { CaseModel } from './model';

export function OwnPicture({ of }: { of: CaseModel }) {
  return (
    <div class="case-own-picture">
      <Drawn id={of.id} at={of.last} alt={t('case.own.picture')} />
      <div><Action label={t('case.own.reload')} icon="refresh" onDo={() => of.live.reload()} /></div>
    </div>
  );
}
