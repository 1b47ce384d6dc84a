// Real archives and mail: every file ends in an answer or a typed error.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const corpus = process.env['LECTERN_CORPUS'];
const filesIn = (folder: string): string[] =>
  corpus === undefined
    ? []
    : readdirSync(join(corpus, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
const reader = createReader({ environment: {} });

describe.runIf(corpus)('the corpus', () => {
  it.each(['archives', 'mail'])('of %s holds nothing that is a fault of ours', async (folder) => {
    for (const path of filesIn(folder)) {
      const result = await reader.read(path);
      expect(result.success || result.error.code, path).not.toBe('INTERNAL');
    }
  });
});
