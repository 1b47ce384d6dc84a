// The playground in a browser, against the real service.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeFindings, hasChromium, startTrial, type Trial, visit } from './browser.ts';

// Waits for a browser.
vi.setConfig({ testTimeout: 180_000 });

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../../fixtures/${path}`, import.meta.url));
const DIST = fileURLToPath(new URL('../../../dist/playground', import.meta.url));

const choose = async (page: Page, ...paths: string[]): Promise<void> => {
  await page.locator('input[type=file]').setInputFiles(paths.map(fixture));
  await page.locator('#file-title').waitFor();
};
const settled = (page: Page) => page.locator('main[aria-busy=false] .seen').waitFor();

if (!hasChromium) console.warn('Chromium is not installed: the tests of the playground are left out.');

describe.runIf(hasChromium)('the playground', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  it('start screen', async () => {
    const { page, end } = await visit(trial);
    expect(await page.getByRole('button', { name: 'orders.csv' }).isVisible()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('a CSV: text, coverage, and the next part by cursor', async () => {
    const { page, end } = await visit(trial);
    await page.getByRole('button', { name: 'orders.csv' }).click();
    await settled(page);
    const gap = (await page.locator('.seen .note').first().textContent()) ?? '';
    const [, row = ''] = /rows (\d+)-\d+ left out/.exec(gap) ?? [];
    expect(await page.getByRole('img', { name: /rows 1–[\d,]+, [\d,]+–5,000 of 5,000/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Next part' }).click();
    await page.getByText('Part 2', { exact: true }).waitFor();
    expect(await page.locator('.seen').textContent()).toContain(`\n${row},Customer`);
    await page.getByLabel('Keep earlier parts').check();
    expect(await page.locator('.seen').textContent()).toContain('\n1,Customer');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Part 1', { exact: true }).waitFor();
    await end();
  });

  it('a document: its contents and what is found in it lead to places', async () => {
    const { page, end } = await visit(trial);
    await choose(page, 'documents/gauges.pdf');
    await settled(page);
    await page
      .getByRole('list', { name: 'Contents' })
      .getByRole('button', { name: /#table=1/ })
      .click();
    await page.getByText('Shown: #table=1').waitFor();
    await settled(page);
    expect(await page.locator('.seen pre').textContent()).toMatch(/^Gauge,Morning,Evening\n/);
    expect(await page.locator('.code pre').textContent()).toContain("'gauges.pdf#table=1'");
    await page.getByRole('button', { name: 'Back to the start' }).click();
    await page.locator('.seen', { hasText: 'Floods' }).waitFor();
    await page.getByLabel('Find in this file').fill('WATER');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.getByRole('list', { name: 'Lines found' });
    await found.waitFor();
    expect(await found.locator('mark').first().textContent()).toBe('water');
    expect(await page.locator('.seen mark').first().textContent()).toBe('water');
    expect(await axeFindings(page)).toEqual([]);
    await found.getByRole('button').first().click();
    await page.getByText(/^Shown: #page=/).waitFor();
    await page.getByLabel('Find in this file').fill('');
    await page.getByRole('list', { name: 'Contents' }).waitFor();
    await end();
  });

  it('a PDF: pages as tiles, and a request for one page', async () => {
    const { page, end } = await visit(trial);
    await choose(page, 'documents/gauges.pdf');
    await settled(page);
    expect(await page.locator('.tiles .shown').count()).toBe(2);
    await page.getByLabel('Pages', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.locator('.tiles .left-out').waitFor();
    expect(await page.locator('.seen').textContent()).not.toContain('# River gauges');
    expect(await page.locator('.code pre').textContent()).toBe('lectern read --pages=2 gauges.pdf');
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('an image', async () => {
    const { page, end } = await visit(trial);
    await choose(page, 'image/photo.jpg');
    const image = page.getByRole('img', { name: 'photo.jpg, as the model receives it' });
    await image.waitFor();
    // Scripts of the page are text: the types of a browser are not part of this program.
    expect(
      await page.evaluate(
        "document.querySelector('.media img').decode().then(() => document.querySelector('.media img').naturalWidth)",
      ),
    ).toBe(160);
    await page
      .getByText(/^Text only. As an attachment: [\d,]+ for Anthropic, [\d,]+ for OpenAI, [\d,]+ for Gemini.$/)
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('a recording', async () => {
    const { page, end } = await visit(trial);
    await choose(page, 'audio/tone.mp3');
    await page.locator('audio').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('an error with its hint', async () => {
    const { page, end } = await visit(trial, {}, ['/v1/read']);
    await page.getByRole('button', { name: 'orders.csv' }).click();
    await settled(page);
    await page.getByLabel('Rows', { exact: true }).fill('many');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    const problem = page.getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).toContain('BAD_INPUT');
    expect(await problem.textContent()).toContain('What to do:');
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('four files under one budget', async () => {
    const { page, end } = await visit(trial);
    await choose(
      page,
      'tabular/orders.csv',
      'documents/gauges.pdf',
      'structured/orders.json',
      'text/guide.md',
    );
    await settled(page);
    expect(await page.locator('.files li').count()).toBe(4);
    expect(
      await page.getByRole('img', { name: /^Shared budget: orders\.csv \d+ tokens, .* of 5000\.$/ }).count(),
    ).toBe(1);
    await page.getByRole('button', { name: /^orders\.json/ }).click();
    expect(await page.locator('#file-title').textContent()).toBe('orders.json');
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('a conversation: what compaction keeps and removes', async () => {
    const { page, end } = await visit(trial);
    await page.getByRole('button', { name: 'conversation.json' }).click();
    await page.locator('.messages').waitFor();
    expect(await page.locator('.is-kept').count()).toBeGreaterThan(2);
    expect(await page.locator('.is-removed').count()).toBeGreaterThan(2);
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('code is copied', async () => {
    const { page, end } = await visit(trial, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'handbook.md' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `curl ${trial.service.url}/v1/read \\\n  -F file=@handbook.md`,
    );
    await end();
  });

  it('dark by system setting, light by choice', async () => {
    const { page, end } = await visit(trial, { colorScheme: 'dark' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.getByRole('button', { name: 'orders.csv' }).click();
    await settled(page);
    expect(await ground()).toBe('rgb(20, 21, 23)');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    expect(await ground()).toBe('rgb(247, 247, 245)');
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    await end();
  });

  it('text is pasted', async () => {
    const { page, end } = await visit(trial);
    await page.evaluate(`
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'one\\ntwo\\n');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    `);
    await settled(page);
    expect(await page.locator('.seen').textContent()).toBe('one\ntwo\n');
    await end();
  });
});

it('the page weighs less than 60 KB compressed', () => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const weight = files.reduce(
    (sum, { parentPath, name }) => sum + gzipSync(readFileSync(`${parentPath}/${name}`)).length,
    0,
  );
  expect(weight).toBeLessThan(60 * 1024);
});
