// Arrays of records as tables: every record a row, every key a column, whatever language they are written in.

import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { createReader, type FileExtractionResult, type ReadRequest } from '../../../src/index.ts';
import { draws } from '../../support/draws.ts';

const reader = createReader({ environment: {}, cache: false });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(name: string, text: string, request: ReadRequest): Promise<FileExtractionResult> {
  return await reader.read({ name, bytes: bytesOf(text) }, request);
}

async function textOf(name: string, text: string, request: ReadRequest): Promise<string> {
  const result = await read(name, text, request);
  return result.success ? result.text : `${result.error.code}: ${result.error.message} ${result.error.hint}`;
}

/** The content of all answers, first to last. */
async function walked(name: string, text: string, request: ReadRequest): Promise<string> {
  let content = '';
  let cursor: string | undefined;
  for (let answers = 0; answers < 1000; answers += 1) {
    const asked = cursor === undefined ? request : { cursor, maxTokens: request.maxTokens ?? 5000 };
    const result = await read(name, text, asked);
    if (!result.success) throw new Error(`${result.error.code}: ${result.error.message}`);
    for (const part of result.content) if (part.kind === 'text') content += part.text;
    cursor = result.truncation?.next?.cursor;
    if (cursor === undefined) return content;
  }
  throw new Error('The walk does not end.');
}

const LISTED =
  '{"v": 1, "items": [{"id": 12345678901234567890, "name": "a, b"}, {"id": 2, "tags": ["x", {"y": null}], "note": null}]}';
const TABLE = 'id,name,tags,note\n12345678901234567890,"a, b",,\n2,,"[""x"",{""y"":null}]",null\n';

describe('records as tables', () => {
  test('keys of all records become columns; digits stay, nested values are compact JSON', async () => {
    expect(await textOf('a.json', LISTED, { pointer: '/items', format: 'csv' })).toBe(TABLE);
  });

  test('of duplicate keys the first counts, as in pointers', async () => {
    const text = '[{"a": "", "a": 2, "b": 3}]';
    expect(await textOf('a.json', text, { format: 'csv' })).toMatch(/^a,b\n"?"?,3\n/);
    expect(await textOf('a.json', text, { pointer: '/0/a' })).toMatch(/^""/);
  });

  test('Markdown', async () => {
    expect(
      await textOf('a.json', LISTED, { pointer: '/items', format: 'markdown', columns: 'id,note' }),
    ).toContain('| id | note |\n| --- | --- |\n| 12345678901234567890 |  |\n| 2 | null |\n');
  });

  test('YAML and TOML are read by way of their JSON', async () => {
    const yaml = 'items:\n- {id: 007, name: "x\\ny"}\n- id: 2\n  when: 2026-01-02\n';
    expect(await textOf('a.yaml', yaml, { pointer: '/items', format: 'csv' })).toBe(
      'id,name,when\n7,"x\ny",\n2,,2026-01-02\n',
    );
    const toml = '[[bin]]\nname = "a"\n[[bin]]\nname = "b"\nport = 1_000\n';
    expect(await textOf('a.toml', toml, { pointer: '/bin', format: 'csv' })).toBe('name,port\na,\nb,1000\n');
  });

  test('JSON Lines, with blank lines and a byte order mark', async () => {
    const lines = '\ufeff{"a":1}\n\n{"b":"x","a":2}\n';
    expect(await textOf('a.jsonl', lines, { format: 'csv' })).toBe('a,b\n1,\n2,x\n');
    expect(await textOf('a.json', lines, { format: 'csv' })).toContain('a,b\n1,\n2,x\n');
  });

  test('rows of a table', async () => {
    expect(await textOf('a.json', LISTED, { pointer: '/items', format: 'csv', rows: '2' })).toContain(
      'id,name,tags,note\n2,,"[""x"",{""y"":null}]",null\n',
    );
  });

  test('what is not an array of objects keeps its language, with arrays that are', async () => {
    const text = await textOf('a.json', LISTED, { format: 'csv' });
    expect(text).toContain(LISTED);
    expect(text).toContain('needs an array of objects; the document is not one. Set `pointer` to `/items`.');
    const mixed = await textOf('a.json', '[{"a":1},2]', { format: 'markdown' });
    expect(mixed).toContain('[{"a":1},2]');
    expect(mixed).toContain('the items of the document are not all objects');
    const yaml = await textOf('a.yaml', 'a:\n- x: 1\n', { format: 'csv' });
    expect(yaml).toContain('a:\n- x: 1\n');
    expect(yaml).toContain('Set `pointer` to `/a`');
  });

  test('columns and rows that nothing has are refused', async () => {
    expect(await textOf('a.json', '{"a":1}', { columns: 'a' })).toMatch(
      /^BAD_INPUT: `columns` needs an array of objects/,
    );
    expect(await textOf('a.json', '[{"a":1}]', { columns: 'a', format: 'json' })).toMatch(
      /^BAD_INPUT: `columns`/,
    );
    expect(await textOf('a.json', '[{"a":1}]', { columns: 'b' })).toMatch(/^BAD_INPUT: .*`b`/);
    expect(await textOf('a.yaml', 'a: [1]', { rows: '1' })).toMatch(/^BAD_INPUT: `rows`/);
  });

  test('damaged JSON is told as without a table', async () => {
    const damaged = '[{"a":1},{"a":';
    expect(await textOf('a.json', damaged, { format: 'csv' })).toContain(
      (await textOf('a.json', damaged, {})).slice(0, 40),
    );
  });

  test('a record beyond a mebibyte is read to there, and said to be', async () => {
    const long = `[{"id":1,"text":"${'x'.repeat(2_000_000)}"},{"id":2}]`;
    const text = await textOf('a.json', long, { format: 'csv' });
    expect(text).toContain('Record 1 takes 2000018 bytes');
    expect(text).toContain('\n2');
  });

  test('more keys than a sheet has columns are not a table', async () => {
    const many = `[${Array.from({ length: 20_000 }, (_, key) => `{"k${key}":1}`).join(',')}]`;
    const result = await read('a.json', many, { format: 'csv', maxTokens: 500 });
    expect(JSON.stringify(result.success && result.warnings)).toContain('not all objects');
  });

  test('a walk gives every cell once', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    const record = fc.dictionary(fc.constantFrom('a', 'b c', 'd,e', '"f"'), value);
    const array = fc
      .array(record, { minLength: 1, maxLength: 40 })
      .filter((items) => items.some((item) => Object.keys(item).length > 0));
    const language = fc.constantFrom('json', 'jsonl', 'yaml');
    await fc.assert(
      fc.asyncProperty(
        array,
        language,
        fc.integer({ min: 300, max: 600 }),
        async (items, kind, maxTokens) => {
          const text =
            kind === 'jsonl'
              ? items.map((item) => `${JSON.stringify(item)}\n`).join('')
              : JSON.stringify(items);
          const content = await walked(`a.${kind}`, text, { format: 'csv', maxTokens });
          const { data } = Papa.parse<Record<string, string>>(content, {
            header: true,
            skipEmptyLines: false,
          });
          const rows = data.filter((row) => Object.keys(row).length > 1 || Object.values(row)[0] !== '');
          const cells = (item: object): string =>
            JSON.stringify(
              Object.entries(item)
                .map(([key, cell]) => [key, typeof cell === 'string' ? cell : JSON.stringify(cell)])
                .filter(([, cell]) => cell !== '')
                .sort(),
            );
          expect(rows.map(cells).sort()).toEqual(items.map(cells).sort());
        },
      ),
      { numRuns: draws(100) },
    );
  }, 120_000);
});
