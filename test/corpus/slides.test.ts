// Every presentation and OpenDocument of a corpus folder: text, or an error that says what is wrong. Needs LECTERN_CORPUS.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const corpus = process.env['LECTERN_CORPUS'];

function filesIn(folder: string): string[] {
  if (corpus === undefined) return [];
  return readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:pptx|odt|odp)$/.test(name))
    .map((name) => join(folder, name));
}

describe.runIf(corpus)('presentations and OpenDocuments of the corpus', () => {
  it.each([...filesIn('pptx'), ...filesIn('odf')])('reads %s or says why not', async (name) => {
    const result = await createReader({ environment: {} }).read(join(corpus ?? '', name), { all: true });
    if (!result.success) {
      expect(['CORRUPT_FILE', 'ENCRYPTED_FILE', 'LIMIT_EXCEEDED']).toContain(result.error.code);
      return;
    }
    expect(result.text).not.toMatch(/\0|data:[a-z]+\/|\]\((?:javascript|file|vbscript):/i);
  });
});
