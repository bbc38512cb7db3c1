// SPDX-License-Identifier: Apache-2.0
// Incidents of one cause are found, tried again and dropped together.
import { fail, incidents, until } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('incidents');

story('an operator retries a cause ten first, then all, and drops it with a reason', async (scene) => {
  const { server } = scene;
  const name = `Failing${Date.now()}`;
  await fail(server, name, 101);
  const visitor = await scene.visitor('otto', `/incidents?specification=${name}`);
  const { page } = visitor;
  await page.getByText('101 incidents of 1 cause.').waitFor();
  await accessible(visitor, 'the causes of incidents');
  await page.getByRole('link', { name: /division by zero/ }).click();
  await page.getByRole('heading', { name: 'Incidents of this cause' }).waitFor();
  await page.locator('table.list tbody tr').nth(20).waitFor();
  await accessible(visitor, 'a cause of incidents');
  await visitor.picture('incidents');

  await page.getByRole('button', { name: 'Retry 10 first' }).click();
  await page.getByText('10 incidents are retried.').waitFor();
  check('ten have failed again', await until(async () => (await incidents(server, name)).filter((one) => one.attempts > 1).length === 10));
  await page.getByRole('button', { name: 'Retry all 101' }).click();
  await page.getByText('Retry incidents: 101 done, 0 refused.').waitFor();
  check('all have failed again', await until(async () => {
    const now = await incidents(server, name);
    return now.length === 101 && now.every((one) => one.attempts > 1);
  }));

  // The page says so, too, although no step does.
  await page.getByRole('button', { name: 'Retry all 101' }).waitFor();
  await page.getByRole('button', { name: 'Drop them…' }).click();
  const sure = page.getByRole('dialog');
  await sure.getByText('Drops 101 incidents of this cause').waitFor();
  await accessible(visitor, 'the question before incidents are dropped');
  await sure.getByLabel('Reason').fill('paid by hand');
  check('not without the number', await sure.getByRole('button', { name: 'Drop 101' }).isDisabled());
  await sure.getByLabel('Type 101 to confirm').fill('101');
  await sure.getByRole('button', { name: 'Drop 101' }).click();
  await page.getByText('Drop incidents: 101 done, 0 refused.').waitFor();
  await page.getByText('No incident of this cause is open any more.').waitFor();
  const dropped = await incidents(server, name, 'dropped');
  check('they are dropped in the store, by whom and why', dropped.length === 101 && dropped.every((one) => one.reason === 'paid by hand' && one.droppedBy === 'otto'), dropped.length, dropped[0]);

  await page.getByRole('link', { name: 'Dropped' }).click();
  await page.getByRole('cell', { name: 'paid by hand' }).first().waitFor();
  await accessible(visitor, 'dropped incidents');
});

story('one incident is read and retried, on a narrow screen too', async (scene) => {
  const { server } = scene;
  const name = `Single${Date.now()}`;
  await fail(server, name, 1);
  const { incident } = (await incidents(server, name))[0]!;
  const visitor = await scene.visitor('otto', `/incidents/${incident}`, { width: 360, height: 800, theme: 'dark' });
  const { page } = visitor;
  await page.getByText(/division by zero/).waitFor();
  await accessible(visitor, 'one incident');
  await visitor.picture('incident-narrow-dark');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The incident is retried.').waitFor();
  check('it has failed again', await until(async () => (await incidents(server, name))[0]?.attempts === 2));
  check('nothing is cut', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

story('a reader sees incidents, and no button that is refused', async (scene) => {
  const { server } = scene;
  const name = `Read${Date.now()}`;
  await fail(server, name, 1);
  const visitor = await scene.visitor('rita', `/incidents?specification=${name}`);
  const { page } = visitor;
  await page.getByRole('link', { name: /division by zero/ }).click();
  await page.getByRole('heading', { name: 'Incidents of this cause' }).waitFor();
  await page.locator('table.list tbody tr').first().waitFor();
  for (const button of ['Retry', 'Drop', 'Drop them…', 'Retry 1']) check(`no button ${button}`, (await page.getByRole('button', { name: button, exact: true }).count()) === 0);
});
