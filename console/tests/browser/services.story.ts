// SPDX-License-Identifier: Apache-2.0
// Services and subscriptions are registered, paused, changed and removed.
import { served } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('services');

interface Service { name: string; documentation?: string; paused?: { reason?: string } }

story('an administrator registers a service, pauses, changes and removes it', async (scene) => {
  const { server } = scene;
  const name = `press${Date.now()}`;
  const show = async () => (await server.rest('GET', `/v1/services/${name}`)) as Service;
  const visitor = await scene.visitor('admin', '/services');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Add service' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('URI').fill(`https://press.example.org/${name}`);
  await form.getByLabel('Description').fill('Prints <b>cards</b>');
  await form.getByLabel('Secret').fill('sixteen bytes and more');
  await form.getByLabel('Longest delay').fill('soon');
  await accessible(visitor, 'the form of a service');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').waitFor();
  await accessible(visitor, 'the form of a service that is refused');
  await form.getByLabel('Longest delay').fill('PT5M');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name }).waitFor();
  check('it is in the store', (await show()).documentation === 'Prints <b>cards</b>', await show());
  await page.getByText('Prints <b>cards</b>').waitFor();
  check('its secret is not shown', (await page.getByText('sixteen bytes').count()) === 0);
  await accessible(visitor, 'a service');

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByLabel('Reason').fill('out of paper');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByText('out of paper').waitFor();
  check('it is paused in the store', (await show()).paused?.reason === 'out of paper', await show());
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('out of paper').waitFor({ state: 'detached' });
  check('it is resumed in the store', (await show()).paused === undefined);

  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByLabel('Description').fill('Prints maps');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Prints maps').waitFor();
  check('it is changed in the store', (await show()).documentation === 'Prints maps');
  await page.getByRole('link', { name: 'Services', exact: true }).last().click();
  await page.getByRole('cell', { name }).first().waitFor();
  await accessible(visitor, 'the list of services');
  await visitor.picture('services');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.waitForURL('**/services');
  check('it is removed', await show().then(() => false, (error: unknown) => String(error).includes(': 404 ')));
});

story('a service is asked whether it answers', async (scene) => {
  const { server } = scene;
  await server.rest('PUT', '/v1/services/silent', { uri: 'http://127.0.0.1:9/silent', kind: 'push', secret: 'sixteen bytes and more' });
  await server.rest('PUT', '/v1/services/desk', { uri: 'urn:desk', kind: 'pull' });
  const visitor = await scene.visitor('otto', '/services/silent');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const panel = page.getByRole('status').filter({ has: page.getByRole('heading', { name: 'Test call' }) });
  await panel.getByText('does not pass').waitFor();
  await panel.getByText('Request').click();
  await panel.getByText('"event":"test"').waitFor();
  await accessible(visitor, 'a test call');
  await visitor.picture('test-call');
  await page.goto(`${new URL(page.url()).origin}/services/desk`);
  const button = page.getByRole('button', { name: 'Test', exact: true });
  await button.waitFor();
  check('what workers claim is called by nobody', (await button.getAttribute('aria-disabled')) === 'true');
});

story('who has items of a service is seen with the lease', async (scene) => {
  const { server } = scene;
  const name = `places${Date.now()}`;
  await server.rest('PUT', `/v1/services/${name}`, { uri: `urn:${name}`, kind: 'pull', timeout: 'PT600S' });
  await server.rest('POST', '/v1/specifications', served(name, `urn:${name}`));
  for (let i = 0; i < 3; i++) await server.startCase(name);
  const { items } = (await server.rest('POST', '/v1/items:claim', { service: name, count: 1, wait: 'PT10S' })) as { items: { item: string }[] };
  const visitor = await scene.visitor('rita', `/services/${name}`);
  const { page } = visitor;
  await page.getByRole('cell', { name: items[0]!.item }).waitFor();
  await page.getByRole('heading', { name: 'Workers' }).waitFor();
  await accessible(visitor, 'a service with leases');
  await visitor.picture('service');
  for (const button of ['Test', 'Pause', 'Change', 'Remove']) check(`a reader has no button ${button}`, (await page.getByRole('button', { name: button, exact: true }).count()) === 0);
});

story('a subscription is added, its secret shown once, paused and removed', async (scene) => {
  const { server } = scene;
  const name = `night${Date.now()}`;
  const show = async () => (await server.rest('GET', `/v1/subscriptions/${name}`)) as { state: string; events: string[] };
  await server.rest('PUT', '/v1/services/pager', { uri: 'https://pager.example.org/', kind: 'push', secret: 'sixteen bytes and more' });
  const visitor = await scene.visitor('admin', '/services?tab=subscriptions', { theme: 'dark' });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Add subscription' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('URL').fill('https://hooks.example.org/weft');
  for (const event of ['case completed', 'case cancelled', 'case deadlocked']) await form.getByLabel(event).uncheck();
  await accessible(visitor, 'the form of a subscription');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This is the only time that the secret is shown.').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  check('it is in the store, with its events', (await show()).events.join() === 'incident_opened,worker_lost', await show());
  await page.getByRole('cell', { name }).first().waitFor();
  await accessible(visitor, 'the list of subscriptions');
  await visitor.picture('subscriptions-dark');
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('row', { name }).getByText('Paused').waitFor();
  check('it is paused in the store', (await show()).state === 'paused');
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('cell', { name }).first().waitFor({ state: 'detached' });
  check('it is removed', (await show().catch(() => undefined)) === undefined);
});
