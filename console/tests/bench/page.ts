// SPDX-License-Identifier: Apache-2.0
// What the page costs who opens it: bytes, time until it can be used, and the
// frames of a large net.
import { Visitor } from '../browser/visitor';
import type { Server } from '../browser/server';
import { median, report, type Options } from './figures';
import { large } from './nets';

interface View {
  name: string;
  address: string;
  /** What is drawn when it can be used. */
  what: string;
}

async function views(server: Server): Promise<View[]> {
  const id = await server.startCase('BusinessTrip', undefined, 'a trip');
  return [
    // A task of the case that is enabled, in its picture.
    { name: 'a case', address: `/cases/${id}`, what: '.picture-canvas .p-mark:is(.enabled, .offered) .p-tint' },
    // The item of it that waits.
    { name: 'the overview', address: '/overview', what: `main a[href*="/cases/${id}"]` },
  ];
}

/** index.html and all files that are fetched until the view is drawn. */
export async function size(server: Server): Promise<void> {
  for (const { name, address, what } of await views(server)) {
    const visitor = await Visitor.as(server, 'admin', '/about');
    const { page } = visitor;
    const files: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === address || pathname.startsWith('/assets/')) files.push(request.sizes().then((sizes) => sizes.responseBodySize));
    });
    await page.goto(server.base + address);
    await page.locator(what).first().waitFor({ state: 'attached' });
    const sizes = await Promise.all(files);
    await visitor.leave();
    if (sizes.length < 3) throw new Error(`only ${sizes.length} files were fetched`);
    report(`size, ${name}`, sizes.reduce((a, b) => a + b, 0) / 1000, 'kB of the first load, compressed', { most: 150 }, `${sizes.length} files`);
  }
}

/** Ms from the navigation until an element is drawn, with nothing in the cache. */
async function readyAfter(server: Server, address: string, what: string): Promise<number> {
  const visitor = await Visitor.as(server, 'admin', '/about');
  const { page } = visitor;
  await page.addInitScript((selector) => {
    const seek = () => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      // Behind the frame that shows it.
      requestAnimationFrame(() => requestAnimationFrame(() => { console.debug(`drawn ${performance.now()}`); }));
    };
    const observer = new MutationObserver(seek);
    observer.observe(document, { childList: true, subtree: true, attributeFilter: ['class'] });
  }, what);
  const session = await visitor.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  // Asking again and again would take time of the page: the page says it once.
  const drawn = page.waitForEvent('console', (message) => message.text().startsWith('drawn '));
  await page.goto(server.base + address, { waitUntil: 'commit' });
  const after = Number((await drawn).text().split(' ')[1]);
  await visitor.leave();
  return after;
}

export async function ready(server: Server, { rounds }: Options): Promise<void> {
  for (const { name, address, what } of await views(server)) {
    const times: number[] = [];
    for (let i = 0; i < rounds; i++) times.push((await readyAfter(server, address, what)) / 1000);
    report(`ready, ${name}`, median(times), 's until it is drawn, four times slower', { most: 1 }, `from ${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`);
  }
}

type Motion = 'pan' | 'zoom';

/** Moves the picture once in each frame; the lengths of the frames. */
async function moved(visitor: Visitor, motion: Motion, milliseconds: number): Promise<number[]> {
  return visitor.page.evaluate(([motion, milliseconds]) => new Promise<number[]>((resolve) => {
    const view = document.querySelector<HTMLElement>('.picture-view')!;
    const box = view.getBoundingClientRect();
    const x = box.x + box.width / 2;
    const y = box.y + box.height / 2;
    // Made by a program, a pointer cannot be captured.
    view.setPointerCapture = () => undefined;
    const pointer = (type: string, clientX: number, clientY: number) =>
      view.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, buttons: type === 'pointerup' ? 0 : 1, clientX, clientY }));
    const lengths: number[] = [];
    let first = 0;
    let last = 0;
    const frame = (now: number) => {
      if (first === 0) first = now;
      else lengths.push(now - last);
      last = now;
      const i = lengths.length;
      if (now - first > milliseconds) {
        if (motion === 'pan') pointer('pointerup', x, y);
        resolve(lengths);
        return;
      }
      if (motion === 'pan') pointer('pointermove', x + 300 * Math.sin(i / 15), y + 100 * Math.cos(i / 15));
      else view.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: Math.sin(i / 20) > 0 ? -30 : 30, clientX: x, clientY: y }));
      requestAnimationFrame(frame);
    };
    if (motion === 'pan') pointer('pointerdown', x, y);
    requestAnimationFrame(frame);
  }), [motion, milliseconds] as const);
}

export async function frames(server: Server, { seconds }: Options): Promise<void> {
  const loaded = (await server.rest('POST', '/v1/specifications', large)) as { specifications: { key: string }[] };
  const visitor = await Visitor.as(server, 'admin', `/processes/${loaded.specifications[0]!.key}`, { motion: 'no-preference' });
  const { page } = visitor;
  await page.locator('.picture-canvas .p-task').nth(299).waitFor({ state: 'attached' });
  const place = () => page.locator('.picture-canvas').evaluate((canvas) => canvas.getAttribute('style'));
  for (const [key, at] of [['f', 'all of it'], ['1', 'at 100 %']] as const) {
    for (const motion of ['pan', 'zoom'] as const) {
      await page.locator('.picture-view').focus();
      await page.keyboard.press(key);
      await page.waitForTimeout(600);
      const before = await place();
      const lengths = await moved(visitor, motion, seconds * 1000);
      if ((await place()) === before) throw new Error(`the picture does not ${motion}`);
      const total = lengths.reduce((a, b) => a + b, 0);
      const long = lengths.filter((length) => length > 20).length;
      report(`frames, ${motion} ${at}`, (lengths.length / total) * 1000, 'a second, of a net of 300 tasks', { least: 50 }, `${((100 * long) / lengths.length).toFixed(1)} % took over 20 ms`);
    }
  }
  await visitor.leave();
}
