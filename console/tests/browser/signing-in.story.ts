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

story('without TLS, at an address of the network, the page works', async (scene) => {
  const visitor = await scene.stranger();
  const { page } = visitor;
  await page.goto(`${visitor.plain}/work/new`);
  check('the browser has less there', await page.evaluate(() => !isSecureContext && navigator.clipboard === undefined && crypto.randomUUID === undefined));
  await page.getByLabel('Name', { exact: true }).fill('anna');
  await page.getByLabel('Password', { exact: true }).fill('word of anna');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: /Purchase/ }).first().click();
  await page.getByRole('button', { name: 'Start the case', exact: true }).click();
  await page.getByText(/^Case .* is started/).first().waitFor();
  await page.goto(`${visitor.plain}/cases`);
  await page.locator('table.list tbody tr a').first().click();
  await page.locator('.mono').first().waitFor();
  check('there is nothing to copy with', await page.getByRole('button', { name: 'Copy', exact: true }).count() === 0);
});

story('a wrong password ends no session, a right one is changed', async (scene) => {
  const { server } = scene;
  const name = `paula${Date.now()}`;
  await server.addAccount(name, 'reader');
  const visitor = await scene.visitor(name, '/cases');
  const { page } = visitor;
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await dialog.getByLabel('Password so far').fill('no word of hers');
  await dialog.getByLabel('New password', { exact: true }).fill('another long word');
  await dialog.getByLabel('New password again').fill('another long work');
  await dialog.getByText('The two new passwords differ.').waitFor();
  await dialog.getByLabel('New password again').fill('another long word');
  await accessible(visitor, 'the change of a password');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByText('The password so far is wrong.').waitFor();
  check('she is signed in', (await visitor.context.request.get(`${server.base}/v1/session`)).ok());
  await dialog.getByLabel('Password so far').fill(`word of ${name}`);
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill('another long word');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
});

story('who signs in next gets nothing that was read for another', async (scene) => {
  const { page } = await scene.visitor('rita', '/cases');
  await page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();
  await page.evaluate(() => { (window as { kept?: boolean }).kept = true; });
  const signIn = async (name: string) => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Password', { exact: true }).fill(`word of ${name}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: `Account: ${name}` }).waitFor();
  };
  await signIn('rita');
  check('the same account goes on', await page.evaluate(() => (window as { kept?: boolean }).kept === true));
  await signIn('cara');
  check('for another the page is loaded anew', await page.evaluate(() => (window as { kept?: boolean }).kept === undefined));
});

story('who loses a right loses its button', async (scene) => {
  const { server } = scene;
  const name = `vera${Date.now()}`;
  await server.addAccount(name, 'operator');
  const id = await server.startCase('BusinessTrip');
  const visitor = await scene.visitor(name, `/cases/${id}`);
  const { page } = visitor;
  const button = page.getByRole('button', { name: 'Suspend', exact: true });
  await button.waitFor();
  await server.rest('PATCH', `/v1/accounts/${name}`, { role: 'reader' });
  // The page may notice it by itself before the button is pressed.
  const gone = button.waitFor({ state: 'detached' });
  await Promise.race([button.click().catch(() => undefined), gone]);
  await gone;
  const { status } = (await server.rest('GET', `/v1/cases/${id}`)) as { status: string };
  check('the case is as it was', status === 'running', status);
});
