import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotThisFormat } from '../../src/contract/index.ts';
import { createReader, createTokenCounter, type FileExtractionResult } from '../../src/index.ts';
import { createReaderOf } from '../../src/reader/index.ts';
import { mockProcessor } from '../support/mock-processor.ts';
import { readOk } from '../support/walk.ts';

const counter = createTokenCounter();
const bytes = Buffer.from('some text\n');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reader-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function failureOf(result: FileExtractionResult): { code: string; message: string; hint: string } {
  if (result.success) throw new Error('expected a failure');
  expect(`${result.error.message} ${result.error.hint}`).not.toContain(folder);
  return result.error;
}

describe('a processor that misbehaves', () => {
  it('floods: the cap stops it, and its source is closed', async () => {
    let pulled = 0;
    let closed = false;
    const reader = createReaderOf([
      mockProcessor(async function* () {
        try {
          for (;;) {
            pulled += 1;
            yield {
              kind: 'text',
              text: `part ${pulled} of a flood that never ends\n`,
              shown: [{ unit: 'line', from: pulled, to: pulled }],
            };
          }
        } finally {
          closed = true;
        }
      }),
    ]);
    const result = await readOk(reader, { bytes, name: 'a.txt' }, { maxTokens: 100 });
    expect(closed).toBe(true);
    expect(pulled).toBeLessThan(60);
    expect(counter.count(result.text)).toBeLessThanOrEqual(100);
  });

  it('gives one part far over the budget: it is cut at a character and said to be', async () => {
    const reader = createReaderOf([
      mockProcessor(async function* (_source, context) {
        context.whole({ unit: 'line', of: 1 });
        yield { kind: 'text', text: '😀'.repeat(50_000), shown: [{ unit: 'line', from: 1, to: 1 }] };
      }),
    ]);
    const result = await readOk(reader, { bytes, name: 'a.txt' }, { maxTokens: 50 });
    expect(Buffer.from(result.text).toString()).toBe(result.text);
    expect(result.truncation?.next).not.toBeNull();
  });

  it('throws something strange: INTERNAL, with nothing of it in the message', async () => {
    const reader = createReaderOf([
      // biome-ignore lint/correctness/useYield: it is to throw before its first part
      mockProcessor(async function* () {
        throw new RangeError(`secret at ${folder}`);
      }),
    ]);
    expect(failureOf(await reader.read({ bytes, name: 'a.txt' }))).toMatchObject({ code: 'INTERNAL' });
  });

  it('is not the format it claims: shown as text when textual, CORRUPT_FILE when not', async () => {
    const refuse = async function* (): AsyncGenerator<never> {
      yield* [];
      throw new NotThisFormat({ code: 'INVALID_SYNTAX', message: 'not valid at line 1' });
    };
    const plain = mockProcessor(async function* () {
      yield { kind: 'text', text: 'as text\n', shown: [] };
    });
    const selects = ['pointer', 'lines'] as const;
    const odd = { name: 'odd', extensions: ['.odd'] as const, mimeTypes: [], selects };
    const textual = createReaderOf([plain, mockProcessor(refuse, odd)]);
    const shown = await readOk(textual, { bytes, name: 'a.odd' });
    expect(shown.text).toContain('as text');
    expect(shown.warnings).toMatchObject([{ code: 'INVALID_SYNTAX' }]);
    expect(failureOf(await textual.read({ bytes, name: 'a.odd' }, { pointer: '/a' }))).toEqual({
      code: 'BAD_INPUT',
      message: '`pointer` cannot be used with this file. not valid at line 1',
      hint: 'Use `lines` to read the file as text, or omit `pointer`.',
    });
    const binary = createReaderOf([plain, mockProcessor(refuse, { ...odd, textual: false })]);
    expect(failureOf(await binary.read({ bytes, name: 'a.odd' })).code).toBe('CORRUPT_FILE');
  });

  it('hangs: the caller can give up', async () => {
    const reader = createReaderOf([
      mockProcessor(async function* (_source, { signal }) {
        yield { kind: 'text', text: 'first\n', shown: [] };
        setImmediate(() => controller.abort());
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield { kind: 'text', text: 'second\n', shown: [] };
      }),
    ]);
    const controller = new AbortController();
    const result = await reader.read({ bytes, name: 'a.txt' }, { signal: controller.signal });
    expect(failureOf(result).code).toBe('ABORTED');
  });

  it('has given everything when the caller gives up: the answer is dropped', async () => {
    const controller = new AbortController();
    const reader = createReaderOf([
      mockProcessor(async function* () {
        yield { kind: 'text', text: 'all\n', shown: [] };
        controller.abort();
      }),
    ]);
    const { signal } = controller;
    expect(failureOf(await reader.read({ bytes, name: 'a.txt' }, { signal })).code).toBe('ABORTED');
    const [one] = await reader.readMany([{ bytes, name: 'a.txt' }], { signal });
    expect(one).toMatchObject({ success: false, error: { code: 'ABORTED' } });
  });

  it('claims what another has claimed: the registry refuses', () => {
    const one = mockProcessor(async function* () {});
    expect(() => createReaderOf([one, { ...one, name: 'other' }])).toThrow(
      '.txt is claimed by text and by other',
    );
  });
});

describe('what is no file to read', () => {
  const reader = createReader({ environment: {} });

  it('a missing one, with near names', async () => {
    writeFileSync(join(folder, 'Report.txt'), 'x');
    expect(failureOf(await reader.read(join(folder, 'report.txt')))).toEqual({
      code: 'FILE_NOT_FOUND',
      message: 'There is no file `report.txt`.',
      hint: 'Did you mean `Report.txt`?',
    });
    expect(failureOf(await reader.read(join(folder, 'none', 'x.txt'))).code).toBe('FILE_NOT_FOUND');
    mkdirSync(join(folder, 'my dir'));
    writeFileSync(join(folder, 'my dir', 'a b.txt'), 'x');
    for (const path of ['my%20dir/a%20b.txt', 'my\\ dir/a\\ b.txt', 'My Dir/A B.txt'])
      expect(failureOf(await reader.read(join(folder, path))).hint).toBe('Did you mean `my dir/a b.txt`?');
  });

  it('a directory, a pipe, a device, a socket, a loop of links: at once', async () => {
    expect(failureOf(await reader.read(folder)).code).toBe('NOT_A_FILE');
    const pipe = join(folder, 'pipe.txt');
    execFileSync('mkfifo', [pipe]);
    expect(failureOf(await reader.read(pipe)).code).toBe('NOT_A_FILE');
    expect(failureOf(await reader.read('/dev/zero')).code).toBe('NOT_A_FILE');
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    expect(failureOf(await reader.read(socket)).code).toBe('NOT_A_FILE');
    server.close();
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    expect(failureOf(await reader.read(join(folder, 'loop'))).code).toBe('NOT_A_FILE');
  });

  it('an address, an empty path, NUL, no input, two inputs', async () => {
    for (const input of ['https://example.org/a.txt', '', 'a\0b', {}, { path: 'a', bytes }])
      expect(failureOf(await reader.read(input)).code).toBe('BAD_INPUT');
  });

  it('binary under a text name', async () => {
    const program = Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), Buffer.alloc(64)]);
    expect(failureOf(await reader.read({ bytes: program, name: 'a.csv' }))).toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: '`a.csv` is an ELF file, which is not supported.',
    });
    expect(failureOf(await reader.read({ bytes: Buffer.from([0]), name: 'a.txt' })).code).toBe(
      'UNSUPPORTED_FORMAT',
    );
  });
});

describe('requests', () => {
  const reader = createReader({ environment: {} });
  const text = {
    bytes: Buffer.from(Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join('')),
    name: 'a.txt',
  };

  it.each([
    [{ lines: '0-3' }, '`lines` is `0-3`'],
    [{ lines: '5-3' }, '`lines` is `5-3`'],
    [{ lines: 'abc' }, '`lines` is `abc`'],
    [{ lines: '-0' }, '`lines` is `-0`'],
    [{ lines: '501-600' }, '`lines` `501-600` starts past the end: the file has 500 lines.'],
    [{ rows: '1-3' }, '`rows` cannot be used with text files.'],
    [{ pointer: '/a' }, '`pointer` cannot be used with text files.'],
    [{ maxTokens: -1 }, '`maxTokens` is `-1`; expected an integer of 0 or more.'],
    [{ maxTokens: Number.NaN }, '`maxTokens` is `NaN`'],
    [{ cursor: 'nonsense' }, '`nonsense` is not a cursor of this reader.'],
    [{ encoding: 'klingon' }, '`klingon` is not a supported encoding.'],
  ])('%j is refused with what is wrong', async (request, message) => {
    const error = failureOf(await reader.read(text, request));
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(message);
    expect(error.hint).not.toBe('');
  });

  it('a field that shapes nothing here is named, and the file shown', async () => {
    const result = await readOk(reader, text, { format: 'csv', lines: '1' });
    expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'IGNORED_FIELD' }));
    const table = await readOk(
      reader,
      { bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv' },
      { numbered: true, format: 'json' },
    );
    expect(table.warnings).toMatchObject([
      { code: 'IGNORED_FIELD', message: expect.stringContaining('`numbered`') },
    ]);
  });

  it('an unknown field is named', async () => {
    // A caller without types can write anything.
    const request = { ofset: 3 } as object;
    expect(failureOf(await reader.read(text, request)).message).toContain('`ofset`');
  });

  it.each([
    null,
    5,
    'all',
    [],
    { cursor: 42 },
    { cursor: {} },
    { cursor: Number.NaN },
    { encoding: 5 },
    { signal: {} },
    { signal: null },
    { onProgress: 1 },
  ])('of the wrong type is refused by name: %j', async (request) => {
    const reader = createReader();
    // Plain JavaScript and models send anything.
    const asked = request as never;
    expect(failureOf(await reader.read({ bytes, name: 'a.txt' }, asked)).code).toBe('BAD_INPUT');
    for (const result of await reader.readMany([{ bytes, name: 'a.txt' }, { bytes }], asked))
      expect(failureOf(result).code).toBe('BAD_INPUT');
  });

  it('the last 100 lines, an open range, one line', async () => {
    expect((await readOk(reader, text, { lines: '-100' })).content).toMatchObject([
      { at: [{ unit: 'line', from: 401, to: 500, of: 500 }] },
    ]);
    expect((await readOk(reader, text, { lines: '499-' })).text).toContain('line 499\nline 500\n');
    expect((await readOk(reader, text, { lines: '7', numbered: true })).text).toContain('7: line 7\n');
  });

  it('says what is shown, what is left out and how to go on', async () => {
    const result = await readOk(reader, text, { lines: '5-10' });
    expect(result.text).toBe('line 5\nline 6\nline 7\nline 8\nline 9\nline 10\n[Note: lines 5-10 of 500]\n');
    expect(result.truncation).toMatchObject({
      shown: [{ unit: 'line', from: 5, to: 10, of: 500 }],
      omitted: [
        { unit: 'line', from: 1, to: 4, of: 500 },
        { unit: 'line', from: 11, to: 500, of: 500 },
      ],
      next: { request: { lines: '11-500' } },
    });
  });

  it('says that nothing is shown of a file without anything to count', async () => {
    for (const [name, content] of [
      ['a.json', '{}'],
      ['a.json', '75910'],
      ['a.yaml', '# only a comment\n'],
      ['a.toml', '# c\n'],
    ] as const) {
      const file = { bytes: Buffer.from(content), name };
      const none = await readOk(createReader(), file, { maxTokens: 0 });
      expect(none.content).toEqual([]);
      expect(none.truncation?.omitted).toEqual([
        { unit: 'byte', from: 1, to: content.length, of: content.length },
      ]);
      const cursor = none.truncation?.next?.cursor ?? '';
      expect((await readOk(createReader(), file, { cursor })).truncation).toBeNull();
    }
    expect(
      (await readOk(createReader(), { bytes: Buffer.alloc(0) }, { maxTokens: 0 })).truncation,
    ).toBeNull();
  });

  it.each([
    ['a.json', '{"a": 1}', {}],
    ['a.jsonl', '{"a": 1}\n{"b": 2}\n', { rows: '2' }],
    ['a.yaml', 'a: 1\n', {}],
    ['a.toml', 'a = 1\n', {}],
    ['a.xml', '<a>t</a>', {}],
    ['a.csv', 'a,b\n1,2\n3,4\n', { rows: '2', columns: 'b' }],
    ['a.txt', 'one\ntwo\n', { lines: '2' }],
    ['a.json', '{\n"a": 1}', { lines: '2' }],
  ])('an answer that held nothing of %s goes on with what was asked for', async (name, content, request) => {
    const reader = createReader();
    const file = { bytes: Buffer.from(content), name };
    const wanted = await readOk(reader, file, request);
    for (const maxTokens of [0, 1]) {
      const { truncation } = await readOk(reader, file, { ...request, maxTokens });
      const went = await readOk(reader, file, { cursor: truncation?.next?.cursor ?? '' });
      expect(went.content).toEqual(wanted.content);
    }
  });

  it.each([
    ['a.csv', `id,city\n${'1,Porto\n'.repeat(500)}`],
    ['a.txt', 'x'.repeat(4000)],
    ['a.md', '# Title\n\nText.\n\n'.repeat(200)],
    ['a.json', JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ id: index })))],
  ])('refuses to continue %s within a budget that shows none of it', async (name, content) => {
    const reader = createReader();
    const file = { bytes: Buffer.from(content), name };
    for (const maxTokens of [0, 1, 2, 3, 5, 8, 100]) {
      const cursors = new Set<string>();
      let answer = await reader.read(file, { maxTokens });
      while (answer.success && answer.truncation?.next && cursors.size < 40) {
        const { cursor } = answer.truncation.next;
        expect(cursors).not.toContain(cursor);
        cursors.add(cursor);
        answer = await reader.read(file, { maxTokens, cursor });
      }
      if (maxTokens >= 8) expect(answer.success).toBe(true);
      if (maxTokens > 0) continue;
      expect(failureOf(answer)).toMatchObject({
        code: 'BAD_INPUT',
        message: 'A budget of 0 tokens is too small to continue from this cursor.',
        hint: 'Set `maxTokens` to 100 or more.',
      });
    }
  });

  it('says nothing when everything is shown', async () => {
    const result = await readOk(reader, { bytes, name: 'a.txt' });
    expect(result).toMatchObject({ text: 'some text\n', truncation: null, warnings: [] });
  });

  it('overflow error names a limit that holds the file', async () => {
    const error = failureOf(await reader.read(text, { overflow: 'error', maxTokens: 500 }));
    expect(error.code).toBe('OVER_BUDGET');
    const needed = Number(/needs (\d+) tokens/.exec(error.message)?.[1]);
    expect(needed).toBe(counter.count(text.bytes.toString()));
  });

  it('overflow outline shows headings', async () => {
    const long = `# One\n\n${'text '.repeat(100)}\n\n## Two\n\n\`\`\`\n# no\n\`\`\`\n${'more\n'.repeat(300)}`;
    const result = await readOk(
      reader,
      { bytes: Buffer.from(long), name: 'a.md' },
      { overflow: 'outline', maxTokens: 300 },
    );
    expect(result.text).toContain('1: # One\n5: ## Two\n');
    expect(result.text).not.toContain('# no');
  });

  it('a cursor of another content is stale', async () => {
    const reader = createReader({ environment: {}, limits: { maxLines: 200 } });
    const first = await readOk(reader, text);
    const cursor = first.truncation?.next?.cursor ?? '';
    const changed = { ...text, bytes: Buffer.concat([Buffer.from('x'), text.bytes]) };
    expect(failureOf(await reader.read(changed, { cursor })).code).toBe('STALE_CURSOR');
    expect((await readOk(reader, text, { cursor })).text).toMatch(/^line 201\n/);
  });
});

describe('several files under one budget', () => {
  const reader = createReader({ environment: {} });
  const long = { bytes: Buffer.from('a line of text that is fairly long\n'.repeat(400)), name: 'long.txt' };
  const small = { bytes, name: 'small.txt' };

  it('small files hand on what they do not use, and one bad file fails alone', async () => {
    const results = await reader.readMany([long, join(folder, 'missing.txt'), small, long], {
      maxTokens: 600,
    });
    expect(results.map(({ success }) => success)).toEqual([true, false, true, true]);
    const total = results.reduce((sum, result) => sum + (result.success ? counter.count(result.text) : 0), 0);
    expect(total).toBeLessThanOrEqual(600);
    expect(total).toBeGreaterThan(400);
  });

  it('what is no input fails alone, and what is no list is refused', async () => {
    const odd = [null, undefined, 5, {}, small] as never;
    const results = await reader.readMany(odd);
    expect(results.map((result) => (result.success ? 'read' : result.error.code))).toEqual([
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'read',
    ]);
    for (const none of [undefined, null, 'a.txt', {}] as never[])
      await expect(reader.readMany(none)).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringMatching(/^The inputs are .*; expected an array\.$/),
      });
  });

  it('every file is listed, even when nothing of it fits', async () => {
    const results = await reader.readMany([long, small, long], { maxTokens: 30 });
    for (const result of results) {
      expect(result.success && result.text).toMatch(/^==> (long|small)\.txt <==\n/);
    }
  });
});
