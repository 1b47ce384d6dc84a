// The playground where it is used otherwise: with a key, on a narrow screen, enlarged; the page of the API beside it.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, hasChromium, startLockedTrial, startTrial, type Trial, visit } from './browser.ts';

const WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
const SCREENS = [
  ['360 pixels wide', { width: 360, height: 740 }],
  ['a laptop at 200 %', { width: 640, height: 400 }],
] as const;

describe.runIf(hasChromium)('the playground elsewhere', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({ MAX_TOKENS_PER_FILE: '700' });
  });
  afterAll(async () => {
    await trial.close();
  });

  for (const [name, viewport] of SCREENS)
    it(`${name}: nothing scrolls sideways`, async () => {
      const { page, end } = await visit(trial, { viewport });
      expect(await page.evaluate(WIDE)).toBe(false);
      await page.getByRole('button', { name: 'orders.csv' }).click();
      await page.locator('main[aria-busy=false] .seen').waitFor();
      expect(await page.evaluate(WIDE)).toBe(false);
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Start over' }).click();
      await page.getByRole('button', { name: 'conversation.json' }).click();
      await page.locator('.messages').waitFor();
      expect(await page.evaluate(WIDE)).toBe(false);
      expect(await axeFindings(page)).toEqual([]);
      await end();
    });

  it('shows the budget in force', async () => {
    const { page, end } = await visit(trial);
    await page.getByRole('button', { name: 'orders.csv' }).click();
    await page.locator('main[aria-busy=false] .seen').waitFor();
    expect(await page.locator('.measure').textContent()).toContain('of 700');
    await end();
  });

  it('can be used soon after it is asked for', async () => {
    const warm = await visit(trial);
    await warm.end();
    const { page, end } = await visit(trial);
    const milliseconds = await page.evaluate<number>("performance.getEntriesByName('usable')[0].startTime");
    console.info(`The playground is usable ${Math.round(milliseconds)} ms after navigation starts.`);
    expect(milliseconds).toBeLessThan(5000); // the goal is 300; a loaded machine needs room
    await end();
  });

  for (const [name, viewport] of [['wide', { width: 1280, height: 900 }], SCREENS[0]] as const)
    it(`the page of the API, ${name}`, async () => {
      const { page, end } = await visit(trial, { viewport });
      await page.goto(`${trial.service.url}/docs`);
      expect(await page.evaluate(WIDE)).toBe(false);
      expect(await axeFindings(page)).toEqual([]);
      await end();
    });
});

describe.runIf(hasChromium)('the playground of a service with keys', () => {
  let trial: Trial & { readonly key: string };
  beforeAll(async () => {
    trial = await startLockedTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  it('asks for a key, refuses a wrong one, and keeps the right one in memory only', async () => {
    const { page, end } = await visit(trial, {}, ['/v1/formats', '/v1/limits', '/v1/read']);
    const field = page.getByLabel(/asks for an API key/);
    await field.fill(`${trial.key.slice(0, -3)}abc`);
    await page.getByRole('button', { name: 'Use key' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('refused this key');
    expect(await axeFindings(page)).toEqual([]);
    await field.fill(trial.key);
    await page.getByRole('button', { name: 'Use key' }).click();
    await field.waitFor({ state: 'detached' });
    const file = fileURLToPath(new URL('../../../fixtures/text/guide.md', import.meta.url));
    await page.locator('input[type=file]').setInputFiles(file);
    await page.locator('main[aria-busy=false] .seen').waitFor();
    const stored =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
    expect(await page.evaluate(stored)).not.toContain(trial.key);
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
    await page.reload();
    await field.waitFor();
    await end();
  });
});
