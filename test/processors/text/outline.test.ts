import { expect, it } from 'vitest';
import { code } from '../../../processors/text/code.ts';
import { markdown } from '../../../processors/text/text.ts';
import { memorySource, testContext } from '../../support/context.ts';

async function outlineOf(content: string, name: string): Promise<string> {
  let shown = '';
  const { outline } = name.endsWith('.md') ? markdown : code;
  for await (const line of outline?.(memorySource(content, name), testContext()) ?? [])
    shown += `${line.text}\n`;
  return shown;
}

it('numbers headings and declarations, to the last', async () => {
  const many = Array.from({ length: 60_000 }, (_, i) => `## Section ${i}\n`).join('');
  const shown = await outlineOf(many, 'a.md');
  expect(shown).toMatch(/^1: ## Section 0\n2: ## Section 1\n/);
  expect(shown).toMatch(/\n60000: ## Section 59999\n$/);
});

it('knows files that end their lines with CR only', async () => {
  expect(await outlineOf('# One\rtext\r# Two\r', 'a.md')).toBe('1: # One\n3: # Two\n');
});

it('marks a heading that it cuts, however long', async () => {
  const shown = await outlineOf(`# ${'long '.repeat(60)}\n# ${'x'.repeat(5000)}\n`, 'a.md');
  expect(shown).toMatch(/^1: # long [long ]+…\n2: # x+…\n$/);
});

it('marks a declaration that it cuts, however long', async () => {
  const long = `def longone(${Array.from({ length: 800 }, (_, i) => `argument${i}`).join(', ')}):`;
  const shown = await outlineOf(`def a(): pass\n${long}\n    pass\ndef b(): pass\n`, 'a.py');
  expect(shown).toMatch(/^1: def a\(\):\n2-3: def longone\(argument0, .*…\n4: def b\(\):\n$/);
});

it('takes no end of a long line for a declaration', async () => {
  const long = `${'x'.repeat(3_000_000)}\nfunction last() {}\n`;
  expect(await outlineOf(`${'x '.repeat(600)}function no() {}\n${long}`, 'a.lua')).toBe(
    '3: function last() {}\n',
  );
});
