// SPDX-License-Identifier: Apache-2.0
// A connection that is lost is shown, and comes back by itself.
import { chapter, check, story } from './story';

chapter('connection');

story('a server that stops and starts again', async (scene) => {
  const { server } = scene;
  const id = await server.startCase('BusinessTrip', undefined, 'before the stop');
  const visitor = await scene.visitor('otto', `/cases/${id}`, {}, 0);
  const { page } = visitor;
  await page.getByRole('heading', { name: 'before the stop' }).waitFor();
  await page.locator('.live-dot.on').waitFor();
  const purchase = (await server.rest('POST', '/v1/cases', { specification: 'Purchase', title: 'meanwhile' })) as { case: string };
  const work = await scene.visitor('anna', `/work/${purchase.case}%3AAsk`, {}, 0);
  await work.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await page.evaluate(() => { (window as { kept?: boolean }).kept = true; });
  const node = server.nodes[0]!;
  const listen = new URL(node.base).host;
  await server.stopNode(node, 'SIGKILL');
  await page.locator('.live-dot.lost').waitFor();
  await page.getByText('as it was when the connection was lost').waitFor();
  check('it does not say that it is so now', (await page.getByText('as it is now').count()) === 0);
  const list = await work.page.getByRole('button', { name: 'Start', exact: true }).boundingBox();
  await work.page.getByRole('link', { name: 'Files', exact: true }).click();
  await work.page.locator('.unreachable').waitFor();
  await work.page.locator('.item-context').getByText('The server does not answer.').waitFor();
  const bar = await work.page.locator('.item-bar').boundingBox();
  check('the bar of the item is on the screen', list !== null && bar !== null && bar.y + bar.height <= 800, bar);
  await server.startNode(listen);
  // The stories that follow find the node where it was.
  server.nodes.unshift(server.nodes.pop()!);
  await page.locator('.live-dot.on').waitFor();
  await page.getByText('as it is now').waitFor();
  await work.page.getByText('The server does not answer.').first().waitFor({ state: 'detached' });
  await work.page.locator('.unreachable').waitFor({ state: 'detached' });
  await server.rest('POST', `/v1/cases/${id}/suspend`);
  await page.getByText('Suspended').first().waitFor();
  check('the page went on without being loaded again', await page.evaluate(() => (window as { kept?: boolean }).kept === true));
});

story('a refusal says why and offers to try again', async (scene) => {
  const visitor = await scene.visitor('otto', '/cases/no-such-case');
  const { page } = visitor;
  await page.getByRole('alert').first().waitFor();
  check('it offers to try again', (await page.getByRole('button', { name: 'Try again' }).count()) > 0);
});

story('a view whose program does not come says so and is tried again', async (scene) => {
  const visitor = await scene.visitor('rita', '/cases');
  const { page } = visitor;
  await page.locator('table.list tbody tr').first().waitFor();
  await page.route('**/assets/people-*', (route) => route.abort());
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('alert').waitFor();
  await page.unroute('**/assets/people-*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'People' }).first().waitFor();
});
