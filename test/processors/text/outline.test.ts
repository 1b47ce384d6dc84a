import { expect, it } from 'vitest';
import { text } from '../../../processors/text/text.ts';
import { memorySource, testContext } from '../../support/context.ts';

async function outlineOf(
  content: string,
  name: string,
): Promise<{ text: string; lines: number | undefined }> {
  const context = testContext();
  let shown = '';
  for await (const part of text.outline?.(memorySource(content, name), context) ?? [])
    if (part.kind === 'text') shown += part.text;
  return { text: shown, lines: context.wholes.find(({ unit }) => unit === 'line')?.of };
}

it('numbers headings and declarations, and counts all lines though it stops early', async () => {
  const many = Array.from({ length: 60_000 }, (_, i) => `## Section ${i}\n`).join('');
  const { text: shown, lines } = await outlineOf(many, 'a.md');
  expect(shown).toMatch(/^1: ## Section 0\n2: ## Section 1\n/);
  expect(lines).toBe(60_000);
});

it('knows files that end their lines with CR only', async () => {
  expect(await outlineOf('# One\rtext\r# Two\r', 'a.md')).toEqual({ text: '1: # One\n3: # Two\n', lines: 3 });
});

it('takes no end of a long line for a declaration', async () => {
  const long = `${'x'.repeat(3_000_000)}\nfunction last() {}\n`;
  expect(await outlineOf(`${'x '.repeat(600)}function no() {}\n${long}`, 'a.js')).toEqual({
    text: '3: function last() {}\n',
    lines: 3,
  });
});
