// Zero bytes: UTF-16 only where they fall as its own do, else a text that holds some, or binary data.

import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });

it.each(['a\0b\n', 'hello\0world\n', 'key\0val\0\n'])('never shows %j as other letters', async (text) => {
  const short = await reader.read({ name: 'a.txt', bytes: Buffer.from(text) }, {});
  expect(short).toMatchObject({ success: false, error: { code: 'UNSUPPORTED_FORMAT' } });
  const long = `${text}${'and a line of the rest of the log\n'.repeat(90)}`;
  const result = await readOk(reader, { name: 'a.txt', bytes: Buffer.from(long) }, {});
  expect(result.metadata.encoding?.name).toBe('utf-8');
  expect(result.content).toMatchObject([{ text: long }]);
});

it.each(['id,name\n1,a\n', 'Привет, мир. Это текст.\n', 'ab'])(
  'knows %j in UTF-16 without a mark',
  async (text) => {
    const result = await readOk(reader, { name: 'a.txt', bytes: Buffer.from(text, 'utf16le') }, {});
    expect(result.metadata.encoding?.name).toBe('utf-16le');
    expect(result.content).toMatchObject([{ text }]);
  },
);

it.each(['["a\0"]', '[\0]', '123\0', '["\u0002"]'])(
  'shows damaged JSON %j with the place of the damage',
  async (text) => {
    const result = await readOk(reader, { name: 'a.json', bytes: Buffer.from(text) }, {});
    expect(result.content).toMatchObject([{ text }]);
    expect(result.warnings).toMatchObject([
      { code: 'INVALID_SYNTAX', message: expect.stringContaining('line 1, column') },
      { code: 'INVISIBLE_CHARACTERS' },
    ]);
  },
);
