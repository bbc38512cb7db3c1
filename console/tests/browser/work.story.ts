// SPDX-License-Identifier: Apache-2.0
// Work: items done by the keyboard alone, on a phone, and together with others.
import { copyOf } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('work');

interface Items {
  items: { item: string; case: string; assignment?: string; holder?: string }[];
}

const purchase = { specification: 'Purchase', title: 'A lamp for the <b>hall</b>' };

story('items are done by the keyboard alone, and the next one is opened', async (scene) => {
  const { server } = scene;
  const first = (await server.rest('POST', '/v1/cases', purchase)) as { case: string };
  const second = (await server.rest('POST', '/v1/cases', purchase)) as { case: string };
  await server.rest('PATCH', `/v1/items/${first.case}:Ask`, { due: '2020-01-01T00:00:00Z' });
  await server.rest('PATCH', `/v1/items/${second.case}:Ask`, { due: '2020-01-02T00:00:00Z' });
  const { page, of } = await open(scene, 'anna');
  await page.locator('.work-row', { hasText: 'A lamp for the <b>hall</b>' }).first().waitFor();
  await accessible(of, 'the list of work');
  await of.picture('work');

  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Say what to buy' }).waitFor();
  check('the item that is due first is opened', page.url().includes(`/work/${first.case}%3AAsk`), page.url());
  await page.getByRole('button', { name: 'Start', exact: true }).and(page.locator(':focus')).waitFor();
  await accessible(of, 'an item that is offered');
  await page.keyboard.press('a');
  await page.locator('.item-facts').getByText('Allocated', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('s');
  const need = page.getByLabel('What do you need?');
  const price = page.getByLabel('Price in euros');
  await need.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('A red lamp');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1.5');
  await page.keyboard.press('Control+Enter');
  await page.locator('.mistakes').waitFor();
  check('the first mistake has the focus', await price.evaluate((field) => field === document.activeElement));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('77');
  await page.getByText('Saved now').waitFor();
  await accessible(of, 'an item that is filled in');
  await of.picture('work-item');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).and(page.locator(':focus')).waitFor();
  check('the next item is opened', page.url().includes(`/work/${second.case}%3AAsk`), page.url());
  const data = (await server.rest('GET', `/v1/cases/${first.case}/data`)) as { item: string; price: number };
  check('what was typed is in the case', data.item === 'A red lamp' && data.price === 77, data);
});

story('who is no participant sees why the list is empty', async (scene) => {
  const { of, page } = await open(scene, 'admin');
  await page.getByText('This account is no participant').waitFor();
  await page.getByRole('link', { name: 'Or add a participant with the user id admin under People.' }).waitFor();
  await accessible(of, 'Work of who is no participant');
});

story('data that a postcondition refuses say so above the fields until they change', async (scene) => {
  const { server } = scene;
  const careful = copyOf('people/purchase.yawl', 'Careful')
    .replace('<decomposition id="Ask"', '<decomposition id="Ask" xmlns:weft="urn:weft:hand-over" weft:postcondition="/Ask/price &gt; 0"');
  await server.rest('POST', '/v1/specifications', careful);
  const { case: id } = (await server.rest('POST', '/v1/cases', { specification: 'Careful' })) as { case: string };
  const { of, page } = await open(scene, 'anna', `/work/${id}%3AAsk`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const price = page.getByLabel('Price in euros');
  await page.getByLabel('What do you need?').fill('Nothing');
  await price.fill('0');
  await page.getByRole('button', { name: 'Complete', exact: true }).click();
  const refusal = page.locator('.form [role="alert"]');
  await refusal.getByText('its postcondition does not hold').waitFor();
  check('it has the focus', await refusal.evaluate((one) => one === document.activeElement));
  await accessible(of, 'values that were not taken');
  await of.picture('work-refused');
  await price.fill('3');
  await refusal.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Complete', exact: true }).click();
  await page.getByText('Completed.').waitFor();
});

story('letters in a field of a number are a mistake there, and nothing is completed', async (scene) => {
  const { server } = scene;
  const { case: id } = (await server.rest('POST', '/v1/cases', { ...purchase, title: 'Letters' })) as { case: string };
  const { of, page } = await open(scene, 'anna', `/work/${id}%3AAsk?q=Letters`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const price = page.getByLabel('Price in euros');
  await price.press('Control+A');
  await page.keyboard.type('many');
  await page.keyboard.press('Control+Enter');
  await page.locator('.widget-number .mistakes').getByText('\'many\'').waitFor();
  check('the field has the focus', await price.evaluate((field) => field === document.activeElement));
  await accessible(of, 'letters in a field of a number');
  const answered = page.waitForResponse((one) => one.url().endsWith('/complete'));
  await page.getByRole('button', { name: 'Complete', exact: true }).click();
  check('it is sent, and refused', (await answered).status() === 422);
  const list = (await server.rest('GET', `/v1/worklist?for=anna&case=${id}`)) as Items & { items: { task: string }[] };
  check('the item is not complete', list.items[0]?.task === 'Ask', list);
  await price.fill('');
  await page.locator('.widget-number').getByText('Empty: 40').waitFor();

  // What is typed while the item is being completed is not checked any more.
  const checks: string[] = [];
  let sent = false;
  page.on('request', (request) => { if (sent && request.url().endsWith('/form') && request.method() === 'POST') checks.push(request.url()); });
  await page.route('**/complete', async (route) => {
    sent = true;
    // Longer than the pause behind which values are checked.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('What do you need?').press('x');
  await page.getByText('Completed.').waitFor();
  check('no check after it was sent', checks.length === 0, checks);
  const data = (await server.rest('GET', `/v1/cases/${id}/data`)) as { price: number };
  check('the default is taken for nothing', data.price === 40, data);
});

story('the first field of a start that is refused has the focus', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/specifications', copyOf('people/purchase.yawl', 'Counted')
    .replace('<localVariable>', ['title', 'count'].map((name, index) =>
      `<inputParam><index>${index}</index><name>${name}</name><type>${index === 0 ? 'string' : 'integer'}</type><namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>`).join('') + '<localVariable>'));
  const { page } = await open(scene, 'admin', '/work/new/Counted');
  // So that a field that is left meanwhile would have begun a check of its own.
  await page.route(/\/v1\/(cases|specifications\/[^/]*\/form)$/, async (route) => {
    if (route.request().method() === 'POST') await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  const begin = async (way: string, press: () => Promise<void>) => {
    const count = page.getByRole('textbox', { name: 'count' });
    await page.getByRole('textbox', { name: 'title', exact: true }).fill('Words');
    await count.fill('2.5');
    await press();
    await page.locator('.widget-number .mistakes').getByText('\'2.5\' is not a valid integer').waitFor();
    await count.and(page.locator(':focus')).waitFor({ timeout: 5000 }).catch(() => undefined);
    check(`${way}: the field has the focus`, await count.evaluate((field) => field === document.activeElement), await page.evaluate(() => document.activeElement?.id));
  };
  await begin('by the button', () => page.getByRole('button', { name: 'Start the case' }).click());
  await page.reload();
  await begin('by the keys', () => page.keyboard.press('Control+Enter'));
  await page.goto(`${server.base}/processes/Counted`);
  await page.getByRole('button', { name: 'Start a case' }).click();
  await begin('in the dialog', () => page.getByRole('dialog').getByRole('button', { name: 'Start a case' }).click());
});

story('a date of which a part is typed is not taken for none', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/specifications', copyOf('people/purchase.yawl', 'Dated')
    .replace('<localVariable>', '<inputParam><index>0</index><name>day</name><type>date</type><namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam><localVariable>'));
  const { page } = await open(scene, 'admin', '/work/new/Dated');
  const sent: string[] = [];
  page.on('request', (request) => { if (request.method() === 'POST' && request.url().endsWith('/v1/cases')) sent.push(request.url()); });
  const day = page.locator('input[type=date]');
  await day.focus();
  await page.keyboard.type('12');
  check('the browser has no value', await day.inputValue() === '');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Start the case' }).click();
  check('the field has the focus', await day.evaluate((field) => field === document.activeElement));
  check('nothing is sent', sent.length === 0, sent);
  await day.fill('2026-12-24');
  await page.getByRole('button', { name: 'Start the case' }).click();
  await page.getByText(/Case \d+ is started/).first().waitFor();
});

story('a draft is there again, and an item that another takes leaves the list', async (scene) => {
  const { server } = scene;
  const started = (await server.rest('POST', '/v1/cases', { ...purchase, title: 'Twice' })) as { case: string };
  const anna = await open(scene, 'anna', '/work?q=Twice');
  const ben = await open(scene, 'ben', '/work?q=Twice');
  const row = ben.page.locator('.work-row', { hasText: 'Twice' });
  await row.waitFor();
  await anna.page.locator('.work-row', { hasText: 'Twice' }).click();
  await anna.page.getByRole('button', { name: 'Start', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await anna.page.getByLabel('What do you need?').fill('Half a l');
  await anna.page.getByText('Saved now').waitFor();
  await anna.page.reload();
  await anna.page.getByLabel('What do you need?').waitFor();
  check('the draft is in the form', (await anna.page.getByLabel('What do you need?').inputValue()) === 'Half a l');
  const list = (await server.rest('GET', `/v1/worklist?for=anna&case=${started.case}`)) as Items;
  check('the item is hers', list.items[0]?.holder === 'anna', list);
});

story('on a phone: the list, the item, its actions in a bar', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/cases', { ...purchase, title: `${'A very long title '.repeat(12)}\u202Eend` });
  const { page, of } = await open(scene, 'ben', '/work?q=very', { width: 360, height: 740, theme: 'dark' as const });
  await page.locator('.work-row').first().click();
  const button = page.getByRole('button', { name: 'Accept', exact: true });
  await button.waitFor();
  const box = await button.boundingBox();
  check('the button can be touched', (box?.height ?? 0) >= 44 && (box?.y ?? 9999) + (box?.height ?? 0) <= 740, box);
  check('nothing is wider than the page', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await accessible(of, 'an item on a phone');
  await of.picture('work-phone');
  await button.click();
  await page.getByText('Allocated', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.locator('.work-row').first().waitFor();
});

story('an item shows its values, its draft and what happened to it; what is refused says why', async (scene) => {
  const { server } = scene;
  const started = (await server.rest('POST', '/v1/cases', { ...purchase, title: 'Described' })) as { case: string };
  await server.rest('POST', `/v1/items/${started.case}:Ask/allocate?override=true`, { to: 'cara', reason: 'Cara knows lamps' });
  const { page, of } = await open(scene, 'cara', `/work/${started.case}%3AAsk?q=Described`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByLabel('What do you need?').fill('A drafted lamp');
  await page.getByText('Saved now').waitFor();
  await page.getByRole('link', { name: 'Values', exact: true }).click();
  const values = page.locator('.item-values');
  await values.getByText('A drafted lamp').waitFor();
  check('the draft says whose it is', (await values.locator('.item-values-draft').innerText()).includes('cara'));
  await accessible(of, 'the values of an item in Work');
  await page.getByLabel('What do you need?').fill('A lamp drafted again');
  await values.getByText('A lamp drafted again').waitFor();
  await of.picture('work-values');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  const history = page.getByRole('list', { name: 'What happened to it' });
  await history.getByText('cara has Say what to buy').waitFor();
  await history.getByText('Say what to buy was offered').waitFor();
  await history.getByText('Reason: Cara knows lamps').waitFor();
  await accessible(of, 'the history of an item in Work');
  await of.picture('work-history');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const refused = page.locator('.menu-list details button').first();
  await refused.waitFor();
  check('what is refused cannot be pressed, and says why', (await refused.getAttribute('aria-disabled')) === 'true' && (await refused.locator('.why').innerText()) !== '');
  check('what the participant has no privilege for is not there', (await page.locator('.menu-list').getByRole('button', { name: /^(Suspend|Skip|Delegate|Hand over)/ }).count()) === 0);
  check('what only others may is not there', (await page.getByRole('button', { name: /^Give to a service/ }).count()) === 0);
  await accessible(of, 'the actions of an item');
  await of.picture('work-actions');
});

story('an operator gives an item of Work to a service', async (scene) => {
  const { server } = scene;
  await server.rest('PUT', '/v1/services/buyers', { uri: 'urn:buyers', kind: 'pull', assignable: true });
  const started = (await server.rest('POST', '/v1/cases', { ...purchase, title: 'Given away' })) as { case: string };
  const { page, of } = await open(scene, 'admin', `/work/${started.case}%3AAsk`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: /^Give to a service/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Service').click();
  await dialog.getByRole('option', { name: 'buyers' }).click();
  await accessible(of, 'the choice of a service');
  await dialog.getByRole('button', { name: 'Give to a service' }).click();
  await page.getByText('Given to the service.').waitFor();
  const { service } = (await server.rest('GET', `/v1/items/${started.case}:Ask`)) as { service?: string };
  check('the item is the service\'s', service === 'urn:buyers', service);
});

story('a deputy acts for some processes only', async (scene) => {
  const { server } = scene;
  const { page, of } = await open(scene, 'ben', '/work/away');
  await page.getByLabel('Person').click();
  await page.getByLabel('Person').fill('cara');
  await page.getByRole('option', { name: /Cole/ }).click();
  await page.locator('#deputy-to').fill(`${new Date().getFullYear() + 1}-01-01T00:00`);
  const field = page.getByLabel('Only for processes (empty: all)');
  await field.fill('Purchase');
  await page.locator('.processes-field .chip', { hasText: 'Purchase' }).waitFor();
  await accessible(of, 'a deputy for a process');
  await of.picture('work-deputy');
  await page.locator('section', { hasText: 'Deputies' }).last().getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('only for Purchase').waitFor();
  const { deputies } = (await server.rest('GET', '/v1/people/ben/deputies')) as { deputies: { deputy: string; processes?: string[]; entry: number }[] };
  check('the entry is of the process', deputies[0]?.deputy === 'cara' && deputies[0].processes?.join() === 'Purchase', deputies);
  for (const { entry } of deputies) await server.rest('DELETE', `/v1/people/ben/deputies/${entry}`);
});

story('words of the list are in the box as in the address, and go nowhere else', async (scene) => {
  const { page } = await open(scene, 'anna');
  const box = page.getByRole('searchbox', { name: 'Find by words' });
  await box.fill('lamp');
  await page.waitForURL((url) => url.searchParams.get('q') === 'lamp');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Remove all filters' }).click();
  await page.waitForURL((url) => !url.searchParams.has('q'));
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.worklist input[type=search]')?.value === '');
  const places: string[] = [];
  page.on('framenavigated', (frame) => places.push(frame.url()));
  await box.pressSequentially('tab');
  await page.getByRole('link', { name: 'Cases', exact: true }).first().click();
  // What is typed there comes into the address after what was typed before.
  await page.getByLabel('Words of the title, or an id').fill('chair');
  await page.waitForURL((url) => url.pathname === '/cases' && url.searchParams.get('q') === 'chair');
  check('words typed before one has left are in no other list', !places.some((place) => place.includes('/cases?') && place.includes('q=tab')), places);
});

story('nobody is the deputy of themselves', async (scene) => {
  const { server } = scene;
  // The server makes the id of the record: it is not the user id.
  const user = `emil${Date.now()}`;
  await server.rest('POST', '/v1/people', { user, firstName: 'Emil', lastName: 'Ebert' });
  await server.addAccount(user, 'participant');
  const { page } = await open(scene, user, '/work/away');
  const field = page.getByLabel('Person');
  await field.click();
  await field.fill('cara');
  await page.getByRole('option', { name: /Cole/ }).waitFor();
  const own = page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === user);
  await field.fill(user);
  check('the search finds him', JSON.stringify(await (await own).json()).includes(user));
  await page.getByRole('option', { name: /Cole/ }).waitFor({ state: 'detached' });
  check('but he is not offered', (await page.getByRole('option', { name: /Ebert/ }).count()) === 0, await page.getByRole('option').allInnerTexts());
});

type Scene = Parameters<Parameters<typeof story>[1]>[0];
async function open(scene: Scene, account: string, address = '/work', view = {}) {
  const of = await scene.visitor(account, address, view);
  return { of, page: of.page };
}
