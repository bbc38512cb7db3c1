// SPDX-License-Identifier: Apache-2.0
// What would come of a repair or a migration, before it is done: whether it is
// allowed, what begins and ends, and whether the case can complete then.
import type { Schema } from '../../api/client';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import type { CaseModel } from './model';
import { Element, Linked } from './words';

export type Altered = Schema['Altered'];
type Prospect = Schema['Prospect'];

function Items({ label, items, of }: { label: string; items: { item: string; task: string }[]; of: CaseModel }) {
  if (items.length === 0) return null;
  return (
    <div>
      <span class="muted">{label} </span>
      {items.map((one, index) => <span key={one.item}>{index > 0 && ', '}<Element id={one.task} of={of} /> <span class="small mono muted">{one.item}</span></span>)}
    </div>
  );
}

function ProspectWords({ prospect, of, many }: { prospect: Prospect; of: CaseModel; many: boolean }) {
  const state = prospect.possible === 'no' ? 'failed' : prospect.endangered === 'yes' ? 'late' : prospect.possible === 'unknown' ? 'waiting' : 'done';
  return (
    <li>
      <div class={`row state-${state}`}>
        <Icon name={state === 'done' ? 'check' : state === 'waiting' ? 'question' : 'incidents'} size={16} />
        <span class="strong">
          {many && <>{prospect.name} <span class="mono small">{prospect.net}</span>: </>}
          {t(`case.prospect.${prospect.possible}`)}{prospect.possible !== 'no' && prospect.endangered === 'yes' && `; ${t('case.prospect.endangered')}`}
        </span>
      </div>
      {prospect.ending !== undefined && prospect.possible === 'yes' && <div class="small muted">{t('case.prospect.ending')} <Linked text={prospect.ending} of={of} /></div>}
      {prospect.failing !== undefined && <div class="small">{t('case.prospect.failing')} <Linked text={prospect.failing} of={of} /></div>}
    </li>
  );
}

export function Prospects({ prospects, of }: { prospects: Prospect[]; of: CaseModel }) {
  return <ul class="case-prospects">{prospects.map((one) => <ProspectWords key={one.net} prospect={one} of={of} many={prospects.length > 1} />)}</ul>;
}

/** Whether it is only refused because the case could not complete: then it can be forced. */
export const canForce = (outlook: Altered): boolean => outlook.allowed === false && outlook.refusal?.code === 'cannot_complete';

export function OutlookView({ outlook, of }: { outlook: Altered; of: CaseModel }) {
  return (
    <div class={`notice ${outlook.allowed ? 'done' : 'failed'} column`} role="status">
      <div class="strong">{outlook.allowed ? t('case.outlook.allowed') : t('case.outlook.refused')}</div>
      {outlook.refusal && <Linked text={outlook.refusal.detail ?? outlook.refusal.title} of={of} />}
      <Items label={t('case.outlook.enabled')} items={outlook.enabled ?? []} of={of} />
      <Items label={t('case.outlook.ended')} items={outlook.ended ?? []} of={of} />
      <Prospects prospects={outlook.prospects ?? outlook.refusal?.prospects ?? []} of={of} />
    </div>
  );
}
