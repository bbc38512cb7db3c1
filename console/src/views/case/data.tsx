// SPDX-License-Identifier: Apache-2.0
// The data of a case as a tree; what the step that is shown changed is marked,
// with what was there before.
import { useState } from 'preact/hooks';
import { t } from '../../text/text';
import { Empty, Failure } from '../../ui/message';
import type { Resource } from '../../api/resource';
import { DataTree } from '../shared/tree';
import { compareData } from '../shared/difference';
import type { CaseModel } from './model';
import type { Moment } from './moment';

/** Of the present, the tree is compared with how the case stood before its last step. */
export function DataTab({ of, moment }: { of: CaseModel; moment: Resource<Moment | undefined> }) {
  const [onlyChanged, setOnlyChanged] = useState(false);
  const shown = moment.data.value;
  const same = shown !== undefined && shown.step.sequence === (of.step ?? of.last);
  const before = same ? (shown.before?.data ?? {}) : undefined;
  const branches = compareData(of.state.data ?? {}, before);
  const changes = branches.filter((branch) => branch.change !== 'same');
  // Of a step that changed nothing all is shown: it would be an empty tree.
  const filtered = onlyChanged && changes.length > 0;
  return (
    <div class="column">
      {moment.error.value && of.step === undefined && <Failure error={moment.error.value} again={() => void moment.reload()} />}
      {same && (
        <div class="row wrap small">
          <span class="muted grow">{changes.length === 0 ? t('case.data.unchanged', { n: shown.step.sequence }) : t('case.data.changedBy', { n: shown.step.sequence })}</span>
          <label class="row"><input type="checkbox" checked={filtered} disabled={changes.length === 0} onChange={(event) => setOnlyChanged(event.currentTarget.checked)} />{t('case.data.only')}</label>
        </div>
      )}
      {branches.length === 0 ? <Empty>{t('case.data.none')}</Empty> : <DataTree label={t('case.tab.data')} branches={filtered ? changes : branches} />}
    </div>
  );
}
