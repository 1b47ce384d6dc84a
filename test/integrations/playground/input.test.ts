// Files as they come into the playground: dropped, pasted, empty, big, and with names that mean harm.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasChromium, startTrial, type Trial, visit } from './browser.ts';

// Waits for a browser.
vi.setConfig({ testTimeout: 180_000 });

/** A script that drops or pastes files, given as name and content. */
const hand = (event: 'drop' | 'paste', files: readonly (readonly [string, string])[]): string => `{
  const data = new DataTransfer();
  for (const [name, text] of ${JSON.stringify(files)}) data.items.add(new File([text], name));
  document.querySelector('main').dispatchEvent(${
    event === 'drop'
      ? "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
      : "new ClipboardEvent('paste', { clipboardData: data, bubbles: true })"
  });
}`;

const HOSTILE = [
  '<img src=x onerror=globalThis.harmed=1>.txt',
  '"><script>globalThis.harmed=1</script>.txt',
  'invoice\u202Efdp.txt',
  "'; rm -rf ~ #.txt",
];
const MARKUP = '<img src=x onerror="globalThis.harmed=1"><b>bold</b><script>globalThis.harmed=1</script>\n';

describe.runIf(hasChromium)('input of the playground', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  for (const event of ['drop', 'paste'] as const)
    it(`by ${event}, several at once`, async () => {
      const { page, end } = await visit(trial);
      await page.evaluate(
        hand(event, [
          ['one.txt', 'first\n'],
          ['two.csv', 'a,b\n1,2\n'],
        ]),
      );
      await page.locator('main[aria-busy=false] .seen').waitFor();
      expect(await page.locator('.file-name').allTextContents()).toEqual(['one.txt', 'two.csv']);
      expect(await page.locator('.seen').textContent()).toBe('==> one.txt <==\nfirst\n');
      await end();
    });

  it('escapes names and content', async () => {
    const { page, end } = await visit(trial);
    await page.evaluate(
      hand(
        'drop',
        HOSTILE.map((name) => [name, MARKUP] as const),
      ),
    );
    await page.locator('main[aria-busy=false] .seen').waitFor();
    for (const name of HOSTILE) {
      await page.locator('.file', { hasText: name }).click();
      expect(await page.locator('#file-title').textContent()).toBe(name);
      expect(await page.locator('.seen').textContent()).toContain(MARKUP);
      for (const language of ['CLI', 'TypeScript', 'curl', 'MCP'])
        await page.getByRole('button', { name: language, exact: true }).click();
    }
    expect(await page.locator('#app img, #app script, #app b').count()).toBe(0);
    expect(await page.evaluate('globalThis.harmed')).toBeUndefined();
    await end();
  });

  it('an empty file', async () => {
    const { page, end } = await visit(trial);
    await page.evaluate(hand('drop', [['nothing.txt', '']]));
    await page.locator('main[aria-busy=false] article').waitFor();
    expect(await page.getByLabel('Warnings').or(page.getByRole('alert')).textContent()).toContain('EMPTY');
    await end();
  });

  it('a file of 20 MB', async () => {
    const { page, end } = await visit(trial);
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(['0123456789 abcdefghi\\n'.repeat(1000000)], 'big.txt'));
      document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    }`);
    await page.locator('main[aria-busy=false] .seen').waitFor({ timeout: 60_000 });
    expect(await page.locator('.facts').textContent()).toContain('21,000,000 bytes');
    expect(await page.getByRole('img', { name: /lines 1–\d+ of 1,000,000/ }).count()).toBe(1);
    await end();
  }, 90_000);

  it('a protected file, with its password', async () => {
    const { page, end } = await visit(trial, {}, ['/v1/read']);
    await page
      .locator('input[type=file]')
      .setInputFiles(
        fileURLToPath(new URL('../../../fixtures/protected/gauges-aes256.pdf', import.meta.url)),
      );
    const password = page.getByLabel('Password of the file');
    await password.fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('main[aria-busy=false] .problem').waitFor();
    await password.fill('reader');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('main[aria-busy=false] .seen').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('reader');
    await end();
  });

  it('a folder: the page asks for its files', async () => {
    const { page, end } = await visit(trial);
    // A script cannot make a transfer with a folder, so this one stands in for what a browser hands over.
    await page.evaluate(`{
      const drop = new Event('drop', { bubbles: true, cancelable: true });
      drop.dataTransfer = {
        items: [{ kind: 'file', webkitGetAsEntry: () => ({ isDirectory: true }) }], files: [], getData: () => '',
      };
      document.querySelector('main').dispatchEvent(drop);
    }`);
    await page.getByText('Drop the files of the folder instead.').waitFor();
    await end();
  });
});
