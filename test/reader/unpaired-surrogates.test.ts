// Escapes in files may stand for unpaired surrogates: what a reader, a tool or a transport gives must be UTF-8, and JSON
// that strict readers take.

import { PassThrough } from 'node:stream';
import { utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonString, strictJson, wellFormed } from '../../src/contract/index.ts';
import { createReader, type FileExtractionResult } from '../../src/index.ts';
import { LineTransport } from '../../src/mcp/line-transport.ts';
import { textOf } from '../../src/tools/index.ts';
import { makePlace } from '../tools/place.ts';

const reader = createReader({ cache: false, environment: {} });

const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# a\ud800b'] },
    { cell_type: 'code', metadata: {}, source: 'x', outputs: [], execution_count: 1 },
  ],
});

function book(bookType: 'xlsx' | 'biff8' | 'xlsb'): Uint8Array {
  const text = bookType === 'xlsx' ? '_xD800_' : '\ud800';
  const sheet = utils.aoa_to_sheet([
    ['name', 'count'],
    [`a${text}b`, 1],
  ]);
  return new Uint8Array(Buffer.from(write(utils.book_new(sheet, 'Data'), { type: 'array', bookType })));
}

const FILES: readonly (readonly [name: string, bytes: Uint8Array, request: object])[] = [
  ['a.ipynb', Buffer.from(NOTEBOOK), {}],
  ['outline.ipynb', Buffer.from(NOTEBOOK), { overflow: 'outline', maxTokens: 60 }],
  ['a.xlsx', book('xlsx'), {}],
  ['json.xlsx', book('xlsx'), { format: 'json' }],
  ['json.xls', book('biff8'), { format: 'json' }],
  ['json.xlsb', book('xlsb'), { format: 'json' }],
  ['json.yaml', Buffer.from('a: "x\\ud800y"\n"k\\udc00": 1\n'), { format: 'json' }],
];

const partsOf = (result: FileExtractionResult): string =>
  result.success
    ? result.content.map((part) => (part.kind === 'text' ? part.text : '')).join('') + result.text
    : result.error.message;

describe('what a reader gives', () => {
  test.each(FILES)('of %s', async (name, bytes, request) => {
    const result = await reader.read({ name, bytes }, request);
    expect(result.success).toBe(true);
    expect(partsOf(result)).toContain('\ufffd');
    expect(partsOf(result)).not.toMatch(/\p{Surrogate}|\\ud[89a-f]/iu);
    expect(result.success && result.warnings.filter(({ code }) => code === 'LOSSY_DECODE')).toEqual([
      {
        code: 'LOSSY_DECODE',
        message: 'Unpaired surrogates, which UTF-8 cannot encode, are shown as \ufffd.',
      },
    ]);
  });

  test('of a JSON file, whose escapes stay as the file has them', async () => {
    const text = '{"a": "\\ud800"}\n';
    const result = await reader.read({ name: 'a.json', bytes: Buffer.from(text) });
    expect(result).toMatchObject({ success: true, text, warnings: [] });
  });

  test('in a stream', async () => {
    let text = '';
    for await (const part of reader.stream({ name: 'a.ipynb', bytes: Buffer.from(NOTEBOOK) }))
      if (part.kind === 'text') text += part.text + (part.view ?? '');
    expect(text).toContain('a\ufffdb');
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('JSON', () => {
  const units = fc.array(fc.constantFrom('\ud800', '\udfff', '😀', '\\', '"', '\\ud800', 'ud800', '\n', 'a'));
  const text = units.map((all) => all.join(''));

  test('has no escape of an unpaired surrogate', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = strictJson(JSON.stringify(value));
        const expected = Object.entries(value).map(([key, entry]) => [wellFormed(key), wellFormed(entry)]);
        expect(JSON.parse(json)).toEqual(Object.fromEntries(expected));
        expect(Buffer.from(json).toString()).toBe(json);
      }),
    );
  });

  test('of a string keeps an unpaired surrogate as itself', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(wellFormed(jsonString(value))).toBe(JSON.stringify(wellFormed(value)));
        expect(JSON.parse(jsonString(value))).toBe(value);
      }),
    );
  });

  test('of a message of MCP is strict', async () => {
    const output = new PassThrough();
    const transport = new LineTransport(new PassThrough(), output);
    await transport.send({
      jsonrpc: '2.0',
      method: 'notifications/x',
      params: { 'k\ud800': '\\ud800\udc00' },
    });
    expect(String(output.read())).toBe(
      '{"jsonrpc":"2.0","method":"notifications/x","params":{"k\ufffd":"\\\\ud800\ufffd"}}\n',
    );
    await transport.close();
  });
});

describe('what a tool answers', () => {
  test.each([
    ['read_file', { path: 'none\ud800.txt' }],
    ['search_files', { pattern: 'x\ud800' }],
    ['edit_file', { path: 'a.txt', old_text: 'on\ud800', new_text: 'b' }],
    ['read_file', { path: 'a.txt', 'what\ud800': 1 }],
  ] as const)('of %s %j', async (name, args) => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    try {
      expect(textOf(await place.run(name, args))).not.toMatch(/\p{Surrogate}/u);
    } finally {
      await place.remove();
    }
  });

  test('says that a text it wrote is not what was given', async () => {
    const place = await makePlace({});
    try {
      expect(textOf(await place.run('write_file', { path: 'a.txt', content: 'a\ud800b' }))).toBe(
        'Wrote `a.txt`: 5 bytes, new.\nUnpaired surrogates, which UTF-8 cannot encode, are written as `\ufffd`: 1 text.\n',
      );
    } finally {
      await place.remove();
    }
  });
});
