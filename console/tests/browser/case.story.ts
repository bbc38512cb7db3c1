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
  check('the page asks for no more than its state', requests.filter((url) => !url.includes(`/v1/cases/${id}`) && !url.includes('/v1/items')).length === 0, requests);
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
  await page.locator('.case-comment-text', { hasText: 'Call <b>first</b>' }).waitFor();
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
