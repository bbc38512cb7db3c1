// SPDX-License-Identifier: Apache-2.0
// A person at the page, in a real browser.  Whatever the browser complains of
// is a fault: errors, the content policy, requests to anywhere else.
import axe from 'axe-core';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Server } from './server';

/** Busy machines take many times as long as idle ones. */
const LONGEST_MS = Number(process.env["WEFT_LONGEST_MS"] ?? 180_000);
export const pictures = path.resolve(process.env['WEFT_PICTURES'] ?? 'pictures');

/** A name of the server that is not loopback to the browser. */
const PLAIN_HOST = 'weft.test';
const isPlain = (url: URL, base: string): boolean => url.host === `${PLAIN_HOST}:${new URL(base).port}`;

let browser: Browser | undefined;

export async function openBrowser(flags: string[] = []): Promise<Browser> {
  browser ??= await chromium.launch({
    executablePath: process.env['WEFT_CHROMIUM'] ?? '/usr/bin/chromium',
    args: [...flags, '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
      // An address that is not loopback to the browser: less is there without TLS.
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

// What Chromium itself says of an answer with a status of failure; what the
// page does about it is what the stories test.
const answered = /^Failed to load resource: (the server responded with a status of|net::ERR_)/;
// So Chromium says of each page without TLS that is not loopback.
const untrusted = /^The Cross-Origin-Opener-Policy header has been ignored, because the URL's origin was untrustworthy/;

export interface Setting {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: string;
  motion?: 'reduce' | 'no-preference';
}

export class Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly server: Server;
  readonly faults: string[] = [];

  private constructor(server: Server, context: BrowserContext, page: Page) {
    this.server = server;
    this.context = context;
    this.page = page;
    page.setDefaultTimeout(LONGEST_MS);
    page.on('console', (message) => {
      if (message.type() === 'error' && !answered.test(message.text()) && !untrusted.test(message.text())) this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && !server.nodes.some((node) => node.base === url.origin) && !this.origins.has(url.origin) && !server.nodes.some((node) => isPlain(url, node.base))) this.faults.push(`request to ${request.url()}`);
    });
    for (const node of server.nodes) this.origins.add(node.base);
  }

  private readonly origins = new Set<string>();

  static async come(server: Server, setting: Setting = {}): Promise<Visitor> {
    const context = await (await openBrowser()).newContext({
      viewport: { width: setting.width ?? 1280, height: setting.height ?? 800 },
      colorScheme: setting.theme ?? 'light',
      locale: setting.language ?? 'en-GB',
      timezoneId: 'Europe/Rome',
      reducedMotion: setting.motion ?? 'reduce',
    });
    return new Visitor(server, context, await context.newPage());
  }

  /** Comes with a session of the account, as if signed in before. */
  static async as(server: Server, account: string, address = '/', setting: Setting = {}, node = 0): Promise<Visitor> {
    const visitor = await Visitor.come(server, setting);
    const base = server.nodes[node]!.base;
    const response = await visitor.context.request.post(`${base}/v1/session`, { data: { token: server.tokens[account] } });
    if (!response.ok()) throw new Error(`sign-in of ${account}: ${response.status()} ${await response.text()}`);
    await visitor.page.goto(base + address);
    return visitor;
  }

  /** Where the first node is for who comes over the network without TLS. */
  get plain(): string {
    return this.server.base.replace(new URL(this.server.base).hostname, PLAIN_HOST);
  }

  /** What axe-core finds of the page as it is now, one line each. */
  async barriers(): Promise<string[]> {
    // In a world of its own, which the content policy of the page lets be.
    const session = await this.context.newCDPSession(this.page);
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
    await session.send('Runtime.evaluate', { contextId: executionContextId, expression: axe.source });
    const { result } = await session.send('Runtime.evaluate', {
      contextId: executionContextId, awaitPromise: true, returnByValue: true,
      expression: `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary)))`,
    });
    await session.detach();
    return result.value as string[];
  }

  /** Writes a picture of the page to the folder of the build. */
  async picture(name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: path.join(pictures, `${name}.png`), animations: 'disabled' });
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
