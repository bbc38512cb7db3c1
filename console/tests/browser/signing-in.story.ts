// SPDX-License-Identifier: Apache-2.0
// Signing in and out, as a person does.
import { accessible, chapter, check, story } from './story';

chapter('signing-in');

story('a person signs in with name and password, and out', async (scene) => {
  const visitor = await scene.stranger();
  const { page } = visitor;
  await page.goto(`${scene.server.base}/work`);
  await accessible(visitor, 'signing in');
  await page.getByLabel('Name', { exact: true }).fill('anna');
  await page.getByLabel('Password', { exact: true }).fill('a wrong word');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The name or the password is wrong.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill('word of anna');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  check('the page stays at its address', new URL(page.url()).pathname === '/work', page.url());
  const cookies = await visitor.context.cookies();
  const session = cookies.find((cookie) => cookie.name === 'weft-session');
  check('the cookie is not for scripts nor for other sites', session !== undefined && session.httpOnly && session.sameSite === 'Strict', cookies);
  await page.reload();
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const after = await visitor.context.request.get(`${scene.server.base}/v1/session`);
  check('the session is over in the store', after.status() === 401, after.status());
});

story('a session that ends elsewhere is noticed and the page goes on', async (scene) => {
  const visitor = await scene.visitor('rita', '/cases');
  const { page } = visitor;
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  await scene.server.rest('DELETE', '/v1/accounts/rita/sessions');
  // The page may notice it by itself before the link is pressed.
  const link = page.getByRole('navigation', { name: 'Sections', exact: true }).getByRole('link', { name: 'Processes' });
  await Promise.race([link.click().catch(() => undefined), page.getByText('Your session has ended.').waitFor()]);
  await page.getByText('Your session has ended.').waitFor();
  const before = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Sign in with a token' }).click();
  await page.getByLabel('Token', { exact: true }).fill(scene.server.tokens['rita']!);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  check('the page is where it was', new URL(page.url()).pathname === before, page.url());
});

story('an address with a ticket signs in, once', async (scene) => {
  const { server } = scene;
  const said = server.weft(['account', 'ticket', 'admin', '--db', server.store.url, '--address', server.base]);
  const address = /http\S+ticket=\S+/.exec(said)?.[0] ?? said;
  const { page } = await scene.stranger();
  await page.goto(address);
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  check('the ticket is not in the address any more', !page.url().includes('ticket'), page.url());
  const second = await scene.stranger();
  await second.page.goto(address);
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  check('the second time it is said why not', (await second.page.getByRole('alert').innerText()).includes('used up'));
});
