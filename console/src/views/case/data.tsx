// SPDX-License-Identifier: Apache-2.0
// The data of a case as a tree; what the step that is shown changed is marked,
// with what was there before.
import { useState } from 'preact/hooks';
import { t } from '../../text/text';
import { Empty, Failure } from '../../ui/message';
import type { Resource } from '../../api/resource';
import { compareData, changeTexts, type Branch } from './difference';
import type { CaseModel } from './model';
import type { Moment } from './moment';

/** Members of an object or array that are shown before one asks for more. */
const SHOWN = 100;
/** Characters of a value; the whole is shown on asking. */
const LONG = 300;

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');

function Value({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (value === undefined) return null;
  if (value === '') return <span class="muted">{t('case.data.empty')}</span>;
  const shown = text(value);
  return (
    <>
      <bdi class={`case-value case-value-${typeof value}`}>{whole || shown.length <= LONG ? shown : `${shown.slice(0, LONG)}…`}</bdi>
      {shown.length > LONG && <button type="button" class="link" onClick={() => setWhole(!whole)}>{whole ? t('case.data.less') : t('case.data.whole', { n: shown.length })}</button>}
    </>
  );
}

function Mark({ branch }: { branch: Branch }) {
  if (branch.change === 'same') return null;
  return <span class={`case-change case-change-${branch.change}`}>{t(changeTexts[branch.change])}</span>;
}

function Leaf({ branch }: { branch: Branch }) {
  return (
    <div class={`case-leaf ${branch.change}`} role="treeitem">
      <bdi class="case-member">{branch.name}</bdi>
      <span class="grow words">
        {(branch.change === 'changed' || branch.change === 'removed') && <del><Value value={branch.before} /></del>}
        {branch.change === 'changed' && <span aria-label={t('case.data.to')}> → </span>}
        {branch.change === 'removed' ? null : <Value value={branch.value} />}
      </span>
      <Mark branch={branch} />
    </div>
  );
}

function size(branch: Branch): string {
  const count = branch.branches?.length ?? 0;
  return Array.isArray(branch.value ?? branch.before) ? t('case.data.entries', { n: count }) : t('case.data.members', { n: count });
}

function Node({ branch, depth }: { branch: Branch; depth: number }) {
  const [open, setOpen] = useState(depth < 2 || branch.change !== 'same');
  const [more, setMore] = useState(false);
  if (!branch.branches) return <Leaf branch={branch} />;
  const shown = more ? branch.branches : branch.branches.slice(0, SHOWN);
  return (
    <div role="treeitem" aria-expanded={open}>
      <div class="case-node-head">
        <button type="button" class="case-twist" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          <bdi class="case-member">{branch.name}</bdi>
          <span class="muted small">{size(branch)}</span>
        </button>
        <Mark branch={branch} />
      </div>
      {open && (
        <div class="case-branches" role="group">
          {shown.map((one) => <Node key={one.path} branch={one} depth={depth + 1} />)}
          {shown.length < branch.branches.length && <button type="button" class="link" onClick={() => setMore(true)}>{t('case.data.rest', { n: branch.branches.length - shown.length })}</button>}
        </div>
      )}
    </div>
  );
}

function DataTree({ branches }: { branches: Branch[] }) {
  if (branches.length === 0) return <Empty>{t('case.data.none')}</Empty>;
  return <div class="case-tree" role="tree" aria-label={t('case.tab.data')}>{branches.map((branch) => <Node key={branch.path} branch={branch} depth={0} />)}</div>;
}

/** Of the present, the tree is compared with how the case stood before its last step. */
export function DataTab({ of, moment }: { of: CaseModel; moment: Resource<Moment | undefined> }) {
  const [onlyChanged, setOnlyChanged] = useState(false);
  const shown = moment.data.value;
  const same = shown !== undefined && shown.step.sequence === (of.step ?? of.last);
  const before = same ? (shown.before?.data ?? {}) : undefined;
  const branches = compareData(of.state.data ?? {}, before);
  const changes = branches.filter((branch) => branch.change !== 'same');
  return (
    <div class="column">
      {moment.error.value && of.step === undefined && <Failure error={moment.error.value} again={() => void moment.reload()} />}
      {same && (
        <div class="row wrap small">
          <span class="muted grow">{changes.length === 0 ? t('case.data.unchanged', { n: shown.step.sequence }) : t('case.data.changedBy', { n: shown.step.sequence })}</span>
          {changes.length > 0 && <label class="row"><input type="checkbox" checked={onlyChanged} onChange={(event) => setOnlyChanged(event.currentTarget.checked)} />{t('case.data.only')}</label>}
        </div>
      )}
      <DataTree branches={onlyChanged ? changes : branches} />
    </div>
  );
}
