// SPDX-License-Identifier: Apache-2.0
// Adding a person and an account, and what the audit says of it.
import { accessible, chapter, check, story } from './story';

chapter('people');

story('an administrator adds a person and an account, who signs in', async (scene) => {
  const { server } = scene;
  const name = `dora${Date.now()}`;
  const visitor = await scene.visitor('admin', '/people/people');
  const { page } = visitor;
  await page.getByRole('cell', { name: 'Amsel' }).waitFor();
  await accessible(visitor, 'the list of people');
  await visitor.picture('people');
  await page.getByRole('button', { name: 'Add participant' }).click();
  await page.getByLabel('User id').fill(name);
  await page.getByLabel('First name').fill('Dora');
  await page.getByLabel('Last name').fill('<b>Dohle</b>');
  await page.getByLabel('Roles', { exact: true }).fill('Buy');
  await page.getByRole('option', { name: /Buyer/ }).click();
  await page.getByLabel('Start and cancel cases').check();
  check('the word of the server is there, too', await page.locator('label[title="canManageCases"]').count() === 1);
  await accessible(visitor, 'the editor of a person');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Dora <b>Dohle</b>' }).waitFor();
  const person = (await server.rest('GET', `/v1/people?q=${name}&names=true`)) as { people: { roles: string[]; privileges: string[] }[] };
  check('the person is in the store', person.people[0]?.roles[0] === 'Buyer' && person.people[0].privileges.join() === 'canManageCases', person);

  // Who organises enters for others when they are away, and who acts for them.
  const until = `${new Date().getFullYear() + 1}-01-31T18:00`;
  const absences = page.locator('section', { has: page.getByRole('heading', { name: 'Absences' }) });
  await absences.getByLabel('To', { exact: true }).fill(until);
  await absences.getByLabel('Comment').fill('a long way away');
  await absences.getByRole('button', { name: 'Add', exact: true }).click();
  await absences.getByRole('listitem').filter({ hasText: 'a long way away' }).waitFor();
  const deputies = page.locator('section', { has: page.getByRole('heading', { name: 'Deputies' }) });
  await deputies.getByLabel('Person').fill('Cara');
  await deputies.getByRole('option', { name: /^Cara/ }).click();
  await deputies.getByLabel('To', { exact: true }).fill(until);
  await deputies.getByRole('button', { name: 'Add', exact: true }).click();
  await deputies.getByRole('listitem').filter({ hasText: 'cara' }).waitFor();
  await accessible(visitor, 'the absences of a person');
  await visitor.picture('people-away');
  await deputies.getByRole('button', { name: 'Remove' }).click();
  await deputies.getByText('Nobody acts in the place of this person.').waitFor();

  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('button', { name: 'Add account' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('.field', { has: page.getByLabel('Password') }).getByRole('alert').getByText('8 characters or more').waitFor();
  check('the password has the focus', await page.getByLabel('Password').evaluate((field) => field === document.activeElement));
  await accessible(visitor, 'a password that is too short');
  await page.getByLabel('Password').fill('a good long word');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name }).waitFor();
  await accessible(visitor, 'an account');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('for a script');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('.field', { hasText: 'is no name of a token' }).waitFor();
  check('the name has the focus', await page.locator('#token-name').evaluate((field) => field === document.activeElement));
  await accessible(visitor, 'the name of a token that is refused');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('for-a-script');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('This is the only time that the token is shown.').waitFor();
  check('the token is shown whole', /^\S{40,}$/.test(await page.locator('.secret').innerText()), (await page.locator('.secret').innerText()).length);
  await accessible(visitor, 'a new token');
  await visitor.picture('people-token');
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  const other = await scene.stranger();
  await other.page.goto(`${server.nodes.at(-1)!.base}/work`);
  await other.page.getByLabel('Name', { exact: true }).fill(name);
  await other.page.getByLabel('Password', { exact: true }).fill('a good long word');
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.page.getByRole('navigation', { name: 'Sections', exact: true }).waitFor();

  await page.goto(`${server.base}/people/audit?kind=addAccount`);
  await page.getByRole('cell', { name }).first().waitFor();
  await accessible(visitor, 'the audit');
});

story('who may not administer sees no accounts', async (scene) => {
  const visitor = await scene.visitor('rita', '/people/people');
  const { page } = visitor;
  await page.getByRole('cell', { name: 'Amsel' }).waitFor();
  check('no tab of accounts', (await page.getByRole('link', { name: 'Accounts' }).count()) === 0);
  check('no button to add', (await page.getByRole('button', { name: 'Add participant' }).count()) === 0);
});
