// SPDX-License-Identifier: Apache-2.0
// The stream of all steps, in words, filtered and held.
import { accessible, chapter, check, story } from './story';

chapter('live');

story('steps are shown as they happen, held, and lead to their moment', async (scene) => {
  const { server } = scene;
  const visitor = await scene.visitor('rita', '/live');
  const { page } = visitor;
  await page.locator('.live-dot.on').waitFor();
  const id = await server.startCase('BusinessTrip', undefined, 'seen live');
  const row = page.locator('.live-steps li').filter({ has: page.locator(`a[href="/cases/${id}?step=1"]`) });
  await row.getByText('Ask for a trip', { exact: true }).first().waitFor();
  check('a task is named, its id is on pointing at it', (await row.getByText('Ask for a trip', { exact: true }).first().getAttribute('title')) === 'Ask');
  await accessible(visitor, 'the stream of steps');
  await visitor.picture('live');
  const beside = (await scene.visitor('rita', '/live')).page;
  await beside.locator('.live-dot.on').waitFor();
  await page.getByRole('button', { name: 'Hold' }).click();
  await page.getByText('Held: what happens meanwhile').waitFor();
  const other = await server.startCase('BusinessTrip');
  await beside.locator(`a[href="/cases/${other}?step=1"]`).waitFor();
  check('nothing moves while it is held', (await page.locator(`a[href="/cases/${other}?step=1"]`).count()) === 0);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator(`a[href="/cases/${other}?step=1"]`).waitFor();
  await page.getByLabel('Process', { exact: true }).selectOption('Purchase');
  await page.locator('.live-steps').waitFor({ state: 'detached' });
  check('the filter is in the address', new URL(page.url()).searchParams.get('specification') === 'Purchase', page.url());
});
