// SPDX-License-Identifier: Apache-2.0
// The open incidents of a case: a banner above all, and a list with the words
// of the server, retry and drop.
import { api } from '../../api/client';
import type { Resource } from '../../api/resource';
import { setQuery } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { Await, Empty } from '../../ui/message';
import { Time } from '../../ui/time';
import { drop, retry } from '../incidents/actions';
import { failedTask, type Incident } from '../incidents/filter';
import { codeName } from '../shared/codes';
import { setMode, type CaseModel } from './model';
import { Element } from '../shared/words';
import { Linked } from './linked';

export type Incidents = Resource<Incident[]>;

export async function readIncidents(id: string, signal: AbortSignal): Promise<Incident[]> {
  return (await api.get('/v1/incidents', { query: { case: id, limit: 100 }, signal })).incidents;
}

/** A retry does not resolve a deadlock, a repair may. */
function Buttons({ of, incident }: { of: CaseModel; incident: Incident }) {
  if (!mayAnywhere('operate')) return null;
  return (
    <div class="row wrap">
      {incident.code === 'deadlock'
        ? <Action label={t('case.repair')} refused={of.step === undefined ? of.actions.refused('repair') : t('case.notNow')} onDo={() => setMode('repair')} />
        : <Action label={t('case.incident.retry')} icon="refresh" refused={of.step === undefined ? undefined : t('case.notNow')} onDo={() => retry(incident, of.changed)} />}
      <Action label={t('case.incident.drop')} refused={of.step === undefined ? undefined : t('case.notNow')} onDo={() => drop(incident, of.changed)} />
    </div>
  );
}

export function IncidentBanner({ of, incidents }: { of: CaseModel; incidents: Incidents }) {
  const open = incidents.data.value ?? [];
  const first = open[0];
  if (!first || of.step !== undefined) return null;
  const task = failedTask(first);
  return (
    <div class="notice failed case-banner" role="alert">
      <div class="grow">
        <span class="strong">{codeName(first.code)}</span>
        {task !== undefined && <> · <Element id={task} of={of} /></>}
        <div class="case-clamp" title={first.text}><Linked text={first.text} of={of} /></div>
      </div>
      <div class="row wrap">
        {open.length > 1 && <button type="button" class="link" onClick={() => setQuery({ tab: 'incidents' })}>{t('case.incident.all', { n: open.length })}</button>}
        <Buttons of={of} incident={first} />
      </div>
    </div>
  );
}

export function IncidentsTab({ of, incidents }: { of: CaseModel; incidents: Incidents }) {
  return (
    <Await of={incidents} lines={3}>
      {(open) => open.length === 0 ? <Empty>{t('case.incident.none')}</Empty> : (
        <ul class="case-entries">
          {open.map((incident) => {
            const task = failedTask(incident);
            return (
              <li key={incident.incident} class="column case-entry-block">
                <div class="row wrap">
                  <span class="strong state-failed">{codeName(incident.code)}</span>
                  {task !== undefined && <Element id={task} of={of} />}
                  <a class="small mono" href={`/incidents/${incident.incident}`}>#{incident.incident}</a>
                </div>
                <p><Linked text={incident.text} of={of} /></p>
                <div class="small muted row wrap">
                  <span>{t('case.incident.first')} <Time at={incident.first} /></span>
                  {incident.attempts > 1 && <span>{t('case.incident.attempts', { n: incident.attempts })}, {t('case.incident.last')} <Time at={incident.last} /></span>}
                </div>
                <Buttons of={of} incident={incident} />
              </li>
            );
          })}
        </ul>
      )}
    </Await>
  );
}
