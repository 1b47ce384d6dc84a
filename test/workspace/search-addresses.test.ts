import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';

const FILES = readdirSync('fixtures', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\/[^/]+\.[^/]+$/.test(file) && !file.endsWith('.expected.md'));

describe('the address of a match', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const reader = createReader({ workspace, environment: {} });

  it.each(FILES)('in %s shows it', async (path) => {
    const { matches } = await workspace.search('\\p{L}{5,}', { regex: true, path, limit: 40 });
    for (const { address, text, column, line } of [...matches.slice(0, 3), ...matches.slice(-2)]) {
      const word = /\p{L}{5,}/u.exec(text)?.[0] ?? '';
      const answer = await reader.read(address, { maxTokens: 30_000 });
      expect([address, line, column, answer.success && answer.text]).toEqual([
        address,
        line,
        column,
        expect.stringContaining(word),
      ]);
    }
  });
});
