// Every message a user can meet from the reader, in one place: what it says, what it advises, and that it names no path.

import { expect, it } from 'vitest';
import { createReader, type Input, type ReadRequest } from '../src/index.ts';

const reader = createReader({ environment: {} });
const named = (name: string, content: string | Uint8Array): Input => ({ name, bytes: Buffer.from(content) });
const text = named('a.txt', 'one\ntwo\n');
const table = named('a.csv', 'id,name\n1,a\n2,b\n');
const object = named('a.json', '{"items": [1, 2], "name": "x"}');
const ole = Buffer.concat([
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  Buffer.alloc(600),
  Buffer.from('WordDocument', 'utf16le'),
]);

const CASES: readonly (readonly [what: string, input: Input, request?: ReadRequest])[] = [
  ['a missing file', 'fixtures/text/shrt.txt'],
  ['a directory', 'fixtures'],
  ['a device', '/dev/zero'],
  ['an address', 'https://example.org/a.txt'],
  ['an empty path', ''],
  ['two inputs at once', { path: 'a', bytes: new Uint8Array() }],
  ['a range that is none', text, { lines: 'ten' }],
  ['a range past the end', text, { lines: '5-9' }],
  ['rows past the end', table, { rows: '7-9' }],
  ['a column there is not', table, { columns: 'nam' }],
  ['a field that says nothing here', text, { sheet: 'Data' }],
  ['a pointer that is none', object, { pointer: 'items' }],
  ['a pointer to nothing', object, { pointer: '/item' }],
  ['a pointer past an array', object, { pointer: '/items/9' }],
  ['a budget that is not a number', text, { maxTokens: 1.5 }],
  ['a format there is not', table, { format: 'html' as 'csv' }],
  ['an encoding there is not', text, { encoding: 'klingon' }],
  ['a cursor that is none', text, { cursor: 'abc' }],
  ['a cursor of another file', text, { cursor: 'vYgpe5jd.text.rz.2.rs' }],
  ['a file over the budget', named('a.txt', 'word '.repeat(900)), { maxTokens: 100, overflow: 'error' }],
  [
    'an image',
    named('a.png', Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')),
  ],
  ['a damaged Word 97 document', named('a.doc', ole)],
  ['a PDF', named('a.pdf', '%PDF-1.4\n%…\n')],
  ['binary data under a text name', named('a.txt', new Uint8Array(64))],
  ['a workbook that is none', named('a.xlsx', Buffer.from('504b0304ffffffff00000000', 'hex'))],
];

it('pins every message and hint', async () => {
  const lines: string[] = [];
  for (const [what, input, request] of CASES) {
    const result = await reader.read(input, request);
    const said = result.success
      ? 'NO ERROR'
      : `${result.error.code}\n  ${result.error.message}\n  ${result.error.hint}`;
    lines.push(`${what}: ${said}\n`);
  }
  const all = lines.join('\n');
  expect(all).not.toContain('NO ERROR');
  expect(all).not.toContain(process.cwd());
  await expect(all).toMatchFileSnapshot('errors.expected.txt');
});
