// SPDX-License-Identifier: Apache-2.0
// What a picked element is, how it stands, and why a task does not start.
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { paths } from '../../api/schema';
import { useResource } from '../../api/resource';
import { to } from '../../app/router';
import { may } from '../../app/session';
import { t, tOr } from '../../text/text';
import { Await } from '../../ui/message';
import { Icon } from '../../ui/icons';
import { Name, Phrase } from '../../ui/phrase';
import { Time } from '../../ui/time';
import { PausedBy } from '../shared/paused';
import type { CaseLog } from './case-log';
import { Done } from './done';
import { ItemRow } from './items';
import { inNet } from './marks';
import type { CaseModel } from './model';
import { shownNet } from './stage';
import { Element } from '../shared/words';
import { Linked } from './linked';

type Explained = NonNullable<paths['/v1/cases/{case}/why']['get']['responses'][200]['content']['application/json']>;
type Waiting = Explained['nets'][number];

/** What a task of one net waits for; each name points into the picture. */
function Waits({ of, on, task }: { of: CaseModel; on: Waiting; task: string }) {
  const elements = (ids: string[]) => ids.map((id, index) => <span key={id}>{index > 0 && ', '}<Element id={id} of={of} /></span>);
  const still = on.may_still_come;
  return (
    <>
      <p><Phrase of={`case.why.${on.join}`} parts={{ task: <Element id={task} of={of} />, needs: elements(on.needs) }} /></p>
      {on.marked.length > 0 && <p class="muted"><Phrase of="case.why.marked" parts={{ marked: elements(on.marked) }} /></p>}
      {still && <p><Phrase of="case.why.still" parts={{ condition: <Element id={still.condition} of={of} />, by: elements(still.by) }} /></p>}
    </>
  );
}

/** How the service does that an enabled item is offered to. */
function ServiceWaits({ service }: { service: NonNullable<Explained['service']> }) {
  const name = service.state === 'unregistered' || !may('read') ? <Name value={service.name} /> : <a href={to(['services', service.name])}><Name value={service.name} /></a>;
  const { paused } = service;
  return (
    <>
      <Phrase of={`case.why.service.${service.state}`} parts={{ service: name }} />
      {service.state === 'unclaimed' && <> {service.asked === undefined ? t('case.why.service.nobody') : <>{t('case.why.service.asked')} <Time at={service.asked} /></>}</>}
      {service.since !== undefined && <> {t('case.why.service.since')} <Time at={service.since} /></>}
      {paused && <> <Time at={paused.since} /><PausedBy of={paused} /></>}
      {service.reason !== undefined && <>: <Name value={service.reason} /></>}
    </>
  );
}

/** Keyed by the task. */
function Why({ of, task, idle }: { of: CaseModel; task: string; idle: boolean }) {
  const at = of.step ?? of.last;
  const why = useResource(async (signal) => ({ at, ...(await api.get('/v1/cases/{case}/why', { path: { case: of.id }, query: { task, step: of.step }, signal })) }), []);
  // What is shown stays until that of the next step is there.  One request at a
  // time: steps that come meanwhile are asked for together behind the answer.
  const asked = useRef(at);
  const answered = why.data.value?.at === asked.current || why.error.value !== undefined;
  useEffect(() => {
    if (asked.current === at || !answered) return;
    asked.current = at;
    void why.reload();
  }, [at, answered]);
  return (
    <Await of={why} lines={2}>
      {({ reasons, nets, service }: Explained) => reasons.length === 0 ? <p class="muted">{t('case.why.noNet')}</p> : (
        <ul class="case-reasons">
          {reasons.map((reason, index) => {
            const on = nets[index];
            if (index === nets.length && service && service.state !== 'called') return <li key={index}><ServiceWaits service={service} /></li>;
            return (
              <li key={index}>
                {nets.length > 1 && on && <div class="small mono muted">{on.id}</div>}
                {on && idle && !on.busy && on.needs.length > 0 ? <Waits of={of} on={on} task={task} /> : <Linked text={reason} of={of} />}
              </li>
            );
          })}
        </ul>
      )}
    </Await>
  );
}

export function PickedPanel({ of, id, log }: { of: CaseModel; id: string; log: CaseLog }) {
  const net = shownNet(of.state);
  const element = of.names.element(id);
  const task = element?.kind === 'task';
  const items = (of.state.items ?? []).filter((item) => item.task === id && (!net || inNet(item.item, net.id)));
  const tokens = net?.marking[id] ?? 0;
  return (
    <section class="case-picked" aria-label={t('case.picked')}>
      <div class="row">
        <h2 class="cut grow"><Name value={of.names.of(id)} /></h2>
        <span class="small muted">{task ? tOr(`case.does.${element.does ?? 'none'}`, t('case.task')) : t('case.condition')}</span>
        <button type="button" class="button plain icon" aria-label={t('common.close')} title={t('common.close')} onClick={() => of.pick(undefined)}><Icon name="close" size={16} /></button>
      </div>
      {element?.documentation !== undefined && <p class="muted words" dir="auto">{element.documentation}</p>}
      {task && <Done of={of} log={log} task={id} />}
      {!task && <p>{t('case.tokens', { n: tokens })}</p>}
      {task && items.length > 0 && <ul class="case-entries">{items.slice(0, 20).map((item) => <ItemRow key={item.item} item={item} of={of} />)}</ul>}
      {task && !of.reduced && (
        <>
          <h3>{t(items.length > 0 || net?.busy.includes(id) ? 'case.why.how' : 'case.why')}</h3>
          <Why key={id} of={of} task={id} idle={items.length === 0} />
        </>
      )}
    </section>
  );
}
