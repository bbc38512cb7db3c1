// SPDX-License-Identifier: Apache-2.0
// The server: nodes, settings, measurements, indexes, retention, delayed starts.
import { accessible, chapter, check, story } from './story';

chapter('server');

story('an administrator sees the nodes and the settings in force', async (scene) => {
  const visitor = await scene.visitor('admin', '/server');
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Store', exact: true }).waitFor();
  await page.getByText('takes commands', { exact: true }).waitFor();
  if (scene.server.nodes.length > 1) check('all nodes are listed', (await page.getByRole('table', { name: 'Nodes' }).getByRole('row').count()) === scene.server.nodes.length + 1);
  await accessible(visitor, 'the nodes');
  await visitor.picture('server');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Search').fill('keep-ended');
  await page.waitForURL('**/server/settings?q=keep-ended');
  await page.getByRole('cell', { name: 'keep-ended', exact: true }).waitFor();
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Only those that are set').check();
  await page.getByRole('cell', { name: 'listen', exact: true }).waitFor();
  check('defaults are left out', (await page.getByRole('cell', { name: 'keep-ended', exact: true }).count()) === 0);
  await accessible(visitor, 'the settings');
});

story('measurements are lines after the second reading', async (scene) => {
  const visitor = await scene.visitor('rita', '/server/metrics', { theme: 'dark' });
  const { page } = visitor;
  await page.getByText('read each five seconds').waitFor();
  await page.getByText('Time to an answer').waitFor();
  check('each has a line', (await page.locator('.chart').count()) === 8 && (await page.locator('.chart path.line').first().getAttribute('d')) !== '');
  await accessible(visitor, 'the measurements');
  await visitor.picture('measurements-dark');
  check('a reader sees no settings', (await page.getByRole('link', { name: 'Settings' }).count()) === 0);
});

story('an index is added and removed, and the retention of a process set', async (scene) => {
  const { server } = scene;
  const variable = `amount${Date.now()}`;
  const states = async () => ((await server.rest('GET', '/v1/indexes')) as { indexes: { variable: string; state: string }[] }).indexes.filter((one) => one.variable === variable).map((one) => one.state);
  const visitor = await scene.visitor('admin', '/server/indexes');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Add index' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Process').selectOption('*');
  await form.getByLabel('Variable').fill(variable);
  await form.getByLabel('Compared as').selectOption('number');
  await accessible(visitor, 'the form of an index');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const row = page.getByRole('row', { name: variable });
  await row.waitFor();
  check('it is in the store', (await states()).length === 1, await states());
  await accessible(visitor, 'the indexes');
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row.getByText('Removing').or(page.getByText('No indexes.')).first().waitFor();
  check('it is being removed', (await states()).every((state) => state === 'removing'), await states());

  await page.getByRole('link', { name: 'Retention' }).click();
  await page.getByLabel('Process', { exact: true }).selectOption({ label: 'Business trip' });
  await page.getByLabel('Ended cases are kept').selectOption('P90D');
  await accessible(visitor, 'the retention');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The retention is changed.').waitFor();
  const { specifications } = (await server.rest('GET', '/v1/specifications')) as { specifications: { uri: string; key: string }[] };
  const { keep } = (await server.rest('GET', `/v1/specifications/${specifications.find((one) => one.uri === 'BusinessTrip')!.key}`)) as { keep?: string };
  check('it is kept in the store', keep === 'PT7776000S', keep);
});

story('a delayed start is withdrawn', async (scene) => {
  const { server } = scene;
  const title = `Later ${Date.now()}`;
  await server.rest('POST', '/v1/cases', { specification: 'BusinessTrip', title, delay: 'PT2H' });
  const visitor = await scene.visitor('otto', '/server/starts');
  const { page } = visitor;
  const row = page.getByRole('row', { name: title });
  await row.waitFor();
  await accessible(visitor, 'the delayed starts');
  await row.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('The start is withdrawn.').waitFor();
  const { starts } = (await server.rest('GET', '/v1/starts')) as { starts: { title?: string }[] };
  check('it is withdrawn in the store', starts.every((one) => one.title !== title));
});
