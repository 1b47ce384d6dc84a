// Debian's Chromium on a page of the real service, with everything recorded that a visitor must never see.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type AxeCore from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  createKeyStore,
  makeKey,
  openDatabase,
  type Service,
  startService,
} from '../../../src/service/index.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Without it, the tests of the page are left out and say so. */
export const hasChromium: boolean = existsSync(CHROMIUM);

export interface Trial {
  readonly service: Service;
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function startTrial(environment: Readonly<Record<string, string>> = {}): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-playground-'));
  return await trialIn(folder, environment);
}

/** A service that asks for a key, and the key. */
export async function startLockedTrial(): Promise<Trial & { readonly key: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-playground-'));
  const database = await openDatabase(join(folder, 'service'));
  const { key, id, hash } = makeKey();
  const keys = await createKeyStore(database);
  await keys.add({
    id,
    hash,
    user: 'visitor',
    scopes: ['read'],
    label: '',
    createdAt: new Date().toISOString(),
    expiresAt: null,
    revokedAt: null,
  });
  await database.close();
  return { ...(await trialIn(folder, {})), key };
}

async function trialIn(folder: string, environment: Readonly<Record<string, string>>): Promise<Trial> {
  const service = await startService({ dataDir: folder, port: 0, environment });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    service,
    browser,
    close: async () => {
      await browser.close();
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface Visit {
  readonly page: Page;
  /** Fails on console errors, violations of the content security policy, and requests to other origins. */
  end(): Promise<void>;
}

/** Opens the page. `refused` are answers with an error status that the test expects, by path. */
export async function visit(
  { service, browser }: Trial,
  options: BrowserContextOptions = {},
  refused: readonly string[] = [],
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => {
    const expected = refused.some((path) => message.location().url.endsWith(path));
    if (message.type() === 'error' && !expected) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== service.url && !['blob:', 'data:'].includes(url.protocol)) trouble.push(request.url());
  });
  // A chooser is only handed to the test once somebody listens, which takes the browser a moment to learn.
  page.on('filechooser', () => undefined);
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return {
    page,
    end: async () => {
      const picture = process.env['PLAYGROUND_SCREENSHOTS'];
      if (picture) {
        const name = `${expect.getState().currentTestName?.replace(/\W+/g, '-')}.png`;
        await page.screenshot({ path: join(picture, name), fullPage: true });
      }
      await context.close();
      expect(trouble).toEqual([]);
    },
  };
}

const axePath: string = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds on the page as it is now. Its script comes in through the debugger, past the page's own policy. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const { readFile } = await import('node:fs/promises');
  await page.evaluate(await readFile(axePath, 'utf8'));
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof AxeCore }; // set by the script above
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  });
}
