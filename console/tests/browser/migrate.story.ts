// SPDX-License-Identifier: Apache-2.0
// A case goes on in another version: what has no place gets one by hand, the
// server tries it, and it is done as it was tried.
import { copyOf } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('migrate');

story('a case is migrated, with a place for what has another id', async (scene) => {
  const { server } = scene;
  const name = `Moved${Date.now()}`;
  const first = copyOf('sequence.yawl', name);
  const second = first.replace('<version>0.1<', '<version>0.2<').replaceAll('"Ask"', '"Request"').replaceAll('/Ask/', '/Request/').replace('Ask for a trip', 'Request a trip');
  await server.rest('POST', '/v1/specifications', first);
  const id = await server.startCase(name, undefined, 'A trip that goes on elsewhere');
  await server.rest('POST', `/v1/items/${id}:Ask/start`);
  await server.rest('POST', '/v1/specifications', second);
  const shown = async () => (await server.rest('GET', `/v1/cases/${id}`)) as { specification: string; sequence?: number };
  const before = await shown();
  const visitor = await scene.visitor('otto', `/cases/${id}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('button', { name: 'Migrate', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Migrate', exact: true });
  const migrate = panel.getByRole('button', { name: 'Migrate the case' });
  check('not without a version', (await migrate.getAttribute('aria-disabled')) === 'true');
  await panel.getByLabel('Version to go on in').fill('0.2');
  await panel.getByRole('option', { name: new RegExp(`^${name} 0.2`) }).click();

  await panel.getByText('This would be refused.').waitFor();
  const place = panel.getByRole('combobox', { name: 'Task Ask for a trip' });
  await place.waitFor();
  check('not without a place for the task', (await migrate.getAttribute('aria-disabled')) === 'true');
  await accessible(visitor, 'a migration without a place');
  await place.selectOption({ label: 'Request a trip' });
  await panel.getByText('This can be done.').waitFor();
  await panel.getByText('The case can complete').waitFor();
  check('trying it changes nothing', JSON.stringify(await shown()) === JSON.stringify(before));
  await accessible(visitor, 'a migration');
  await visitor.picture('migrate');

  await panel.getByLabel('Reason').fill('the form has changed');
  await migrate.click();
  await page.getByText('The case is migrated.').waitFor();
  await page.locator('.p-task[data-id=Request]').waitFor();
  const { specification } = await shown();
  check('it is in the other version', specification !== before.specification, before, specification);
  const { items } = (await server.rest('GET', `/v1/items?case=${id}`)) as { items: { task: string; status: string }[] };
  check('its work went with it', items.length === 1 && items[0]?.task === 'Request' && items[0].status === 'executing', items);
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByText('the form has changed').first().waitFor();
});
