// SPDX-License-Identifier: Apache-2.0
// A person who knows no command line: loads a process, starts cases, does
// their items, finds a case that is stuck, sees why, repairs it, and retries an
// incident.  docs/CONSOLE.md has the pictures.
import { until } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('tour');

const type = '<type>integer</type><namespace>http://www.w3.org/2001/XMLSchema</namespace>';
const flag = '<type>boolean</type><namespace>http://www.w3.org/2001/XMLSchema</namespace>';
const manual = (id: string, outputs = '') => `<decomposition id="${id}" xsi:type="WebServiceGatewayFactsType">${outputs}<externalInteraction>manual</externalInteraction></decomposition>`;

/**
 * By road or by rail, but "Hand over" waits for both: a case gets stuck there.
 * By rail goes on by itself, and fails as long as there are no boxes.
 */
const process = `<?xml version="1.0" encoding="UTF-8"?>
<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="Delivery"><name>Delivery</name><metaData><title>Delivery</title><version>1.0</version><identifier>UID_tour_delivery</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="Delivery" isRootNet="true" xsi:type="NetFactsType">
  <inputParam><index>0</index><name>boxes</name>${type}</inputParam>
  <localVariable><index>1</index><name>road</name>${flag}<initialValue>true</initialValue></localVariable>
  <localVariable><index>2</index><name>each</name>${type}<initialValue>0</initialValue></localVariable>
  <processControlElements>
    <inputCondition id="Start"><flowsInto><nextElementRef id="Choose"/></flowsInto></inputCondition>
    <task id="Choose"><name>Choose the carrier</name><documentation>By road, or else by rail</documentation>
      <flowsInto><nextElementRef id="Road"/><predicate ordering="1">/Delivery/road = 'true'</predicate></flowsInto>
      <flowsInto><nextElementRef id="Rail"/><isDefaultFlow/></flowsInto>
      <join code="xor"/><split code="xor"/>
      <completedMappings><mapping><expression query="&lt;road&gt;{/Choose/road/text()}&lt;/road&gt;"/><mapsTo>road</mapsTo></mapping></completedMappings>
      <decomposesTo id="Choose"/></task>
    <task id="Road"><name>Send by road</name><flowsInto><nextElementRef id="Hand"/></flowsInto><join code="xor"/><split code="and"/><decomposesTo id="Send"/></task>
    <task id="Rail"><name>Send by rail</name><flowsInto><nextElementRef id="Hand"/></flowsInto><join code="xor"/><split code="and"/>
      <startingMappings><mapping><expression query="&lt;boxes&gt;{/Delivery/boxes/text()}&lt;/boxes&gt;"/><mapsTo>boxes</mapsTo></mapping></startingMappings>
      <completedMappings><mapping><expression query="&lt;each&gt;{12 idiv xs:integer(/Train/boxes/text())}&lt;/each&gt;"/><mapsTo>each</mapsTo></mapping></completedMappings>
      <timer><trigger>OnEnabled</trigger><duration>PT0.1S</duration></timer><decomposesTo id="Train"/></task>
    <task id="Hand"><name>Hand over</name><flowsInto><nextElementRef id="End"/></flowsInto><join code="and"/><split code="and"/><decomposesTo id="Hand"/></task>
    <outputCondition id="End"/>
  </processControlElements>
</decomposition>
${manual('Choose', `<outputParam><index>0</index><name>road</name>${flag}<defaultValue>true</defaultValue></outputParam>`)}
${manual('Send')}
${manual('Train', `<inputParam><index>0</index><name>boxes</name>${type}</inputParam><outputParam><index>0</index><name>boxes</name>${type}</outputParam>`)}
${manual('Hand')}
</specification></specificationSet>`;

story('from the file to the repaired case, without a command line', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/people', { user: 'otto', firstName: 'Otto', lastName: 'Ober' });
  const visitor = await scene.visitor('otto', '/processes');
  const { page } = visitor;
  const heading = (name: string) => page.getByRole('heading', { name });

  // Loading: what is wrong is said before, and shown on the picture.
  await page.getByRole('link', { name: 'Load a process' }).first().click();
  await page.locator('input[type=file]').setInputFiles({ name: 'delivery.yawl', mimeType: 'application/xml', buffer: Buffer.from(process) });
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Not sound', { exact: true }).waitFor();
  await visitor.picture('tour-load');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.waitForURL(/\/processes\/[0-9a-f]{16}/);
  await heading('Delivery').first().waitFor();

  // A case by road, and one by rail.
  const start = async (title: string) => {
    await page.getByRole('button', { name: 'Start a case' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title', { exact: true }).fill(title);
    await dialog.getByLabel('boxes').fill('0');
    await dialog.getByRole('button', { name: 'Start a case' }).click();
    await page.waitForURL(/\/cases\//);
    await heading(title).waitFor();
    return new URL(page.url()).pathname.split('/')[2]!;
  };
  const road = await start('To Rome by road');
  await page.getByRole('link', { name: 'Processes' }).first().click();
  await page.getByRole('link', { name: 'Delivery' }).first().click();
  const rail = await start('To Oslo by rail');

  // Their items are done.
  const complete = async (title: string, task: string, fill?: () => Promise<void>) => {
    await page.goto(`${server.base}/work?q=${encodeURIComponent(title)}`);
    await page.locator('.work-row', { hasText: task }).first().click();
    await heading(task).waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('button', { name: /^Complete/ }).first().waitFor();
    await fill?.();
    if (title === 'To Rome by road' && task === 'Choose the carrier') await visitor.picture('tour-work');
    // The row may leave the list before the item is done, when the list is read anew.
    const done = page.waitForResponse((one) => one.request().method() === 'POST' && one.url().includes('/complete'));
    await page.getByRole('button', { name: /^Complete/ }).first().click();
    await done;
    await page.locator('.work-row', { hasText: task }).filter({ hasText: title }).waitFor({ state: 'detached' });
  };
  await complete('To Rome by road', 'Choose the carrier');
  await complete('To Oslo by rail', 'Choose the carrier', () => page.getByLabel('road').uncheck());
  await complete('To Rome by road', 'Send by road');

  // The case that is stuck is found, and says why.
  await page.goto(`${server.base}/overview`);
  await page.getByRole('link', { name: /the case is deadlocked/ }).waitFor();
  await visitor.picture('tour-overview');
  await page.goto(`${server.base}/cases?incident=deadlock&specification=Delivery`);
  await page.getByRole('link', { name: 'To Rome by road' }).click();
  await heading('To Rome by road').waitFor();
  const picture = page.getByRole('application', { name: /^Picture/ });
  await page.getByText('the case is deadlocked').waitFor();
  // Where it is, whatever of the picture lies there.
  const task = await picture.locator('.p-task[data-id=Hand]').boundingBox();
  await page.mouse.click(task!.x + task!.width / 2, task!.y + task!.height / 2);
  await page.getByRole('region', { name: 'Chosen element' }).getByText(/Rail|Send by rail/).first().waitFor();
  await accessible(visitor, 'a case that is stuck');
  await visitor.picture('tour-why');

  // It is repaired: the token is taken to the task, with what would follow.
  await page.getByRole('alert').getByRole('button', { name: 'Repair' }).click();
  await page.getByRole('button', { name: /Skip to/ }).first().click();
  await page.getByText('The case can complete').first().waitFor();
  await visitor.picture('tour-repair');
  await page.getByRole('button', { name: 'Make 1 change' }).click();
  await page.getByText('The case is repaired.').waitFor();
  await complete('To Rome by road', 'Hand over');
  const done = (await server.rest('GET', `/v1/cases/${road}`)) as { status: string };
  check('the repaired case is completed', done.status === 'completed', done);

  // The incident of the other: its data are corrected, and it is retried.
  await page.goto(`${server.base}/incidents`);
  await page.getByText(/division by zero/).first().click();
  await visitor.picture('tour-incident');
  await page.goto(`${server.base}/cases/${rail}`);
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('button', { name: 'Change data', exact: true }).click();
  await page.getByLabel('boxes').fill('3');
  await page.getByRole('button', { name: /^Change 1/ }).click();
  await page.getByText('The data are changed.').waitFor();
  await page.getByRole('button', { name: 'Retry', exact: true }).first().click();
  await page.getByText('The incident is retried.').waitFor();
  // The retry is due at once, and done by whichever node comes to it first.
  check('the retry has gone through', await until(async () => ((await server.rest('GET', `/v1/cases/${rail}/data`)) as { each?: number }).each === 4));

  // Any moment of it is there again.
  await page.getByRole('button', { name: 'First step' }).click();
  await page.getByText('Step 1 of').waitFor();
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await visitor.picture('tour-time');
});
