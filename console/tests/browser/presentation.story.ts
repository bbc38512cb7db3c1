// SPDX-License-Identifier: Apache-2.0
// How the main views are shown: in both themes, on narrow and wide screens, zoomed to
// 200 %, in both languages.  Nothing is wider than the window, no text is
// missing, and each combination leaves a picture.
import type { Page } from 'playwright-core';
import { en } from '../../src/text/en';
import { zh } from '../../src/text/zh';
import { fail, incidents } from './failing';
import type { Server } from './server';
import { accessible, chapter, check, story } from './story';
import type { Visitor } from './visitor';

chapter('presentation');

/** A view: its address, and what is there when it is shown whole. */
interface View { name: string; address: string; whole: string }

const titles = ['A lamp for the hall', 'Two chairs and a table for the meeting room on the second floor', 'Kabel für das Büro in Zürich', '给办公室的新椅子', 'طاولة جديدة للمكتب', 'Paper', 'A second screen for Ben'];

/** Cases in several states, work, incidents and services; the views of them. */
async function furnish(server: Server): Promise<View[]> {
  await server.addAccount('nora', 'admin');
  await server.rest('POST', '/v1/people', { user: 'nora', firstName: 'Nora', lastName: 'Nagel', roles: ['Employee'] });
  const purchases: string[] = [];
  for (const title of titles) purchases.push(await server.startCase('Purchase', undefined, title));
  const [own, late, suspended, cancelled] = purchases as [string, string, string, string];
  const { item } = (await server.rest('POST', `/v1/items/${own}:Ask/start`, {}, 'nora')) as { item: string };
  await server.rest('PATCH', `/v1/items/${late}:Ask`, { due: '2024-05-01T08:00:00Z', priority: 90 });
  await server.rest('POST', `/v1/cases/${suspended}/suspend`, { reason: 'The supplier is asked first' });
  await server.rest('POST', `/v1/cases/${cancelled}/cancel`, { reason: 'Bought by another team' });
  const trip = await server.startCase('BusinessTrip', undefined, 'To Rome by train');
  await server.rest('POST', `/v1/items/${trip}:Ask/complete`);
  for (let i = 0; i < 3; i++) await server.startCase('Withdrawal');
  await fail(server, 'Presented', 12);
  await server.rest('PUT', '/v1/services/printer', { uri: 'urn:presentation:printer', kind: 'pull', documentation: 'Prints the papers of a trip' });
  await server.rest('PUT', '/v1/services/ledger', { uri: 'http://127.0.0.1:9/ledger', kind: 'push', documentation: 'Keeps the ledger', secret: 'sixteen bytes and more' });
  const { groups } = (await server.rest('GET', '/v1/incidents/groups?specification=Presented')) as { groups: { group: string }[] };
  const { specifications } = (await server.rest('GET', '/v1/specifications?uri=Purchase')) as { specifications: { key: string }[] };
  const process = specifications[0]!.key;
  return [
    { name: 'overview', address: '/overview', whole: '.need, .attention li, main section' },
    { name: 'work', address: `/work/${item}`, whole: '.item form, .item-form' },
    { name: 'cases', address: '/cases', whole: 'role=cell' },
    { name: 'case', address: `/cases/${trip}`, whole: '.p-task' },
    { name: 'case-history', address: `/cases/${trip}?tab=history`, whole: '.case-steps li' },
    { name: 'processes', address: '/processes', whole: 'role=cell' },
    { name: 'process', address: `/processes/${process}`, whole: '.p-sign.heat' },
    { name: 'incidents', address: '/incidents', whole: '.group-row' },
    { name: 'incident-group', address: `/incidents?group=${groups[0]!.group}`, whole: '.detail >> role=cell' },
    { name: 'incident', address: `/incidents/${(await incidents(server, 'Presented'))[0]!.incident}`, whole: 'role=heading[level=1]' },
    { name: 'services', address: '/services', whole: 'role=cell' },
    { name: 'people', address: '/people/people', whole: 'role=cell' },
    { name: 'live', address: '/live', whole: 'role=heading[level=1]' },
    { name: 'server', address: '/server', whole: 'role=cell' },
  ];
}

/** All that the page says, also of what is only pointed at or read aloud. */
async function said(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
    for (const element of document.querySelectorAll('*'))
      for (const name of ['title', 'aria-label', 'placeholder', 'alt']) texts.push(element.getAttribute(name) ?? '');
    return [...new Set([document.title, ...texts].map((text) => text.trim()))];
  });
}

const keys = new Set<string>(Object.keys(en));

async function complete(page: Page, where: string): Promise<void> {
  const wrong = (await said(page)).filter((text) => keys.has(text) || /^(undefined|null|NaN|Invalid Date|\[object .*)$/.test(text));
  check(`${where}: no text is missing`, wrong.length === 0, wrong);
}

async function fits(page: Page, where: string): Promise<void> {
  const wide = await page.evaluate(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const main = document.querySelector('main');
    // What scrolls sideways by itself may be wider; its view may not.
    return { over, main: main ? main.scrollWidth - main.clientWidth : 0 };
  });
  check(`${where}: nothing is wider than the window`, wide.over <= 0 && wide.main <= 0, wide);
}

async function show(visitor: Visitor, view: View): Promise<void> {
  const { page } = visitor;
  await page.goto(visitor.server.base + view.address);
  await page.locator(view.whole).locator('visible=true').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Lets the page draw what has changed. */
const drawn = (page: Page) => page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

const phone = { width: 360, height: 740 };
const desk = { width: 1280, height: 800 };
// Zoomed to 200 %, a window of 1,280 px has room for 640.
const zoomed = { width: 640, height: 400 };
const sizes = [phone, zoomed, { width: 800, height: 900 }, desk, { width: 1920, height: 1080 }];

story('every main view in both themes, narrow, wide, zoomed, and in Chinese', async (scene) => {
  const views = await furnish(scene.server);
  const visitor = await scene.visitor('nora', '/overview');
  const { page } = visitor;
  for (const view of views) {
    await page.setViewportSize(desk);
    await show(visitor, view);
    await complete(page, view.name);
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await drawn(page);
        const where = `${view.name}-${theme}-${size.width}`;
        await fits(page, where);
        if (size === desk) await accessible(visitor, where);
        await visitor.picture(`view-${where}`);
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }

  await page.setViewportSize(desk);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByLabel('Language').selectOption('zh');
  await page.getByRole('navigation', { name: zh['frame.navigation'], exact: true }).waitFor();
  // A text that another language says otherwise is not said in English.
  const english = new Map<string, string>(Object.entries(en).filter(([key, text]) => zh[key as keyof typeof en] !== text && /^[A-Z][a-z]+ |…$/.test(text)).map(([key, text]) => [text, key]));
  for (const view of views) {
    await page.setViewportSize(desk);
    await show(visitor, view);
    await complete(page, `${view.name} in Chinese`);
    const foreign = (await said(page)).filter((text) => english.has(text));
    check(`${view.name}: nothing is said in English`, foreign.length === 0, foreign);
    await visitor.picture(`view-${view.name}-zh-1280`);
    await page.setViewportSize(phone);
    await drawn(page);
    await fits(page, `${view.name} in Chinese, 360`);
    await visitor.picture(`view-${view.name}-zh-360`);
  }
});
