// SPDX-License-Identifier: Apache-2.0
// The variables by which cases are found.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { titleOf } from '../../app/specifications';
import { may } from '../../app/session';
import { figure, t } from '../../text/text';
import { Action, Field } from '../../ui/control';
import { ask, attempt, Await, Dialog, Empty, reasonOf } from '../../ui/message';
import { Name } from '../../ui/phrase';
import { ProcessSelect } from '../../ui/process-select';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';

type Index = Schema['Index'];
const types = ['text', 'number', 'date', 'boolean'] as const;

const processOf = (specification: string): string => specification === '*' ? t('server.anyProcess') : titleOf(specification);

function AddIndex({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [specification, setSpecification] = useState('');
  const [variable, setVariable] = useState('');
  const [type, setType] = useState<'' | (typeof types)[number]>('');
  const [refusal, setRefusal] = useState<string>();
  async function submit(event: Event) {
    event.preventDefault();
    try {
      await api.post('/v1/indexes', { body: { specification, variable: variable.trim(), ...(type === '' ? {} : { type }) } });
      onDone();
    } catch (error) {
      setRefusal(reasonOf(error));
    }
  }
  return (
    <Dialog title={t('server.addIndex')} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        <button type="submit" form="index-form" class="button primary" disabled={specification === '' || variable.trim() === '' || (specification === '*' && type === '')}>{t('common.add')}</button>
      </>
    }>
      {refusal !== undefined && <div class="notice failed words" role="alert">{refusal}</div>}
      <form id="index-form" class="column" onSubmit={(event) => void submit(event)}>
        <Field id="index-process" label={t('cases.process')}>
          <ProcessSelect id="index-process" value={specification} first={[{ value: '', label: '' }, { value: '*', label: t('server.anyProcess') }]} onChoose={setSpecification} />
        </Field>
        <Field id="index-variable" label={t('server.variable')} hint={t('server.variableHint')}>
          <input id="index-variable" class="mono" autocomplete="off" value={variable} onInput={(event) => setVariable(event.currentTarget.value)} />
        </Field>
        <Field id="index-type" label={t('server.type')} hint={t('server.typeHint')}>
          <select id="index-type" value={type} onChange={(event) => setType(event.currentTarget.value as typeof type)}>
            <option value="">{t('server.typeOfVariable')}</option>
            {types.map((one) => <option key={one} value={one}>{t(`server.type.${one}`)}</option>)}
          </select>
        </Field>
      </form>
    </Dialog>
  );
}

export function Indexes() {
  const indexes = useResource((signal) => api.get('/v1/indexes', { signal }), []);
  const [adding, setAdding] = useState(false);
  const remove = async (index: Index) => {
    const sure = await ask({ text: t('server.removeIndex', { variable: index.variable }), verb: t('common.remove'), danger: true });
    if (sure === undefined) return;
    await attempt(() => api.delete('/v1/indexes', { query: { specification: index.specification, variable: index.variable } }));
    void indexes.reload();
  };
  return (
    <>
      <div class="row wrap server-filter">
        <p class="muted grow">{t('server.aboutIndexes')}</p>
        <Action icon="refresh" label={t('cases.refresh')} onDo={() => indexes.reload()} />
        {may('administer') && <Action icon="plus" label={t('server.addIndex')} onDo={() => setAdding(true)} />}
      </div>
      <Await of={indexes}>
        {(data) => data.indexes.length === 0 ? <Empty>{t('server.noIndexes')}</Empty> : (
          <div class="table-wrap" role="region" tabIndex={0} aria-label={t('server.tab.indexes')}>
            <table class="list" aria-label={t('server.tab.indexes')}>
              <thead><tr><th scope="col">{t('server.variable')}</th><th scope="col">{t('cases.process')}</th><th scope="col">{t('server.type')}</th><th scope="col">{t('cases.state')}</th><th scope="col">{t('server.sinceWhen')}</th><th scope="col"><span class="sr-only">{t('incidents.actions')}</span></th></tr></thead>
              <tbody>
                {data.indexes.map((index) => (
                  <tr key={`${index.specification} ${index.variable}`}>
                    <td class="mono"><Name value={index.variable} /></td><td><Name value={processOf(index.specification)} /></td><td>{index.type === undefined ? '' : t(`server.type.${index.type}`)}</td>
                    <td><State value={index.state} />{index.state !== 'ready' && index.done !== undefined && <span class="small muted num"> {t('server.upTo', { n: figure(index.done) })}</span>}</td>
                    <td><Time at={index.since} /></td>
                    <td class="right">{may('administer') && <Action danger label={t('common.remove')} refused={index.state === 'removing' ? t('state.removing') : undefined} onDo={() => remove(index)} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Await>
      {adding && <AddIndex onClose={() => setAdding(false)} onDone={() => { setAdding(false); void indexes.reload(); }} />}
    </>
  );
}
