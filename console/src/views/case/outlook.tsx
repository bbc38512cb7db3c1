// SPDX-License-Identifier: Apache-2.0
// What would come of a repair or a migration, before it is done: whether it is
// allowed, what begins and ends, and whether the case can complete then.
import { useEffect, useState } from 'preact/hooks';
import { Problem, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { complain } from '../../ui/message';
import { StateMark } from '../../ui/state';
import type { CaseModel } from './model';
import { Element } from '../shared/words';
import { Linked } from './linked';

export type Altered = Schema['Altered'];
type Prospect = Schema['Prospect'];

const PAUSE_MS = 200;

export interface Trial {
  /** Of the last trial that was answered. */
  outlook: Altered | undefined;
  problem: Problem | undefined;
  /** Whether it is only refused because the case could not complete. */
  forced: boolean;
  /** Why what would be sent now is not done; undefined: it may be. */
  refused: string | undefined;
}

/** Tries `body` after each change of it, and after each step of the case; the last trial counts. */
export function useTrial(body: object | undefined, send: (signal: AbortSignal) => Promise<Altered>, last: number): Trial {
  const [tried, setTried] = useState<{ trial?: string; outlook?: Altered; problem?: Problem }>({});
  const trial = body === undefined ? undefined : JSON.stringify(body);
  useEffect(() => {
    if (trial === undefined) { setTried({}); return; }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      send(abort.signal).then((outlook) => setTried({ trial, outlook }), (error: unknown) => {
        if (abort.signal.aborted) return;
        setTried(error instanceof Problem ? { trial, problem: error } : { trial });
        if (!(error instanceof Problem)) complain(error);
      });
    }, PAUSE_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [trial, last]);
  const outlook = trial === undefined ? undefined : tried.outlook;
  const forced = outlook !== undefined && canForce(outlook);
  const pending = tried.trial !== trial;
  return {
    outlook, forced,
    problem: pending ? undefined : tried.problem,
    refused: pending ? t('case.outlook.pending') : !outlook?.allowed && !forced ? t('case.outlook.refused') : undefined,
  };
}

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

function Prospects({ prospects, of }: { prospects: Prospect[]; of: CaseModel }) {
  return <ul class="case-prospects">{prospects.map((one) => <ProspectWords key={one.net} prospect={one} of={of} many={prospects.length > 1} />)}</ul>;
}

/** Whether it is only refused because the case could not complete: then it can be forced. */
const canForce = (outlook: Altered): boolean => outlook.allowed === false && outlook.refusal?.code === 'cannot_complete';

/** Whether it can be done, for beside the button: why may be further up, out of sight. */
export function OutlookVerdict({ outlook }: { outlook: Altered }) {
  return (
    <span class={`row strong state-${outlook.allowed ? 'done' : 'failed'}`} role="status">
      <StateMark value={outlook.allowed ? 'done' : 'failed'} />
      {t(outlook.allowed ? 'case.outlook.allowed' : 'case.outlook.refused')}
    </span>
  );
}

/** What would come of it. */
export function OutlookView({ outlook, of }: { outlook: Altered; of: CaseModel }) {
  return (
    <div class={`notice ${outlook.allowed ? 'done' : 'failed'} column`} role="status">
      {outlook.refusal && <Linked text={outlook.refusal.detail ?? outlook.refusal.title} of={of} />}
      <Items label={t('case.outlook.enabled')} items={outlook.enabled ?? []} of={of} />
      <Items label={t('case.outlook.ended')} items={outlook.ended ?? []} of={of} />
      <Prospects prospects={outlook.prospects ?? outlook.refusal?.prospects ?? []} of={of} />
    </div>
  );
}
