// A conversation in the playground: what becomes of each message, and the way back to what was taken.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anthropicConversation, openAiConversation } from '../../service/playground/conversations.ts';
import { axeFindings, hasChromium, startTrial, type Trial, visit } from './browser.ts';

// Waits for a browser.
vi.setConfig({ testTimeout: 180_000 });

async function hand(page: Page, name: string, value: unknown): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(value));
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer });
  await page.locator('main[aria-busy=false] .messages').waitFor();
}

async function compactBy(page: Page, preset: string, window: string, session: string): Promise<void> {
  await page.getByLabel('Context window (tokens)').fill(window);
  await page.getByLabel('Keep originals in session').fill(session);
  await page.getByLabel('Preset').selectOption(preset);
  await page.getByText('Compacted from').waitFor();
  await page.locator('main[aria-busy=false] .messages').waitFor();
}

describe.runIf(hasChromium)('a conversation in the playground', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial();
  });
  afterAll(async () => {
    await trial.close();
  });

  it('of OpenAI Chat: each cleared tool result with its placeholder and its original', async () => {
    const { page, end } = await visit(trial);
    const messages = openAiConversation();
    await hand(page, 'lock.json', messages);
    await compactBy(page, 'duragent', '30000', 'lock');
    await page.locator('.is-replaced').first().waitFor();
    expect(await page.locator('.is-removed').count()).toBe(0);
    expect(await page.locator('.messages li').count()).toBe(messages.length);
    const first = page.locator('.is-replaced').first();
    expect(await first.locator('.original').textContent()).toContain('export const level0');
    expect(await first.locator('.sent').textContent()).toMatch(
      /^\[history: result of read_file left out, ~\d/,
    );
    await first.locator('summary').click();
    const opened = await first.locator('.opened').textContent();
    expect(opened).toMatch(/Replaces the original, about [\d,]+ tokens/);
    const path = (await first.locator('.opened code').last().textContent())?.replace(/^GET /, '') ?? '';
    expect(path).toMatch(/^\/v1\/workspaces\/lock\/files\//);
    const original = await fetch(`${trial.service.url}${path}`);
    expect(original.status).toBe(200);
    expect(await original.text()).toContain('export const level59');
    expect(await axeFindings(page)).toEqual([]);
    await end();
  });

  it('of Anthropic: replaced results, and removed messages with the digest that covers them', async () => {
    const { page, end } = await visit(trial);
    await hand(page, 'lock.json', anthropicConversation());
    expect(await page.locator('.headline').textContent()).toContain('anthropic');
    const digest = page.locator('.is-added');
    expect(await digest.locator('.sent').textContent()).toMatch(/^\[history: \d+ earlier messages left out/);
    await digest.locator('summary').click();
    expect(await digest.locator('.opened').textContent()).toMatch(
      /A digest that covers messages 2–\d+, about/,
    );
    const removed = page.locator('.is-removed').first();
    expect(await removed.locator('.number').textContent()).toBe('2');
    await removed.locator('summary').click();
    expect(await removed.locator('.opened').textContent()).toContain(
      'The originals are not kept on the server',
    );
    await removed.getByRole('link', { name: 'The digest' }).click();
    expect(await page.evaluate('location.hash.slice(1)')).toBe(await digest.getAttribute('id'));
    expect(await axeFindings(page)).toEqual([]);
    await compactBy(page, 'duragent', '30000', '');
    await page.locator('.is-replaced').first().waitFor();
    expect(await page.locator('.is-added').count()).toBe(0);
    await end();
  });
});
