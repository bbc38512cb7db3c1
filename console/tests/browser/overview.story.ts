// SPDX-License-Identifier: Apache-2.0
// The overview: what is so now, and what needs somebody, with its one action.
import { fail, incidents, until } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('overview');

story('an operator sees what is wrong, and puts it right from there', async (scene) => {
  const { server } = scene;
  const name = `Broken${Date.now()}`;
  // More than what other stories have left, so that it stands at the top.
  await fail(server, name, 12);
  await server.rest('PUT', `/v1/services/${name}`, { uri: `urn:${name}`, kind: 'pull' });
  await server.rest('POST', `/v1/services/${name}/pause`, { reason: 'new address' });
  const visitor = await scene.visitor('otto', '/overview');
  const { page } = visitor;
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.getByText('Running', { exact: true }).waitFor();
  check('there are six figures', (await figures.locator('.tile').count()) === 6);
  check('completed cases lead to those of the last day', (await figures.locator('.tile').nth(1).getAttribute('href')) === '/cases?status=completed&ended=P1D');
  const group = page.getByRole('listitem').filter({ hasText: name }).filter({ hasText: 'division by zero' });
  await group.waitFor();
  await accessible(visitor, 'the overview');
  await visitor.picture('overview');

  const running = async () => Number((await figures.locator('.tile').nth(2).locator('.tile-figure').innerText()).replace(/\D/g, ''));
  const before = await running();
  for (let i = 0; i < 3; i++) await server.startCase('BusinessTrip');
  check('cases that start are counted without a word', await until(async () => (await running()) === before + 3), before);

  await page.getByRole('listitem').filter({ hasText: 'Paused by' }).filter({ hasText: name }).getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('listitem').filter({ hasText: 'new address' }).waitFor({ state: 'detached' });
  const service = (await server.rest('GET', `/v1/services/${name}`)) as { paused?: unknown };
  check('the service is resumed in the store', service.paused === undefined, service);

  await group.getByRole('button', { name: 'Retry all 12' }).click();
  await page.getByText('Retry incidents: 12 done, 0 refused.').waitFor();
  check('all are tried again', await until(async () => {
    const now = await incidents(server, name);
    return now.length === 12 && now.every((one) => one.attempts > 1);
  }));
  await group.getByRole('link', { name: /division by zero/ }).click();
  await page.getByRole('heading', { name: 'Incidents of this cause' }).waitFor();
});

story('the overview on a narrow screen, in the dark', async (scene) => {
  const visitor = await scene.visitor('admin', '/overview', { width: 360, height: 800, theme: 'dark' });
  const { page } = visitor;
  await page.getByRole('region', { name: 'Figures' }).getByText('Late', { exact: true }).waitFor();
  await accessible(visitor, 'the narrow overview');
  await visitor.picture('overview-narrow-dark');
  check('nothing is cut', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

story('a participant sees the own figures only', async (scene) => {
  const visitor = await scene.visitor('anna', '/overview');
  const { page } = visitor;
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.getByText('Offered', { exact: true }).waitFor();
  await accessible(visitor, 'the overview of a participant');
  check('nothing of others', (await page.getByText('Waiting longest').count()) === 0 && (await figures.getByText('Incidents').count()) === 0);
  await figures.getByRole('link', { name: /Offered/ }).click();
  await page.waitForURL('**/work?view=offered');
});
