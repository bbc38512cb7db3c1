// SPDX-License-Identifier: Apache-2.0
// How long it takes from the commit of a step to its picture in an open page,
// while the server makes other steps.  Two tasks of the case take turns: the
// next item is completed when the page has drawn that it is enabled.
import type { Page } from 'playwright-core';
import type { Server } from '../browser/server';
import { Visitor } from '../browser/visitor';
import { pause, quantile, report, type Options } from './figures';
import { turns } from './nets';
import { complete, now, work } from './server-load';

interface Watched extends Window {
  drawn?: Promise<number>;
}

/** What to add to a time of the page to get one of this program. */
async function clockOf(page: Page): Promise<number> {
  let best = { took: Infinity, difference: 0 };
  for (let i = 0; i < 20; i++) {
    const before = now();
    const there = await page.evaluate(() => performance.timeOrigin + performance.now());
    const took = now() - before;
    if (took < best.took) best = { took, difference: before + took / 2 - there };
  }
  return best.difference;
}

/** Where the task is drawn that is enabled. */
const enabled = '.picture-canvas .p-mark:is(.enabled, .offered) .p-tint';

/** From now on the page waits for the task to be another one. */
async function watch(page: Page): Promise<void> {
  await page.evaluate((selector) => {
    const place = () => document.querySelector(selector)?.getAttribute('x');
    const before = place();
    (window as Watched).drawn = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        const present = place();
        if (present === undefined || present === before) return;
        observer.disconnect();
        // The frame behind the one that shows it: that one has been drawn.
        requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
      });
      observer.observe(document.querySelector('.picture-canvas')!, { subtree: true, childList: true, attributeFilter: ['x', 'class'] });
    });
  }, enabled);
}

export async function latency(server: Server, { steps, rate }: Options): Promise<void> {
  const loaded = (await server.rest('POST', '/v1/specifications', turns)) as { specifications: { key: string }[] };
  const id = await server.startCase(loaded.specifications[0]!.key);
  const visitor = await Visitor.as(server, 'admin', `/cases/${id}`, { motion: 'no-preference' });
  const { page } = visitor;
  await page.locator(enabled).waitFor({ state: 'attached' });
  await page.locator('.live-dot.on').waitFor();
  const difference = await clockOf(page);
  const fromAnswer: number[] = [];
  const fromSending: number[] = [];
  const rates: number[] = [];
  let over = false;
  const others = (async () => {
    while (!over) rates.push((await work(server, 5, rate)).perSecond);
  })();
  try {
    await pause(1000);
    for (let step = 0; step < steps; step++) {
      await watch(page);
      const { sent, answered } = await complete(server, `${id}:${step % 2 === 0 ? 'A' : 'B'}`);
      const drawn = (await page.evaluate(() => (window as Watched).drawn!)) + difference;
      fromAnswer.push(drawn - answered);
      fromSending.push(drawn - sent);
      await pause(20 + Math.random() * 200);
    }
  } finally {
    over = true;
    await others;
  }
  await visitor.leave();
  const line = (values: readonly number[]) => `p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms`;
  report('latency', quantile(fromAnswer, 0.99), 'ms from the commit of a step to its picture, for 99 %', { most: 150 },
    `n ${fromAnswer.length}; from the answer of the command ${line(fromAnswer)}, from its sending ${line(fromSending)}; beside ${(rates.reduce((a, b) => a + b, 0) / rates.length).toFixed(0)} steps a second of ${rate} of other cases`);
}
