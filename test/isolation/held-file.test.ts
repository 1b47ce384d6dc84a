// A large file that an isolated read opens again by its path: the content is that of the file the reader holds open,
// also when the path leads elsewhere by then.

import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-held-'));
const path = join(folder, 'big.txt');
afterAll(() => rmSync(folder, { recursive: true }));

const content = (word: string): string => `first ${word}\n${`${word}\n`.repeat(2_500_000)}last ${word}\n`;

it.each([
  ['stays', () => undefined],
  ['is deleted', () => rmSync(path)],
  [
    'is replaced',
    () => {
      writeFileSync(`${path}.new`, content('other'));
      renameSync(`${path}.new`, path);
      // What the system calls a deleted file may be the name of another.
      writeFileSync(`${path} (deleted)`, content('other'));
    },
  ],
  [
    'becomes a pipe',
    () => {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    },
  ],
])('reads what was opened when the file %s after that', async (_case, change) => {
  rmSync(path, { force: true });
  writeFileSync(path, content('ours'));
  const reader = createReader({
    isolation: 'process',
    cache: false,
    workspace: {
      open: async () => {
        const handle = await open(path, constants.O_RDONLY);
        const stats = await handle.stat({ bigint: true });
        change();
        return { name: 'big.txt', handle, stats };
      },
      kind: () => Promise.resolve('file'),
    },
  });
  try {
    const answer = await reader.read({ path: 'big.txt' }, { maxTokens: 200 });
    const lines = [{ unit: 'line', from: 1, of: 2_500_002 }];
    expect(answer).toMatchObject({ success: true, truncation: { shown: lines } });
    expect(answer.success && answer.text).toMatch(/(?:^|\n\[Content\]\n)first ours\nours\n/);
    expect(answer.success && answer.text).not.toContain('other');
  } finally {
    await reader.close();
  }
});
