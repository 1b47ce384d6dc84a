// Which processor nameless content goes to.

import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });
const processorOf = async (text: string): Promise<string> =>
  (await readOk(reader, { bytes: Buffer.from(text), name: 'stdin' })).processor;

it.each([
  ['csv', 'id,name,note\n1,Ann,"a, b"\n2,Bob,c\n'],
  ['csv', 'a;b;c\r\n1;2;3\r\n4;5;6\r\n'],
  ['csv', 'a\tb\n1\t2\n3\t4\n5\t6\n7\t8\n9\t0\n'],
  ['json', '{"a": 1}'],
  ['json', '[1, 2]'],
  ['xml', '<?xml version="1.0"?><a/>'],
  ['text', 'One, two, three.\nFour, five, six.\nSeven, eight, nine.\n'],
  ['text', 'let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\nlet f = 6;\n'],
  ['text', 'a,b\nc,d\n'],
  ['text', 'Nothing to see here.\n'],
])('%s: %j', async (processor, text) => {
  expect(await processorOf(text)).toBe(processor);
});

it('an empty workbook is an empty file', async () => {
  const result = await readOk(reader, { bytes: new Uint8Array(), name: 'a.xlsx' });
  expect(result).toMatchObject({ processor: 'xlsx', truncation: null, warnings: [{ code: 'EMPTY_FILE' }] });
});
