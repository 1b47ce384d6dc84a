// What a manifest alone makes the reader do: choose a format by its signature, advise on one that is not read.

import { describe, expect, it } from 'vitest';
import type { Processor } from '../../src/index.ts';
import { createReaderOf } from '../../src/reader/index.ts';

const plain: Processor = {
  name: 'text',
  fileType: 'text',
  extensions: ['.txt'],
  mimeTypes: ['text/plain'],
  selects: ['lines'],
  textual: true,
  async *process() {},
};
const fancy: Processor = {
  ...plain,
  name: 'fancy',
  fileType: 'binary',
  extensions: ['.fan'],
  mimeTypes: ['application/x-fancy'],
  textual: false,
  magic: [{ starts: 'FAN?\x01', what: 'a fancy file' }],
};
const reader = createReaderOf(
  [
    plain,
    fancy,
    {
      extensions: ['.dull'],
      magic: [{ starts: 'DULL', holds: 'end', what: 'a dull file' }],
      advice: 'Polish it.',
    },
  ],
  { environment: {} },
);
const read = (name: string, content: string) =>
  reader.inspect({ name, bytes: Buffer.from(content, 'latin1') });

describe('a signature', () => {
  it.each(['a', 'a.txt', 'a.dull', 'a.xyz'])('chooses its format for %s', async (name) => {
    expect(await read(name, 'FANx\x01 words and words\n')).toMatchObject({
      processor: 'fancy',
      metadata: { mimeType: 'application/x-fancy' },
    });
  });

  it('does not choose where a byte differs', async () => {
    expect(await read('a.txt', 'FANx words and words\n')).toMatchObject({ processor: 'text' });
  });

  it('advises on an unsupported format, whatever its name', async () => {
    for (const name of ['a', 'a.txt', 'a.fan'])
      expect(await read(name, 'DULL to the end\n')).toMatchObject({
        error: {
          code: 'UNSUPPORTED_FORMAT',
          message: `\`${name}\` is a dull file, which is not supported.`,
          hint: 'Polish it.',
        },
      });
    expect(await read('a.txt', 'DULL to the last\n')).toMatchObject({ processor: 'text' });
  });
});

it('does not advise by the name where the content says nothing', async () => {
  expect(await read('a.dull', '\0\x01\x02\0\x03')).toMatchObject({
    error: { hint: expect.stringContaining('`lectern formats`') },
  });
});

it('refuses two formats that claim one extension', () => {
  expect(() => createReaderOf([plain, { extensions: ['.txt'], magic: [] }])).toThrow(
    'extension .txt is claimed by text and by an unsupported format',
  );
});
