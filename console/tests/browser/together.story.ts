// SPDX-License-Identifier: Apache-2.0
// Work with others: what the team does, tasks that are piled, what nobody is
// offered, and who does the work of somebody else.
import { copyOf } from './failing';
import type { Server } from './server';
import { accessible, chapter, check, story } from './story';

chapter('together');

interface Row { item: string; assignment?: string; holder?: string }

/** A process that `tom` is offered, in the team of `tess`; `uma` is there, too. */
async function prepare(server: Server): Promise<string> {
  const name = `Shared${Date.now()}`;
  const role = (await server.rest('POST', '/v1/roles', { name })) as { id: string };
  const head = `Head of ${name}`;
  const seat = `Seat of ${name}`;
  await server.rest('POST', '/v1/positions', { title: head });
  await server.rest('POST', '/v1/positions', { title: seat, reportsTo: head });
  await server.rest('POST', '/v1/people', { user: `tom.${name}`, firstName: 'Tom', lastName: name, roles: [name], positions: [seat], privileges: ['canStartConcurrent'] });
  await server.rest('POST', '/v1/people', { user: `tess.${name}`, firstName: 'Tess', lastName: name, positions: [head], privileges: ['canViewTeamItems'] });
  await server.rest('POST', '/v1/people', { user: `uma.${name}`, firstName: 'Uma', lastName: name });
  for (const who of ['tom', 'tess', 'uma']) await server.addAccount(`${who}.${name}`, 'participant');
  await server.rest('POST', '/v1/specifications', copyOf('people/purchase.yawl', name)
    .replace('<role>employee</role>', `<role>${role.id}</role>`)
    .replace('<privileges>', '<privileges><privilege><name>canPile</name><allowall>true</allowall></privilege>'));
  return name;
}

const idOf = async (server: Server, user: string): Promise<string> =>
  ((await server.rest('GET', `/v1/people?q=${user}`)) as { people: { id: string }[] }).people[0]!.id;

const itemOf = async (server: Server, id: string): Promise<Row | undefined> =>
  ((await server.rest('GET', `/v1/items?case=${id}`)) as { items: Row[] }).items[0];

story('a task is piled, and the team is seen by its head', async (scene) => {
  const { server } = scene;
  const name = await prepare(server);
  const first = await server.startCase(name, undefined, 'The first pencil');
  const tom = await scene.visitor(`tom.${name}`, `/work/${first}:Ask?q=pencil`);
  await tom.page.getByRole('button', { name: 'Accept', exact: true }).click();
  await tom.page.getByText('Allocated', { exact: true }).first().waitFor();
  await tom.page.getByRole('button', { name: 'More', exact: true }).click();
  await accessible(tom, 'the menu of an item');
  await tom.page.getByRole('button', { name: 'Pile the task' }).click();
  await tom.page.getByText('Piled: further items of the task are started for you.').waitFor();
  await tom.page.getByText(`Further items of this task are started for tom.${name}.`).waitFor();
  const second = await server.startCase(name, undefined, 'The second pencil');
  await tom.page.locator('.work-row', { hasText: 'The second pencil' }).waitFor();
  const piled = await itemOf(server, second);
  check('the next item is started by itself', piled?.assignment === 'started' && piled.holder === `tom.${name}`, piled);

  const tess = await scene.visitor(`tess.${name}`, '/work?q=pencil');
  await tess.page.getByRole('link', { name: 'Team', exact: true }).click();
  await tess.page.locator('.work-row', { hasText: 'The second pencil' }).waitFor();
  check('the list is in the address', new URL(tess.page.url()).searchParams.get('view') === 'team', tess.page.url());
  await accessible(tess, 'the work of the team');
  await tess.picture('work-team');
  await tess.page.locator('.work-row', { hasText: 'The second pencil' }).click();
  await tess.page.getByRole('heading', { name: 'Say what to buy' }).waitFor();
  check('what is of others is not done by her', (await tess.page.getByRole('button', { name: /^(Start|Complete|Accept)/ }).count()) === 0);

  await tom.page.getByRole('button', { name: 'More', exact: true }).click();
  await tom.page.getByRole('button', { name: 'End the piling' }).click();
  await tom.page.getByText('The piling is ended.').waitFor();
  const third = await server.startCase(name, undefined, 'The third pencil');
  await tom.page.locator('.work-row', { hasText: 'The third pencil' }).waitFor();
  check('what comes then is only offered', (await itemOf(server, third))?.assignment === 'offered', await itemOf(server, third));
  const other = await scene.visitor(`uma.${name}`, '/work');
  await other.page.getByRole('link', { name: 'Offered', exact: true }).waitFor();
  check('who may not see the team has no such list', (await other.page.getByRole('link', { name: 'Team', exact: true }).count()) === 0);
});

story('what nobody is offered is given to a person', async (scene) => {
  const { server } = scene;
  const name = await prepare(server);
  await server.rest('PATCH', `/v1/people/${await idOf(server, `tom.${name}`)}`, { roles: [] });
  await server.addAccount(`olaf.${name}`, 'operator');
  const id = await server.startCase(name, undefined, `A lamp for nobody of ${name}`);
  const olaf = await scene.visitor(`olaf.${name}`, `/work?view=unoffered&q=nobody+${name}`);
  const { page } = olaf;
  await page.locator('.work-row', { hasText: 'A lamp for nobody' }).click();
  await page.getByRole('heading', { name: 'Say what to buy' }).waitFor();
  await page.getByText('Unoffered', { exact: true }).first().waitFor();
  await accessible(olaf, 'an item that nobody is offered');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Allocate…' }).click();
  const dialog = page.getByRole('dialog');
  check('not without a person', await dialog.getByRole('button', { name: 'Allocate', exact: true }).isDisabled());
  await dialog.getByLabel('Person').fill(name);
  await dialog.getByRole('option', { name: /^Uma/ }).click();
  await dialog.getByLabel('Reason').fill('nobody has the role');
  await dialog.getByRole('button', { name: 'Allocate', exact: true }).click();
  await page.getByText('Allocated.').waitFor();
  await page.locator('.work-row', { hasText: 'A lamp for nobody' }).waitFor({ state: 'detached' });
  const given = await itemOf(server, id);
  check('it is hers in the store', given?.assignment === 'allocated' && given.holder === `uma.${name}`, given);
});

story('a deputy does the work of who is away', async (scene) => {
  const { server } = scene;
  const name = await prepare(server);
  const id = await server.startCase(name, undefined, 'A pencil for later');
  const tom = await scene.visitor(`tom.${name}`, '/work/away');
  const { page } = tom;
  const deputies = page.locator('section', { has: page.getByRole('heading', { name: 'Deputies' }) });
  const add = deputies.getByRole('button', { name: 'Add', exact: true });
  await deputies.getByText('Nobody acts in your place.').waitFor();
  check('not without an end', (await add.getAttribute('aria-disabled')) === 'true');
  await page.route('**/v1/people?*', (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"code":"internal","detail":"the store has failed"}' }));
  await deputies.getByLabel('Person').fill('Uma');
  await deputies.getByRole('option', { name: 'the store has failed' }).waitFor();
  await page.unroute('**/v1/people?*');
  await deputies.getByLabel('Person').fill(name);
  await deputies.getByRole('option', { name: /^Uma/ }).click();
  await deputies.getByLabel('To', { exact: true }).fill('2099-01-31T18:00');
  await add.click();
  await deputies.locator('.entries li', { hasText: 'uma' }).waitFor();
  await accessible(tom, 'absence and deputies');
  await tom.picture('work-away');

  const uma = await scene.visitor(`uma.${name}`, '/work?q=pencil');
  const row = uma.page.locator('.work-row', { hasText: 'A pencil for later' });
  await row.getByText(`for tom.${name}`).waitFor();
  await row.click();
  await uma.page.getByRole('button', { name: 'Start', exact: true }).click();
  await uma.page.getByText(`You do this in the place of tom.${name}.`).waitFor();
  await uma.page.getByLabel('What do you need?').fill('A red pencil');
  await accessible(uma, 'an item of somebody else');
  const done = uma.page.waitForResponse((one) => one.request().method() === 'POST' && one.url().includes('/complete'));
  await uma.page.getByRole('button', { name: /^Complete/ }).click();
  await done;
  await row.waitFor({ state: 'detached' });
  const data = (await server.rest('GET', `/v1/cases/${id}/data`)) as { item: string };
  check('what she typed is in the case', data.item === 'A red pencil', data);
  const log = JSON.stringify(await server.rest('GET', `/v1/cases/${id}/history`));
  check('the history has both', log.includes(`"actor":"uma.${name}"`) && log.includes(`"ITEM_DONE_BY","participant":"${await idOf(server, `tom.${name}`)}"`), log);

  await server.startCase(name, undefined, 'A pencil for himself');
  const his = uma.page.locator('.work-row', { hasText: 'A pencil for himself' });
  await his.getByText(`for tom.${name}`).waitFor();
  await deputies.getByRole('button', { name: 'Remove' }).click();
  await deputies.getByText('Nobody acts in your place.').waitFor();
  await his.waitFor({ state: 'detached' });
});
