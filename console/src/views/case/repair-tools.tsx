// SPDX-License-Identifier: Apache-2.0
// Changes of a repair that are chosen, not dragged: for the element that is
// picked, for who uses the keyboard, and for what a picture does not show.
import { useState } from 'preact/hooks';
import { argument } from '../../app/router';
import { t } from '../../text/text';
import { ask } from '../../ui/message';
import { Field } from '../../ui/control';
import { objectOf } from './json';
import type { CaseModel } from './model';
import type { Change } from './repair-changes';
import { shownNet } from './stage';

type Add = (change: Change | undefined) => void;

/** What can be done with the picked task or condition. */
function PickedTools({ of, add, net, id }: { of: CaseModel; add: Add; net: string; id: string }) {
  const task = of.names.element(id)?.kind === 'task';
  const name = of.names.of(id);
  const button = (label: string, change: Change) => <button type="button" class="button" onClick={() => add(change)}>{label}</button>;
  return (
    <div class="column">
      <div class="small muted cut" title={name}>{t('case.repair.picked', { name })}</div>
      <div class="row wrap">
        {task ? (
          <>
            {button(t('case.repair.enter'), { change: 'enter', net, task: id })}
            {button(t('case.repair.skipTo'), { change: 'skip_to', net, task: id })}
            {of.state.nets.find((one) => one.id === net)?.busy.includes(id) && button(t('case.repair.cancelTask'), { change: 'cancel', net, task: id })}
          </>
        ) : (
          <>
            {button(t('case.repair.addToken'), { change: 'add', net, condition: id, tokens: 1 })}
            {button(t('case.repair.removeToken'), { change: 'remove', net, condition: id, tokens: 1 })}
          </>
        )}
      </div>
    </div>
  );
}

function MoveTool({ of, add, net, name }: { of: CaseModel; add: Add; net: string; name: string }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const conditions = of.names.conditions.filter((condition) => condition.net === name);
  const choice = (id: string, label: string, value: string, set: (value: string) => void) => (
    <Field label={label} id={id}>
      <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{t('case.repair.stock')}</option>
        {conditions.map((condition) => <option key={condition.id} value={condition.id}>{condition.name}</option>)}
      </select>
    </Field>
  );
  const change: Change | undefined = from === to ? undefined
    : from === '' ? { change: 'add', net, condition: to, tokens: 1 }
    : to === '' ? { change: 'remove', net, condition: from, tokens: 1 }
    : { change: 'move', net, from, to, tokens: 1 };
  return (
    <details>
      <summary>{t('case.repair.move')}</summary>
      <div class="case-tools">
        {choice('repair-from', t('case.repair.from'), from, setFrom)}
        {choice('repair-to', t('case.repair.to'), to, setTo)}
        <button type="button" class="button" disabled={!change} onClick={() => add(change)}>{t('common.add')}</button>
      </div>
    </details>
  );
}

function VariableTool({ of, add, net }: { of: CaseModel; add: Add; net: string }) {
  const [text, setText] = useState('{}');
  const data = objectOf(text);
  const root = net === of.state.nets[0]?.id;
  return (
    <details onToggle={(event) => { if (event.currentTarget.open && text === '{}' && root && of.state.data) setText(JSON.stringify(of.state.data, null, 2)); }}>
      <summary>{t('case.repair.variables')}</summary>
      <div class="column">
        <Field label={t('case.repair.json')} id="repair-data"><textarea id="repair-data" class="mono" rows={8} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} /></Field>
        <div><button type="button" class="button" disabled={data === undefined || Object.keys(data).length === 0} onClick={() => add({ change: 'set', net, data: data! })}>{t('common.add')}</button></div>
      </div>
    </details>
  );
}

export function RepairTools({ of, add }: { of: CaseModel; add: Add }) {
  const net = shownNet(of.state);
  const picked = argument('task');
  if (!net) return null;
  const inShown = picked !== undefined && of.names.netOf(picked) === net.net;
  const finish = async () => {
    if ((await ask({ text: t('case.repair.finishText'), verb: t('case.repair.finish') })) !== undefined) add({ change: 'finish', net: net.id });
  };
  return (
    <div class="column case-repair-tools">
      {inShown && <PickedTools of={of} add={add} net={net.id} id={picked} />}
      <div class="row wrap">
        <button type="button" class="button" onClick={() => add({ change: 'empty', net: net.id })}>{t('case.repair.empty')}</button>
        <button type="button" class="button" onClick={() => void finish()}>{t('case.repair.finish')}</button>
      </div>
      <MoveTool key={net.id} of={of} add={add} net={net.id} name={net.net} />
      <VariableTool key={`v${net.id}`} of={of} add={add} net={net.id} />
    </div>
  );
}
