// SPDX-License-Identifier: Apache-2.0
// A case: its picture moves by itself, its time goes back, and what may be done
// is done; a reader is offered nothing of it.
import { accessible, chapter, check, story } from './story';

chapter('case');

story('the picture moves while others work, and any earlier moment is there', async (scene) => {
  const { server } = scene;
  const id = await server.startCase('BusinessTrip', undefined, 'A trip that is watched');
  const visitor = await scene.visitor('otto', `/cases/${id}`);
  const { page } = visitor;
  await page.getByText('Step 1 of 1').waitFor();
  await page.locator('.live-dot.on').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await server.rest('POST', `/v1/items/${id}:Ask/complete`);
  await page.getByText(/^Step ([2-9]) of \1$/).waitFor();
  const others = requests.filter((url) => !url.includes(`/v1/cases/${id}`) && !url.includes('/v1/items'));
  // What the frame asks for once, a moment after the view has come.
  check('the page asks for no more than its state', new Set(others).size === others.length && others.every((url) => url.includes('/v1/incidents?') || url.endsWith('/v1/session/preferences')), requests);
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByText(/was started/).first().waitFor();
  await accessible(visitor, 'the history of a case');
  await page.getByRole('button', { name: 'First step' }).click();
  await page.getByText(/^Step 1 of/).waitFor();
  check('the moment is in the address', new URL(page.url()).searchParams.get('step') === '1', page.url());
  const suspend = page.getByRole('button', { name: 'Suspend' });
  check('nothing can be done in the past', (await suspend.getAttribute('aria-disabled')) === 'true');
  await accessible(visitor, 'a moment of the past');
  await page.goBack();
  await page.getByText('as it is now').waitFor();
});

story('a case is suspended and resumed, commented, gets a file, and is cancelled and erased', async (scene) => {
  const { server } = scene;
  const id = await server.startCase('BusinessTrip', undefined, 'A trip with papers');
  const state = async () => ((await server.rest('GET', `/v1/cases/${id}`)) as { status: string }).status;
  const visitor = await scene.visitor('admin', `/cases/${id}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The case is suspended.').waitFor();
  check('it is suspended in the store', (await state()) === 'suspended');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The case is running again.').waitFor();
  check('it is running again', (await state()) === 'running');

  await page.getByRole('link', { name: 'Comments' }).click();
  await page.getByLabel('Comment', { exact: true }).fill('Call <b>first</b>');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.locator('.comment', { hasText: 'Call <b>first</b>' }).waitFor();
  await page.getByRole('link', { name: 'Documents' }).click();
  await page.getByRole('button', { name: 'Add a file' }).waitFor();
  await page.locator('input[type=file]').setInputFiles({ name: 'ticket.txt', mimeType: 'text/plain', buffer: Buffer.from('To Rome') });
  await page.getByRole('link', { name: 'ticket.txt' }).waitFor();
  await accessible(visitor, 'the documents of a case');
  const documents = (await server.rest('GET', `/v1/cases/${id}/documents`)) as { documents: { name: string; size: number }[] };
  check('the file is in the store', documents.documents[0]?.name === 'ticket.txt' && documents.documents[0].size === 7, documents);

  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the case' }).click();
  await page.getByRole('dialog').getByText(`Cancels case ${id} and all its work.`).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the case' }).click();
  await page.getByText('The case is cancelled.').waitFor();
  check('it is cancelled in the store', (await state()) === 'cancelled');
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  const sure = page.getByRole('dialog');
  check('not without a reason', await sure.getByRole('button', { name: 'Erase' }).isDisabled());
  await sure.getByLabel('Reason').fill('asked to be forgotten');
  await sure.getByRole('button', { name: 'Erase' }).click();
  await page.getByText('The case is erased.').waitFor();
  await page.waitForURL('**/cases');
});

story('a reader sees a case, and no button that is refused', async (scene) => {
  const id = await scene.server.startCase('BusinessTrip', undefined, 'A trip to read');
  const visitor = await scene.visitor('rita', `/cases/${id}`, { width: 360, height: 780, theme: 'dark' });
  const { page } = visitor;
  await page.getByRole('heading', { name: 'A trip to read' }).waitFor();
  await page.getByText('as it is now').waitFor();
  for (const name of ['Suspend', 'Actions', 'Repair'])
    check(`no button "${name}"`, (await page.getByRole('button', { name, exact: true }).count()) === 0);
  check('nothing is wider than the page', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await accessible(visitor, 'a case on a phone');
  await visitor.picture('case-narrow-dark');
});

story('a token is dragged in a repair, which is done only as it was tried', async (scene) => {
  const { server } = scene;
  const id = await server.startCase('BusinessTrip', undefined, 'A trip on a wrong way');
  const visitor = await scene.visitor('otto', `/cases/${id}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('button', { name: 'Repair', exact: true }).click();
  const token = page.locator('.picture-canvas [data-token]').first();
  const condition = await token.getAttribute('data-token');
  // What is held is answered when `answer` is called.
  let hold = false;
  let answer = () => undefined as void;
  await page.route(`**/v1/cases/${id}/repair`, async (route) => {
    if (hold) await new Promise<void>((resolve) => { answer = resolve; });
    await route.continue();
  });
  await token.click();
  check('a press on a token picks its condition', new URL(page.url()).searchParams.get('task') === condition, page.url());

  const drag = async (to: number) => {
    // Waits until the picture, which shows what was picked, stands still.
    await token.hover();
    await page.mouse.down();
    const target = (await page.locator('.picture-canvas .p-target').nth(to).boundingBox())!;
    await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 5 });
    await page.mouse.up();
  };
  await drag(0);
  await page.locator('.case-changes li').waitFor();
  check('it is one change', (await page.locator('.case-changes li').count()) === 1);
  check('a drag is no press', new URL(page.url()).searchParams.get('task') === condition, page.url());
  const repair = page.locator('.case-foot button');
  await page.locator('.notice', { hasText: 'can complete' }).waitFor();
  const verdict = await page.locator('.case-foot [role=status]').boundingBox();
  check('the verdict is seen without scrolling', verdict !== null && verdict.y + verdict.height <= page.viewportSize()!.height, verdict);
  check('what was tried can be done', (await repair.getAttribute('aria-disabled')) === 'false', await repair.getAttribute('title'));
  hold = true;
  await page.getByRole('button', { name: 'Empty the net' }).click();
  await page.locator('.case-changes li').nth(1).waitFor();
  check('what was not tried cannot', (await repair.getAttribute('aria-disabled')) === 'true');
  await accessible(visitor, 'a repair');
  hold = false;
  answer();
});

story('what happens while the history is open has names, too', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/people', { user: 'fred', lastName: 'Finch' });
  const id = await server.startCase('Purchase', undefined, 'A lamp that is followed');
  const { page } = await scene.visitor('otto', `/cases/${id}?tab=history`);
  await page.locator('.case-steps li').first().waitFor();
  await page.locator('.live-dot.on').waitFor();
  await server.rest('POST', `/v1/items/${id}:Ask/allocate?override=true`, { to: 'fred' });
  await page.locator('.case-steps > li').nth(1).waitFor();
  const said = await page.locator('.case-steps > li').allInnerTexts();
  check('a person is called by name', said[0]?.includes('fred has') ?? false, said);
  check('each step is there once', said.length === 2, said);
});

story('a task says how often it was done and by whom, and an item shows its input and its history', async (scene) => {
  const { server } = scene;
  const id = await server.startCase('Purchase', undefined, 'A lamp that is counted');
  await server.rest('POST', `/v1/items/${id}:Ask/accept?for=anna`);
  const { item } = (await server.rest('POST', `/v1/items/${id}:Ask/start?for=anna`)) as { item: string };
  const visitor = await scene.visitor('otto', `/cases/${id}?task=Ask`);
  const { page } = visitor;
  await page.getByText('Not done in this case.').waitFor();
  await page.locator('.live-dot.on').waitFor();
  await server.rest('POST', `/v1/items/${item}/complete?for=anna`, { item: 'A red lamp', price: 77 });
  const done = page.locator('.case-done');
  await done.getByText('Done once.').waitFor();
  await done.getByText('anna').waitFor();
  await done.getByRole('button', { name: /Show the case behind step/ }).waitFor();
  await accessible(visitor, 'a task that was done');
  await visitor.picture('case-done');

  await page.goto(`${server.base}/cases/${id}`);
  await page.getByRole('button', { name: /^Values and history/ }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.item-values-beside .form-field').first().waitFor();
  const form = await dialog.locator('.item-values-beside > section').first().innerText();
  const data = await dialog.getByRole('tree').first().innerText();
  check('the input is a form', form.includes('A red lamp'), form);
  check('the same input is there as data', data.includes('A red lamp') && data.includes('77'), data);
  check('nothing of it can be changed', (await dialog.locator('input:enabled, textarea:enabled, select:enabled').count()) === 0);
  await dialog.locator('.item-history li').first().waitFor();
  await accessible(visitor, 'the values of an item');
  await visitor.picture('case-item');
});
