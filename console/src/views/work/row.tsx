// SPDX-License-Identifier: Apache-2.0
// An item in the list, as a letter in a list of mail: what it is about, of
// which process, for what, and when it is due.
import { t, tOr } from '../../text/text';
import { StateMark } from '../../ui/state';
import { ago, now, Time } from '../../ui/time';
import { onRowClick } from './keys';
import { isLate, stateOf, type Row } from './order';

const URGENT = 75;

export function Due({ due }: { due: string | undefined }) {
  if (due === undefined) return null;
  const late = isLate({ due }, now.value);
  const at = Date.parse(due);
  return (
    <Time at={due} tone={late ? 'late' : 'muted'}>
      {late && <StateMark value="late" />}{late ? t('work.late', { ago: ago(at) }) : t('work.due', { in: ago(at) })}
    </Time>
  );
}

function Priority({ value }: { value: number | undefined }) {
  if (value === undefined || value < URGENT) return null;
  return <span class="urgent" title={t('work.priorityOf', { n: value })}><span aria-hidden="true">!</span><span class="sr-only">{t('work.priorityOf', { n: value })}</span></span>;
}

export function RowView({ row, href, current }: { row: Row; href: string; current: boolean }) {
  const state = stateOf(row);
  const name = row.name ?? row.task;
  const about = [row.title, ...(row.values ?? []).map((one) => one.value)].filter((one) => one !== undefined && one !== '');
  return (
    <li>
      <a class="work-row" href={href} onClick={(event) => onRowClick(event, row.item)} {...(current ? { 'aria-current': 'true' as const } : {})}>
        <span class="mark" title={tOr(`state.${state}`, state)}><StateMark value={state} /><span class="sr-only">{tOr(`state.${state}`, state)}</span></span>
        <span class="first">
          <Priority value={row.priority} />
          <span class="strong cut" dir="auto" title={name}>{name}</span>
          {row.due === undefined ? <Time at={row.enabled} tone="muted" /> : <Due due={row.due} />}
        </span>
        <span class="second">
          <span class="cut process" dir="auto" title={row.process}>{row.process ?? row.specification}</span>
          <span class="cut about muted" dir="auto" title={about.join(' · ')}>{about.length > 0 ? about.join(' · ') : t('work.case', { case: row.case })}</span>
          {row.suspended_case && <span class="chip" title={t('work.caseSuspendedHint')}>{t('work.caseSuspended')}</span>}
          {row.for !== undefined && <span class="chip" title={t('work.forWhom', { person: row.for })}>{t('work.for', { person: row.for })}</span>}
          {row.holder !== undefined && <span class="small muted cut holder" title={t('work.holder')}>{row.holder}</span>}
        </span>
        {row.documentation !== undefined && <span class="third cut muted small" dir="auto" title={row.documentation}>{row.documentation}</span>}
      </a>
    </li>
  );
}
