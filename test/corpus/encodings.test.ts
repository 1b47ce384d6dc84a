// Text in many encodings against the same text in UTF-8. Runs where LECTERN_CORPUS names a folder with the files.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { contentOf, readOk } from '../support/walk.ts';

const corpus = process.env['LECTERN_CORPUS'];
const folder = join(corpus ?? '.', 'text-encodings', 'transcoded');

/** Files no one could tell: seven bytes beyond ASCII, each a letter in both encodings. */
const UNDECIDABLE = new Set(['fr.mac_roman.txt']);

describe.runIf(corpus !== undefined)('text in many encodings', () => {
  const names = corpus === undefined ? [] : readdirSync(folder).filter((name) => !UNDECIDABLE.has(name));
  const reader = createReader({ environment: {} });

  it.each(names)('%s reads as its truth', async (name) => {
    const truth = readFileSync(join(folder, `${name.split('.')[0]}.truth.utf8.txt`), 'utf8');
    const result = await readOk(reader, join(folder, name), { all: true });
    expect(contentOf([result])).toBe(truth.replace(/^\ufeff/, ''));
  });
});
