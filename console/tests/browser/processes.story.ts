// SPDX-License-Identifier: Apache-2.0
// Processes: a file is checked and loaded, its witness is played, cases stand
// on the picture, and names of others stay texts.
import type { Locator, Page } from 'playwright-core';
import { copyOf, until } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('processes');

const wrapped = (uri: string, title: string, elements: string, name = 'Net') => `<?xml version="1.0" encoding="UTF-8"?>
<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="${uri}"><name>${title}</name><metaData><title>${title}</title><version>0.1</version><identifier>UID_${uri}</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="${name}" isRootNet="true" xsi:type="NetFactsType"><processControlElements>
${elements}
<outputCondition id="End"/></processControlElements></decomposition>
<decomposition id="Work" xsi:type="WebServiceGatewayFactsType"/>
</specification></specificationSet>`;
const flow = (to: string) => `<flowsInto><nextElementRef id="${to}"/></flowsInto>`;
const task = (id: string, to: string[], join: string, split: string, name = id) =>
  `<task id="${id}"><name>${name}</name>${to.map(flow).join('')}<join code="${join}"/><split code="${split}"/><decomposesTo id="Work"/></task>`;
const start = (to: string) => `<inputCondition id="Start">${flow(to)}</inputCondition>`;
const choice = (id: string, to: [string, string], name = id) => `<task id="${id}"><name>${name}</name>
<flowsInto><nextElementRef id="${to[0]}"/><predicate ordering="0">true()</predicate></flowsInto><flowsInto><nextElementRef id="${to[1]}"/><isDefaultFlow/></flowsInto>
<join code="xor"/><split code="xor"/><decomposesTo id="Work"/></task>`;

/** A choice whose ways meet in an AND-join: a case gets stuck. */
const stuck = wrapped('Stuck', 'A net that gets stuck', [
  start('Choose'), choice('Choose', ['Left', 'Right']), task('Left', ['Meet'], 'xor', 'and'), task('Right', ['Meet'], 'xor', 'and'), task('Meet', ['End'], 'and', 'and'),
].join('\n'));
const broken = stuck.replace('<nextElementRef id="End"/>', '<nextElementRef id="Nowhere"/>');
const hostileName = `&lt;img src=x onerror=alert(1)&gt; \u202e${'A very long name '.repeat(20)}שלום`;
const hostile = wrapped('Hostile', hostileName, [
  start('First'), task('First', ['Second'], 'xor', 'and', hostileName), choice('Second', ['Third', 'End'], '&lt;script&gt;alert(2)&lt;/script&gt;'), task('Third', ['End'], 'xor', 'and', '\u202e&amp;amp;'),
].join('\n'));

const file = (name: string, text: string) => ({ name, mimeType: 'application/xml', buffer: Buffer.from(text) });

/** Whether the counts of a row come to begin with these; the server keeps those of all for a moment. */
const counted = (page: Page, row: Locator, begin: string) => until(async () => {
  const answer = page.waitForResponse((one) => one.url().endsWith('/v1/case-counts'));
  await page.reload();
  await answer;
  const links = await row.getByRole('group', { name: 'Cases by state' }).getByRole('link').allInnerTexts();
  return links.map((text) => text.replace(/\s+/g, ' ').trim()).join().startsWith(begin);
});

story('a file is checked, loaded, its witness played, and a case started', async (scene) => {
  const visitor = await scene.visitor('admin', '/processes');
  const { page } = visitor;
  await page.getByRole('table', { name: 'Processes' }).waitFor();
  await accessible(visitor, 'the list of processes');
  await page.getByRole('link', { name: 'Load a process' }).first().click();
  await page.locator('input[type=file]').setInputFiles(file('broken.yawl', broken));
  await page.getByText('this file cannot be loaded').waitFor();
  await page.getByRole('list', { name: 'What is wrong with the file' }).getByRole('button').first().click();
  check('the line of a diagnostic is marked in the source', await page.locator('.source-line.error.here').count() === 1);
  check('a file with errors cannot be loaded', await page.getByRole('button', { name: 'Load', exact: true }).count() === 0);
  await accessible(visitor, 'a file with errors');
  await page.locator('input[type=file]').setInputFiles(file('stuck.yawl', stuck));
  await page.getByText('This file can be loaded, with').waitFor();
  await page.getByRole('list', { name: 'What is wrong with the file' }).getByRole('button').first().click();
  check('the line of a finding is marked in the source', await page.locator('.source-line.warning.here').count() === 1);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Not sound', { exact: true }).waitFor();
  check('nothing is stored before one says so', ((await scene.server.rest('GET', '/v1/specifications?uri=Stuck')) as { specifications: unknown[] }).specifications.length === 0);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.getByRole('heading', { name: 'A net that gets stuck' }).waitFor();
  await page.getByRole('link', { name: 'Check', exact: true }).click();
  await page.getByText('Not sound', { exact: true }).waitFor();
  check('the start of the witness is shown', await page.locator('.p-token[data-token=Start]').count() === 1);
  await page.getByRole('button', { name: 'One step forth' }).click();
  await page.getByText('Step 1 of').waitFor();
  check('a step takes the token on', await page.locator('.p-token[data-token=Start]').count() === 0 && await page.locator('.p-token').count() === 1);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('.steps li:last-child [aria-current=step]').waitFor();
  await accessible(visitor, 'a witness');
  await visitor.picture('processes-witness');
  await page.getByRole('button', { name: 'Start a case' }).click();
  await page.getByLabel('Title', { exact: true }).fill('The first one');
  await page.getByRole('dialog').getByRole('button', { name: 'Start a case' }).click();
  await page.waitForURL(/\/cases\//);
  const { cases } = (await scene.server.rest('GET', '/v1/cases?specification=Stuck')) as { cases: { title?: string }[] };
  check('the case is in the store', cases.length === 1 && cases[0]?.title === 'The first one', cases);
});

story('a process shows how many of its cases stand in each state, and leads to them', async (scene) => {
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await scene.server.startCase('Withdrawal'));
  await scene.server.rest('POST', `/v1/cases/${ids[0]}/suspend`);
  await scene.server.rest('POST', `/v1/cases/${ids[1]}/cancel`);
  const { counts } = (await scene.server.rest('GET', '/v1/case-counts?specification=Withdrawal')) as { counts: { specification: string; running: number; suspended: number }[] };
  const [of] = counts;
  const visitor = await scene.visitor('admin', `/processes/${of!.specification}?tab=versions`);
  const { page } = visitor;
  const row = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
  check('a version has its counts', await counted(page, row, `${of!.running} Running,${of!.suspended} Suspended`));
  await accessible(visitor, 'the versions with their cases');
  await visitor.picture('processes-versions');
  await page.locator('.process-title').getByRole('link', { name: /Suspended/ }).waitFor();
  await row.getByRole('link', { name: /Suspended/ }).click();
  await page.waitForURL(/\/cases\?.*status=suspended/);
  await page.getByRole('table', { name: 'Cases' }).getByRole('link', { name: ids[0]! }).first().waitFor();
  check('the link leads to as many', await page.getByRole('table', { name: 'Cases' }).locator('tbody tr[tabindex], tbody tr').count() === of!.suspended);
  await page.goto(new URL('/processes', page.url()).href);
  await page.getByRole('table', { name: 'Processes' }).waitFor();
  await visitor.picture('processes-list');
});

story('a process of more versions than can be chosen at once shows their cases', async (scene) => {
  const version = (n: number) => stuck.replace('<version>0.1<', `<version>0.${n}<`).replaceAll('Stuck', 'Many');
  for (let n = 1; n <= 201; n++) await scene.server.rest('POST', '/v1/specifications', version(n));
  await scene.server.startCase('Many');
  const { specifications: all } = (await scene.server.rest('GET', '/v1/specifications?uri=Many')) as { specifications: { key: string; version: string }[] };
  const { page } = await scene.visitor('admin', `/processes/${all.find((one) => one.version === '0.201')!.key}`);
  await page.locator('.process-title').getByRole('link', { name: '1 Running' }).waitFor();
  await page.getByRole('link', { name: /^Versions/ }).click();
  check('so do its versions', await counted(page, page.getByRole('table', { name: 'Versions' }).getByRole('row').filter({ hasText: '0.201' }), '1 Running'));
});

story('cases stand on the picture; those behind a task are beside it', async (scene) => {
  const id = await scene.server.startCase('Withdrawal');
  const { specifications } = (await scene.server.rest('GET', '/v1/specifications?uri=Withdrawal')) as { specifications: { key: string }[] };
  for (const [theme, width] of [['light', 1280], ['dark', 360]] as const) {
    const visitor = await scene.visitor('rita', `/processes/${specifications[0]!.key}`, { theme, width });
    const { page } = visitor;
    const picture = page.getByRole('application', { name: /^Picture/ });
    await picture.waitFor();
    await page.locator('.p-sign.heat').first().waitFor();
    await picture.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm the order' }).waitFor();
    check('the address says which task', new URL(page.url()).searchParams.get('task') === 'Confirm', page.url());
    await page.getByRole('link', { name: id }).first().waitFor();
    await page.getByRole('button', { name: 'List of elements' }).click();
    await page.getByRole('list', { name: 'List of elements' }).getByRole('button').first().waitFor();
    await accessible(visitor, `a process, ${theme}, ${width}`);
    check(`nothing is wider than ${width} px`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    check('a reader is offered nothing that is refused', await page.getByRole('button', { name: /^(Start a case|Suspend|Remove)$/ }).count() === 0);
    await visitor.picture(`processes-${theme}-${width}`);
  }
});

story('the heat of a picture is that of the chosen measure and period', async (scene) => {
  const { server } = scene;
  const name = `Warm${Date.now()}`;
  const { specifications } = (await server.rest('POST', '/v1/specifications', copyOf('sequence.yawl', name))) as { specifications: { key: string }[] };
  const key = specifications[0]!.key;
  for (let i = 0; i < 3; i++) {
    const id = await server.startCase(name);
    const { item } = (await server.rest('POST', `/v1/items/${id}:Ask/start`)) as { item: string };
    await server.rest('POST', `/v1/items/${item}/complete`);
  }
  check('they are counted', await until(async () =>
    ((await server.rest('GET', `/v1/statistics?specification=${key}&by=task`)) as { statistics: { task?: string; completed?: number }[] }).statistics.some((row) => row.task === 'Ask' && row.completed === 3)));
  const visitor = await scene.visitor('rita', `/processes/${key}`);
  const { page } = visitor;
  const sign = page.locator('.p-sign.heat text');
  const legend = page.locator('.legend');
  await sign.first().waitFor();
  check('at first it is where cases stand', (await sign.count()) === 1 && (await sign.first().textContent()) === '3', await sign.allTextContents());
  await page.getByLabel('Heat').selectOption({ label: 'Completed' });
  await page.getByRole('img', { name: 'Scale of Completed: from 0 to 3' }).waitFor();
  check('the measure is in the address', new URL(page.url()).searchParams.get('heat') === 'completedCount', page.url());
  await page.getByLabel('Heat').selectOption({ label: 'Took, median' });
  await page.getByRole('img', { name: /^Scale of Took, median: from 0 to .+/ }).waitFor();
  const asked = page.waitForRequest((request) => request.url().includes('/v1/statistics') && new URL(request.url()).searchParams.get('from') === 'P1D');
  await page.getByLabel('Period').selectOption({ label: 'Last day' });
  await asked;
  await legend.waitFor();
  check('the period is in the address', new URL(page.url()).searchParams.get('period') === 'P1D', page.url());
  await page.getByRole('checkbox', { name: 'How often flows were taken' }).check();
  await page.locator('.picture-canvas').getByText('3', { exact: true }).first().waitFor();
  await accessible(visitor, 'the heat of a process');
  await visitor.picture('processes-heat');
  await page.goto(new URL(`/processes/${key}?tab=statistics`, page.url()).href);
  const named = page.getByRole('table', { name: 'Tasks' }).getByRole('cell', { name: /^Ask for a trip/ });
  await named.waitFor();
  check('a task of the statistics is named, its id is on pointing at it', (await named.getAttribute('title'))?.startsWith('Ask ·') === true);
  await visitor.picture('processes-statistics');
  await page.goBack();
  await page.reload();
  await legend.waitFor();
  check('the address keeps all', (await page.getByLabel('Heat').inputValue()) === 'tookMedian' && (await page.getByLabel('Period').inputValue()) === 'P1D' && await page.getByRole('checkbox', { name: 'How often flows were taken' }).isChecked());
});

story('what a hostile process names is text', async (scene) => {
  await scene.server.rest('POST', '/v1/specifications', hostile);
  const visitor = await scene.visitor('admin', '/processes');
  const { page } = visitor;
  page.on('dialog', (dialog) => { visitor.faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  const { specifications } = (await scene.server.rest('GET', '/v1/specifications?uri=Hostile')) as { specifications: { key: string }[] };
  await page.locator(`a[href="/processes/${specifications[0]!.key}"]`).first().click();
  await page.getByRole('application', { name: /^Picture/ }).waitFor();
  for (const tab of ['Check', 'Versions', 'Statistics', 'Source']) {
    await page.getByRole('link', { name: tab, exact: true }).click();
    await page.locator('.process-tab > *').first().waitFor();
    check(`nothing of ${tab} is wider than the page`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
  check('no markup came of it', await page.locator('main img, main script').count() === 0);
  await accessible(visitor, 'a hostile process');
  await visitor.picture('processes-hostile');
});

story('who may read one process sees it in the list', async (scene) => {
  const { server } = scene;
  const name = `olga${Date.now()}`;
  await server.addAccount(name, '', ['read process:UID_WeftPurchase']);
  const visitor = await scene.visitor(name, '/processes');
  const { page } = visitor;
  const rows = page.locator('table.list tbody tr');
  await page.getByRole('cell', { name: 'Purchase' }).first().waitFor();
  check('that one only', (await rows.count()) === 1, await rows.allInnerTexts());
  check('nothing failed', (await page.getByRole('alert').count()) === 0);
  await page.getByRole('columnheader', { name: 'Versions' }).waitFor();
  check('there are no figures of all', (await page.getByRole('columnheader', { name: 'Started, 7 days' }).count()) === 0);
  await accessible(visitor, 'the list of one process');
});

story('of two processes with one URI, a case leads to its own', async (scene) => {
  const { server } = scene;
  const one = stuck.replaceAll('Stuck', 'Shared').replaceAll('A net that gets stuck', 'The older process');
  const other = one.replace('UID_Shared', 'UID_Other').replaceAll('The older process', 'The newer process');
  const loaded = (await server.rest('POST', '/v1/specifications', one)) as { specifications: { key: string }[] };
  await server.rest('POST', '/v1/specifications', other);
  const { case: id } = (await server.rest('POST', '/v1/cases', { specification: loaded.specifications[0]!.key })) as { case: string };
  const { page } = await scene.visitor('admin', `/cases/${id}`);
  await page.locator('.case-facts').getByRole('link', { name: 'The older process' }).click();
  await page.getByRole('heading', { name: 'The older process' }).waitFor();
});
