// SPDX-License-Identifier: Apache-2.0
// What a picked element is, how it stands, and why a task does not start.
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { t, tOr } from '../../text/text';
import { Await } from '../../ui/message';
import { Icon } from '../../ui/icons';
import { Name } from '../../ui/phrase';
import { ItemRow } from './items';
import { inNet } from './marks';
import type { CaseModel } from './model';
import { shownNet } from './stage';
import { Linked } from './words';

function Why({ of, task }: { of: CaseModel; task: string }) {
  const why = useResource((signal) => api.get('/v1/cases/{case}/why', { path: { case: of.id }, query: { task, ...(of.step === undefined ? {} : { step: of.step }) }, signal }), [of.id, task, of.step ?? of.last]);
  return (
    <Await of={why} lines={2}>
      {({ reasons }) => reasons.length === 0 ? <p class="muted">{t('case.why.noNet')}</p> : (
        <ul class="case-reasons">
          {reasons.map((reason, index) => (
            <li key={index}><Linked text={reason} of={of} /></li>
          ))}
        </ul>
      )}
    </Await>
  );
}

export function PickedPanel({ of, id }: { of: CaseModel; id: string }) {
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
      {!task && <p>{t('case.tokens', { n: tokens })}</p>}
      {task && items.length > 0 && <ul class="case-entries">{items.slice(0, 20).map((item) => <ItemRow key={item.item} item={item} of={of} />)}</ul>}
      {task && !of.reduced && (
        <>
          <h3>{t(items.length > 0 || net?.busy.includes(id) ? 'case.why.how' : 'case.why')}</h3>
          <Why of={of} task={id} />
        </>
      )}
    </section>
  );
}
