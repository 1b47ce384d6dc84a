// Every PDF of a corpus: each ends in pages or in a typed error, whatever it was made to do.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { converter } from '../../processors/documents/pdf/convert.ts';
import { ReaderError } from '../../src/contract/index.ts';
import { markdownOf } from '../../src/document/index.ts';
import { resolveLimits } from '../../src/limits/index.ts';
import { memorySource } from '../support/context.ts';

// Works through real files.
vi.setConfig({ testTimeout: 180_000 });

const CORPUS = process.env['LECTERN_CORPUS'];
const MOST_PAGES = 10;

describe.runIf(CORPUS)('every PDF of the corpus', () => {
  const folder = join(CORPUS ?? '', 'pdf');
  const files = CORPUS
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.pdf'))
    : [];

  it.each(files)('reads %s or says why not', async (name) => {
    const source = memorySource(readFileSync(join(folder, name)), name);
    try {
      const document = await converter.open(source, {
        limits: resolveLimits({}),
        signal: new AbortController().signal,
        text: () => Promise.reject(new Error('no text')),
        warn: () => undefined,
        password: () => undefined,
      });
      try {
        for (let page = 1; page <= Math.min(MOST_PAGES, document.sections ?? 1); page += 1) {
          const { blocks } = await document.section(page);
          if (page > 1) expect(blocks[0]).toEqual({ kind: 'page', number: page });
          for (const block of blocks) expect(markdownOf(block)).toMatch(/[^\n]\n$/);
        }
        await document.outline?.();
      } finally {
        await document.close?.();
      }
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      expect(['CORRUPT_FILE', 'ENCRYPTED_FILE']).toContain(error.code);
    }
  });
});
