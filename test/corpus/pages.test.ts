// Web pages and books of a corpus folder: the main content against what readers' views of browsers keep of the same page,
// and every book read to its end.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { htmlToBlocks } from '../../processors/documents/html/blocks.ts';
import { markdownOf } from '../../src/document/index.ts';
import { createReader } from '../../src/index.ts';

const CORPUS = process.env['LECTERN_CORPUS'];
const { signal } = new AbortController();

function filesIn(folder: string, extension: string): string[] {
  if (CORPUS === undefined) return [];
  return readdirSync(join(CORPUS, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function wordsOf(path: string, mainContent: boolean): Promise<Map<string, number>> {
  const { blocks } = await htmlToBlocks(readFileSync(path, 'utf8'), { signal, mainContent });
  const words = new Map<string, number>();
  // Addresses differ: the expected pages have them resolved.
  const text = blocks
    .map(markdownOf)
    .join('\n')
    .replace(/\]\([^)]*\)/g, ']');
  for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

describe.runIf(CORPUS)('main content', () => {
  const sources = filesIn('html', 'source.html').filter((path) =>
    existsSync(path.replace('source.html', 'expected.html')),
  );

  it.each(sources)('gives the words of %s', async (path) => {
    const found = await wordsOf(path, true);
    const expected = await wordsOf(path.replace('source.html', 'expected.html'), false);
    let both = 0;
    let all = 0;
    for (const [word, count] of expected) {
      all += count;
      both += Math.min(count, found.get(word) ?? 0);
    }
    const shown = [...found.values()].reduce((sum, count) => sum + count, 0);
    expect(both / all, 'share of the expected words').toBeGreaterThan(0.97);
    expect(both / shown, 'share of the shown words that are expected').toBeGreaterThan(0.9);
  });
});

describe.runIf(CORPUS)('books', () => {
  it.each(filesIn('epub', '.epub'))('reads %s', async (path) => {
    const answer = await createReader({ environment: {}, cache: false }).read(path, { all: true });
    expect(answer.success).toBe(true);
  });
});
