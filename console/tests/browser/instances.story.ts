// SPDX-License-Identifier: Apache-2.0
// A task with several instances: one is added while the others run, one is
// completed, and the rest goes on.
import { copyOf } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('instances');

interface Items { items: { item: string; status: string }[] }

story('an instance is added to a running task, and one is completed', async (scene) => {
  const { server } = scene;
  const name = `Growing${Date.now()}`;
  await server.rest('POST', '/v1/specifications', copyOf('several-instances.yawl', name).replace('<creationMode code="static"/>', '<creationMode code="dynamic"/>'));
  const id = await server.startCase(name, undefined, 'Offers from more and more');
  const items = async () => ((await server.rest('GET', `/v1/items?case=${id}`)) as Items).items;
  const { item } = (await server.rest('POST', `/v1/items/${id}:Ask/start`)) as { item: string };
  check('three are asked at first', (await items()).length === 3, await items());
  const visitor = await scene.visitor('admin', `/cases/${id}`);
  const { page } = visitor;
  const row = (of: string) => page.locator('.case-item').filter({ has: page.locator(`[title="${of}"]`) });
  await row(item).waitFor();
  const choose = async (action: string) => {
    await row(item).getByRole('button', { name: 'Actions of Ask a supplier' }).click();
    await page.locator('.menu-list').getByRole('button', { name: action, exact: true }).click();
  };
  await choose('Add an instance');
  const dialog = page.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Add an instance' });
  await dialog.getByLabel('Data as JSON').fill('{"supplier": ');
  check('not with half a text', await add.isDisabled());
  await dialog.getByLabel('Data as JSON').fill('{"supplier": "Elm <b>& sons</b>"}');
  await accessible(visitor, 'the data of an instance');
  await add.click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.case-item').nth(3).waitFor();
  const added = await items();
  check('there is one more in the store', added.length === 4, added);
  const last = added.map((one) => one.item).sort().at(-1)!;
  const data = await server.rest('GET', `/v1/items/${last}/data`);
  check('it has the data that were typed', JSON.stringify(data).includes('Elm <b>& sons</b>'), data);
  await visitor.picture('instances');

  await choose('Complete');
  await dialog.getByLabel('price').fill('40');
  await dialog.getByRole('button', { name: 'Complete', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await row(item).waitFor({ state: 'detached' });
  const left = await items();
  check('the others go on', left.length === 3 && left.every((one) => one.item !== item), left);
  await page.locator('.picture-canvas').getByText('1 of 4', { exact: true }).waitFor();
});
