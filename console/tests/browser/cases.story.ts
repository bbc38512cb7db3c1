// SPDX-License-Identifier: Apache-2.0
// Finding cases, saving the filter, and acting on many.
import { accessible, chapter, check, story } from './story';

chapter('cases');

story('an operator finds cases, saves the filter and suspends them', async (scene) => {
  const { server } = scene;
  const mark = `tour ${Date.now()}`;
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.push(await server.startCase('BusinessTrip', undefined, `${mark} number ${i}`));
  const visitor = await scene.visitor('otto', '/cases');
  const { page } = visitor;
  await page.getByLabel('Words of the title, or an id').fill(mark);
  await page.waitForURL((url) => url.searchParams.get('q') === mark);
  await page.getByText('5 rows').waitFor();
  await accessible(visitor, 'the list of cases');
  await visitor.picture('cases');

  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: 'Save this filter' }).click();
  await page.getByLabel('Name', { exact: true }).fill('The tours');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'The tours' }).waitFor();
  await page.goto(`${server.base}/cases`);
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'The tours' }).click();
  await page.getByText('5 rows').waitFor();

  await page.getByRole('checkbox', { name: 'All', exact: true }).check();
  await page.getByRole('button', { name: 'Act on them' }).click();
  await page.getByText('Selected: 5 cases.').waitFor();
  await accessible(visitor, 'the start of an operation');
  await page.getByLabel('Reason').fill('the agency is closed');
  await page.getByRole('button', { name: 'Suspend 5' }).click();
  await page.getByText('Suspend: 5 done, 0 refused.').waitFor();
  await page.locator('table.list tbody tr:nth-child(5)').getByText('Suspended').waitFor();
  const box = page.locator('table.list tbody tr:nth-child(2) input[type=checkbox]');
  await box.click();
  await page.getByText('1 selected').first().waitFor();
  check('what is chosen is ticked', await box.isChecked());
  await box.click();
  check('and no more when it is not', !(await box.isChecked()));
  await page.getByRole('heading', { name: 'Cases' }).click();
  await page.keyboard.press('j');
  await page.locator('table.list tbody tr:nth-child(1):focus').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.locator('table.list tbody tr:nth-child(2)[aria-selected=true]').waitFor();
  await page.keyboard.press('x');
  const states = await Promise.all(made.map(async (id) => ((await server.rest('GET', `/v1/cases/${id}`)) as { status: string }).status));
  check('all are suspended in the store', states.every((state) => state === 'suspended'), states);
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('cell', { name: 'the agency is closed' }).waitFor();
  await accessible(visitor, 'the list of operations');
});

story('cancelling a hundred needs their number typed in', async (scene) => {
  const { server } = scene;
  const mark = `hundred ${Date.now()}`;
  for (let i = 0; i < 101; i++) await server.startCase('BusinessTrip', undefined, mark);
  const visitor = await scene.visitor('otto', `/cases?q=${encodeURIComponent(mark)}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Act on all of these' }).click();
  await page.getByLabel('What is done').selectOption('cancel');
  await page.getByRole('button', { name: 'Cancel 101' }).click();
  const sure = page.getByRole('dialog').last();
  await sure.getByText('Cancels 101 cases').waitFor();
  check('only one button cancels', (await sure.getByRole('button', { name: 'Cancel', exact: true }).count()) === 1);
  check('not without the number', await sure.getByRole('button', { name: 'Cancel', exact: true }).last().isDisabled());
  await sure.getByLabel('Type 101 to confirm').fill('101');
  await sure.getByRole('button', { name: 'Cancel', exact: true }).last().click();
  await page.getByText('Cancel: 101 done, 0 refused.').waitFor();
  const left = (await server.rest('GET', `/v1/cases?status=running&q=${encodeURIComponent(mark)}`)) as { cases: unknown[] };
  check('none is left', left.cases.length === 0, left.cases.length);
});

story('a reader sees no button that is refused', async (scene) => {
  const visitor = await scene.visitor('rita', '/cases');
  const { page } = visitor;
  await page.locator('table.list tbody tr').first().waitFor();
  check('nothing can be chosen', (await page.locator('table.list input[type=checkbox]').count()) === 0);
  check('no operation is offered', (await page.getByRole('button', { name: 'Act on all of these' }).count()) === 0);
});

story('rows are selected as far as here, by the keyboard', async (scene) => {
  const visitor = await scene.visitor('otto', '/cases');
  const { page } = visitor;
  const rows = page.locator('table.list tbody tr');
  await rows.nth(3).waitFor();
  await rows.first().focus();
  for (const key of ['x', 'j', 'j', 'Shift+X']) await page.keyboard.press(key);
  await page.getByText('3 selected').waitFor();
});

story('the list is walked with the keyboard, and back keeps the place', async (scene) => {
  const visitor = await scene.visitor('rita', '/cases');
  const { page } = visitor;
  const rows = page.locator('table.list tbody tr');
  await rows.nth(2).waitFor();
  await rows.first().focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const place = () => page.evaluate(() => document.querySelector('[data-scroll=main]')?.scrollTop ?? 0);
  await page.evaluate(() => document.querySelector('[data-scroll=main]')?.scrollTo({ top: 60 }));
  const before = await place();
  const key = await rows.nth(2).getAttribute('data-key');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/cases/${key}`);
  await page.goBack();
  await page.waitForURL('**/cases');
  await rows.nth(2).waitFor();
  await page.waitForFunction((top) => document.querySelector('[data-scroll=main]')?.scrollTop === top, before);
  check('the list was scrolled at all', before > 0, before);
});

story('the search of the bar finds by id and word', async (scene) => {
  const title = `zeppelin ${Date.now()}`;
  const id = await scene.server.startCase('BusinessTrip', undefined, title);
  const visitor = await scene.visitor('rita', '/processes');
  const { page } = visitor;
  await page.getByRole('search').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(title);
  await page.getByRole('option', { name: title }).waitFor();
  await accessible(visitor, 'what the search found');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/cases/${id}`);
});

story('what is typed while the address changes stays', async (scene) => {
  const { page } = await scene.visitor('otto', '/cases');
  const box = page.getByLabel('Words of the title, or an id');
  await box.waitFor();
  // A letter comes between the new address and what the page makes of it.
  await page.evaluate(() => {
    const replace = history.replaceState.bind(history);
    history.replaceState = (...state) => {
      history.replaceState = replace;
      replace(...state);
      const field = document.querySelector<HTMLInputElement>('#filter-q')!;
      field.value += 'm';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    };
  });
  await box.fill('la');
  await page.waitForURL((url) => url.searchParams.get('q') === 'lam');
  check('it is in the box', (await box.inputValue()) === 'lam', await box.inputValue());
});
