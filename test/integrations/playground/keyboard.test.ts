// The playground without a mouse: everything is reached and done by keys, the focus is seen and never lost, and what happens
// is announced.

import { fileURLToPath } from 'node:url';
import type { FileChooser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openAiConversation } from '../../service/playground/conversations.ts';
import { hasChromium, startLockedTrial, startTrial, type Trial, visit } from './browser.ts';

// Waits for a browser.
vi.setConfig({ testTimeout: 180_000 });

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../../fixtures/${path}`, import.meta.url));
const MOST_STOPS = 80;

interface Stop {
  /** Its label or text; empty where nothing has the focus. */
  readonly name: string;
  readonly outlined: boolean;
  /** All of it is inside the window and nothing lies over it. */
  readonly seen: boolean;
}

/** Scripts of the page are text: the types of a browser are not part of this program. */
const STOP = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return { name: '', outlined: false, seen: false };
  const drawn = at.classList.contains('covered') ? at.parentElement : at;
  const { outlineStyle, outlineWidth } = getComputedStyle(drawn);
  const { left, top, width, height } = drawn.getBoundingClientRect();
  const [x, y] = [left + Math.min(width, 40) / 2, top + Math.min(height, 20) / 2];
  const over = document.elementFromPoint(x, y);
  return {
    name: (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '').trim(),
    outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    seen: over !== null && (drawn.contains(over) || over.contains(drawn)),
  };
})()`;
const stop = (page: Page): Promise<Stop> => page.evaluate<Stop>(STOP);

/** Goes on by Tab to a stop that begins with `name`; each stop on the way must be seen. */
async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < MOST_STOPS; presses++) {
    await page.keyboard.press(key);
    const at = await stop(page);
    if (at.name === '') continue; // the browser itself has the focus between the last stop and the first
    expect(at).toEqual({ name: at.name, outlined: true, seen: true });
    if (at.name.startsWith(name)) return;
  }
  throw new Error(`${key} does not reach ${name}.`);
}

async function nameOfFocus(page: Page): Promise<string> {
  const { name } = await stop(page);
  return name;
}

const settled = (page: Page): Promise<void> => page.locator('main[aria-busy=false] .seen').waitFor();
const announced = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor();

/** Opens the chooser by `key` and chooses in it. */
async function chooseBy(
  page: Page,
  key: 'Enter' | 'Space',
  files: Parameters<FileChooser['setFiles']>[0],
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press(key)]);
  await chooser.setFiles(files);
}

describe.runIf(hasChromium)('the playground by keyboard', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  it('files: choose, move between, change the request, copy, remove', async () => {
    const { page, end } = await visit(trial, { permissions: ['clipboard-read', 'clipboard-write'] });
    await tabTo(page, 'Choose files');
    await chooseBy(page, 'Space', ['tabular/orders.csv', 'text/guide.md'].map(fixture));
    await settled(page);
    await announced(page, '2 files read.');
    expect(await nameOfFocus(page)).toBe('orders.csv');

    await tabTo(page, 'Add files', 'Shift+Tab');
    await chooseBy(page, 'Enter', fixture('structured/orders.json'));
    await announced(page, '3 files read.');
    expect(await nameOfFocus(page)).toBe('Add files');
    for (const name of ['orders.csv', 'guide.md', 'orders.json']) {
      await tabTo(page, name);
      await page.keyboard.press(name === 'guide.md' ? 'Space' : 'Enter');
      expect(await page.locator('#file-title').textContent()).toBe(name);
      expect(await nameOfFocus(page)).toMatch(new RegExp(`^${name}`));
    }

    await tabTo(page, 'Remove guide.md', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await announced(page, '2 files read.');
    expect(await nameOfFocus(page)).toMatch(/^orders\.json/);

    await tabTo(page, 'Budget');
    await page.keyboard.type('700');
    await page.keyboard.press('Enter');
    await announced(page, '2 files read.');
    expect(await nameOfFocus(page)).toBe('Budget');
    expect(await page.locator('.measure').textContent()).toContain('of 700');
    await tabTo(page, 'Overflow');
    // Each choice reads again; the next key comes when that is done, as from a person.
    const overflow = page.getByLabel('Overflow');
    for (let presses = 0; presses < 5 && (await overflow.inputValue()) !== 'outline'; presses++) {
      await page.keyboard.press('ArrowDown');
      await page.locator('main[aria-busy=false]').waitFor();
    }
    expect(await overflow.inputValue()).toBe('outline');
    await announced(page, '2 files read.');
    expect(await nameOfFocus(page)).toContain('Overflow');

    await tabTo(page, 'curl');
    await page.keyboard.press('Space');
    await tabTo(page, 'Copy');
    await page.keyboard.press('Enter');
    await announced(page, 'Copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl http');
    expect(await nameOfFocus(page)).toBe('Copy');

    await tabTo(page, 'Remove orders.json', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await announced(page, '1 file read.');
    await tabTo(page, 'Remove orders.csv');
    await page.keyboard.press('Space');
    await page.locator('.drop').waitFor();
    expect(await nameOfFocus(page)).toContain('Choose files');
    await end();
  });

  it('parts: next, back, all', async () => {
    const { page, end } = await visit(trial);
    await tabTo(page, 'orders.csv');
    await page.keyboard.press('Enter');
    await settled(page);
    expect(await nameOfFocus(page)).toBe('orders.csv');
    await tabTo(page, 'Next part');
    await page.keyboard.press('Enter');
    await announced(page, 'Part 2 shown.');
    expect(await nameOfFocus(page)).toBe('Next part');
    await page.keyboard.press('Space');
    await announced(page, 'Part 3 shown.');
    await tabTo(page, 'Back', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await announced(page, 'Part 2 shown.');
    await page.keyboard.press('Enter');
    await announced(page, 'Part 1 shown.');
    expect(await nameOfFocus(page)).toBe('Back');
    await tabTo(page, 'Keep earlier parts');
    await page.keyboard.press('Space');
    expect(await page.getByLabel('Keep earlier parts').isChecked()).toBe(true);
    await tabTo(page, 'Text');
    await page.keyboard.press('PageDown');
    const scrolled = () => page.evaluate<number>("document.querySelector('.seen').scrollTop");
    await expect.poll(scrolled).toBeGreaterThan(0);
    await tabTo(page, 'Start over', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('.drop').waitFor();
    expect(await nameOfFocus(page)).toContain('Choose files');
    await end();
  });

  it('a conversation: change the preset, open a message, follow the link to its digest', async () => {
    const { page, end } = await visit(trial, { viewport: { width: 360, height: 740 } });
    const buffer = Buffer.from(JSON.stringify(openAiConversation()));
    await tabTo(page, 'Choose files');
    await chooseBy(page, 'Enter', { name: 'lock.json', mimeType: 'application/json', buffer });
    await announced(page, 'Compacted from');
    expect(await nameOfFocus(page)).toBe('lock.json');
    await tabTo(page, 'Context window');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('12000');
    await page.keyboard.press('Enter');
    await announced(page, 'Compacted from');
    expect(await nameOfFocus(page)).toContain('Context window');
    await tabTo(page, '2removed');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent.').waitFor();
    await tabTo(page, 'The digest');
    await page.keyboard.press('Enter');
    await tabTo(page, '+added');
    await page.keyboard.press('Space');
    await page.getByText('A digest that covers messages').waitFor();
    await end();
  });
});

describe.runIf(hasChromium)('the key form by keyboard', () => {
  let trial: Trial & { readonly key: string };
  beforeAll(async () => {
    trial = await startLockedTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  it('accepts a key, and moves the focus to the file chooser', async () => {
    const { page, end } = await visit(trial, {}, ['/v1/formats', '/v1/limits']);
    await page.getByLabel(/requires an API key/).waitFor();
    await tabTo(page, 'This server requires an API key');
    await page.keyboard.type(trial.key);
    await page.keyboard.press('Enter');
    await page.locator('form.key').waitFor({ state: 'detached' });
    expect(await nameOfFocus(page)).toContain('Choose files');
    await announced(page, 'The key was accepted.');
    await end();
  });
});
