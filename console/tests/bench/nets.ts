// SPDX-License-Identifier: Apache-2.0
// The processes that are measured.
interface Task {
  id: string;
  to: string[];
  join?: 'xor' | 'and';
  /** xor: the first flow is always taken. */
  split?: 'xor' | 'and';
}

function taskText({ id, to, join = 'xor', split = 'and' }: Task): string {
  const flow = (next: string, i: number) =>
    `<flowsInto><nextElementRef id="${next}"/>${split === 'xor' ? (i === to.length - 1 ? '<isDefaultFlow/>' : `<predicate ordering="${i + 1}">true()</predicate>`) : ''}</flowsInto>`;
  return `<task id="${id}"><name>${id}</name>${to.map(flow).join('')}<join code="${join}"/><split code="${split}"/><decomposesTo id="W"/></task>`;
}

function specification(uri: string, first: string, tasks: Task[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="${uri}"><metaData><version>0.1</version><identifier>UID_${uri}</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType"><processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="${first}"/></flowsInto></inputCondition>
${tasks.map(taskText).join('\n')}
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType"/>
</specification></specificationSet>`;
}

/** Two tasks in turns, without end: a case can make any number of steps. */
export const turns = specification('Turns', 'A', [
  { id: 'A', to: ['B'] },
  { id: 'B', to: ['A', 'o'], split: 'xor' },
]);

const BLOCKS = 30;

/** 300 tasks: each block is a task that splits into nine, which the next joins. */
export const large = ((): string => {
  const tasks: Task[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const inner = Array.from({ length: 9 }, (_, i) => `T${block}_${i}`);
    // The last block has nothing that joins it: one of its tasks is done.
    const last = block === BLOCKS - 1;
    tasks.push({ id: `S${block}`, to: inner, join: block === 0 ? 'xor' : 'and', split: last ? 'xor' : 'and' });
    for (const id of inner) tasks.push({ id, to: [last ? 'o' : `S${block + 1}`] });
  }
  return specification('Large', 'S0', tasks);
})();
