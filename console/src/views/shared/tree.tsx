// SPDX-License-Identifier: Apache-2.0
// Values as a tree, with what is different from others marked.
import { useState } from 'preact/hooks';
import { t } from '../../text/text';
import { changeTexts, type Branch } from './difference';
import './shared.css';

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
      <bdi class={`data-value data-value-${typeof value}`}>{whole || shown.length <= LONG ? shown : `${shown.slice(0, LONG)}…`}</bdi>
      {shown.length > LONG && <button type="button" class="link" onClick={() => setWhole(!whole)}>{whole ? t('case.data.less') : t('case.data.whole', { n: shown.length })}</button>}
    </>
  );
}

function Mark({ branch }: { branch: Branch }) {
  if (branch.change === 'same') return null;
  return <span class={`data-change data-change-${branch.change}`}>{t(changeTexts[branch.change])}</span>;
}

function Leaf({ branch }: { branch: Branch }) {
  return (
    <div class={`data-leaf ${branch.change}`} role="treeitem">
      <bdi class="data-member">{branch.name}</bdi>
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
      <div class="data-node-head">
        <button type="button" class="data-twist" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          <bdi class="data-member">{branch.name}</bdi>
          <span class="muted small">{size(branch)}</span>
        </button>
        <Mark branch={branch} />
      </div>
      {open && (
        <div class="data-branches" role="group">
          {shown.map((one) => <Node key={one.path} branch={one} depth={depth + 1} />)}
          {shown.length < branch.branches.length && <button type="button" class="link" onClick={() => setMore(true)}>{t('case.data.rest', { n: branch.branches.length - shown.length })}</button>}
        </div>
      )}
    </div>
  );
}

/** Values with their members; `label` says whose they are. */
export function DataTree({ branches, label }: { branches: Branch[]; label: string }) {
  return <div class="data-tree" role="tree" aria-label={label}>{branches.map((branch) => <Node key={branch.path} branch={branch} depth={0} />)}</div>;
}
