// Names are bytes: whatever they hold, what is shown shows itself and leads back.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isReserved, stagingName } from '../../../src/disk/index.ts';
import { createReader, createWorkspace } from '../../../src/index.ts';
import { bytesShown, shownName } from '../../../src/workspace/paths/names.ts';
import { draws } from '../../support/draws.ts';

const bytes = fc
  .oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).map((text) => Buffer.from(text)),
    fc
      .array(
        fc.constantFrom('\\', 'x', '4', '1', 'f', ' ', 'é', '\n', '\u202e', '\\x41', '\\x5c', '\\u{5c}', '{'),
        {
          minLength: 1,
        },
      )
      .map((pieces) => Buffer.from(pieces.join(''))),
  )
  .map((given) => Buffer.from(given.filter((byte) => byte !== 0 && byte !== 0x2f)))
  .filter((name) => name.length > 0 && !['.', '..'].includes(name.toString()));

it('shows every name so that it can be passed back', () => {
  fc.assert(
    fc.property(bytes, (name) => {
      const shown = shownName(name);
      expect(shown).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s|\s$/u);
      expect(bytesShown(shown) ?? Buffer.from(shown)).toEqual(name);
    }),
    { numRuns: draws(5000) },
  );
});

it.each([
  ['a.txt', 'a.txt'],
  ['two words', 'two words'],
  ['naïve 日本.csv', 'naïve 日本.csv'],
  ['a\nb', 'a\\u{a}b'],
  ['\x1b[31mred', '\\u{1b}[31mred'],
  ['txt.\u202eexe', 'txt.\\u{202e}exe'],
  ['trailing ', 'trailing\\u{20}'],
  ['back\\slash', 'back\\slash'],
  ['\\x41', '\\u{5c}x41'],
  ['👩‍💻.md', '👩‍💻.md'],
])('shows %j as %j', (name, shown) => {
  expect(shownName(Buffer.from(name))).toBe(shown);
});

it('never interprets an escape as anything but a name', () => {
  for (const shown of [
    '\\x2e',
    '\\x2e\\x2e',
    'a\\x2fb',
    'a\\x00b',
    '\\u{2e}',
    'a\\u{2f}b',
    'a\\u{0}',
    '\\u{110000}',
  ])
    expect(bytesShown(shown)).toBeUndefined();
});

it('reserves the names of staged files, and no others', () => {
  expect(isReserved(stagingName())).toBe(true);
  for (const name of ['.lectern', '.lectern-notes.md', 'lectern-1.tmp', 'a.tmp', '.lectern-A.tmp'])
    expect(isReserved(Buffer.from(name))).toBe(false);
});

it('resolves a shown name to its own file, next to one spelled like it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'lectern-names-'));
  try {
    await writeFile(join(root, 'a\nb.txt'), 'line break');
    await writeFile(join(root, 'a\\u{a}b.txt'), 'escape');
    const workspace = createWorkspace({ root });
    const { entries } = await workspace.list('.');
    const reader = createReader({ workspace });
    const read = await Promise.all(entries.map(({ path }) => reader.read(path)));
    expect(entries.map(({ path }, at) => [path, read[at]?.success && read[at].text])).toEqual([
      ['a\\u{a}b.txt', 'line break'],
      ['a\\u{5c}u{a}b.txt', 'escape'],
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
