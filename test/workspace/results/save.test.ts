import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import { saveResult } from '../../../src/workspace/results/save/save.ts';
import type { ResultStore } from '../../../src/workspace/results/staging.ts';
import type { SavedResult, SaveOptions } from '../../../src/workspace/workspace.ts';

let root: string;
let store: ResultStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-save-'));
  store = new Root({ base: root });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const context = {
  limits: { previewTokens: 1000 },
  preview: (path: string, tokens: number): Promise<string> => Promise.resolve(`${path} in ${tokens}`),
};

function save(input: unknown, options: SaveOptions = {}, into: ResultStore = store): Promise<SavedResult> {
  return saveResult(into, input, options, context);
}

function content(saved: { readonly path: string }): Promise<string> {
  return readFile(join(root, saved.path), 'utf8');
}

function csv(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' });
  expect(errors).toEqual([]);
  expect(data.pop()).toEqual(['']);
  return data;
}

async function failureOf(promise: Promise<unknown>): Promise<ReaderError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ReaderError) return error;
  throw new Error(`No ReaderError: ${String(error)}`);
}

/** Every file below the root, whatever its name. */
async function files(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Rows one by one, and whether their source was told to stop. */
function source(
  rows: Iterable<unknown>,
  onTake: (taken: number) => void = () => undefined,
): AsyncIterable<unknown> & { closed: boolean; taken: number } {
  const state = {
    closed: false,
    taken: 0,
    async *[Symbol.asyncIterator]() {
      try {
        for (const row of rows) {
          state.taken += 1;
          onTake(state.taken);
          yield row;
        }
      } finally {
        state.closed = true;
      }
    },
  };
  return state;
}

function* many(count: number): Generator<Record<string, unknown>> {
  for (let id = 1; id <= count; id += 1) yield { id, name: `name ${id}` };
}

describe('what is given', () => {
  test('rows become CSV with their facts', async () => {
    const saved = await save([
      { id: 1, name: 'a, b' },
      { id: 2, name: null },
    ]);
    const text = 'id,name\n1,"a, b"\n2,\n';
    expect(saved).toEqual({
      path: 'results/result.csv',
      mounted: '/workspace/results/result.csv',
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
      replaced: false,
      format: 'csv',
      rows: 2,
      columns: [
        { name: 'id', type: 'integer', nulls: 0, distinct: 2 },
        { name: 'name', type: 'string', nulls: 1, distinct: 1 },
      ],
      notes: [],
      preview: 'results/result.csv in 1000',
    });
    expect(await content(saved)).toBe(text);
  });

  test.each([
    ['an array', [...many(3)]],
    ['an iterable', many(3)],
    ['an async iterable', source(many(3))],
    ['a Node stream', Readable.from(many(3))],
    ['a web stream', ReadableStream.from(many(3))],
    ['a Set', new Set(many(3))],
    ['a promise', Promise.resolve([...many(3)])],
  ])('%s of rows', async (_, input) => {
    expect(await content(await save(input))).toBe('id,name\n1,name 1\n2,name 2\n3,name 3\n');
  });

  test.each<[string, unknown, string, string]>([
    ['text', 'é\n', 'results/result.txt', 'é\n'],
    ['bytes', Buffer.from('é'), 'results/result.txt', 'é'],
    ['bytes that are no text', Uint8Array.of(0, 1), 'results/result.bin', '\0\u0001'],
    ['an ArrayBuffer', Uint8Array.of(65).buffer, 'results/result.txt', 'A'],
    ['a Blob', new Blob(['a', 'b']), 'results/result.txt', 'ab'],
    ['a stream of bytes', Readable.from([Buffer.from('a'), Buffer.from('b')]), 'results/result.txt', 'ab'],
    ['a web stream of text', ReadableStream.from(['a', 'b']), 'results/result.txt', 'ab'],
    ['a pair parted between pieces', Readable.from(['x\ud83d', '\ude00']), 'results/result.txt', 'x😀'],
    ['an empty stream of bytes', Readable.from([], { objectMode: false }), 'results/result.txt', ''],
    [
      'an object',
      { a: { b: [1, 2] } },
      'results/result.json',
      '{\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  }\n}\n',
    ],
    ['a number', 5, 'results/result.json', '5\n'],
    ['null', null, 'results/result.json', 'null\n'],
    ['a list of no rows', [1, 'a', null], 'results/result.json', '[\n1,\n"a",\nnull\n]\n'],
    ['a Map', new Map([['a', 1]]), 'results/result.json', '{\n  "a": 1\n}\n'],
    ['nothing at all, in a list', [], 'results/result.csv', ''],
  ])('saves %s', async (_, input, path, text) => {
    const saved = await save(input);
    expect(saved.path).toBe(path);
    expect(await content(saved)).toBe(text);
  });

  test('text keeps its form whatever the name says', async () => {
    expect(await content(await save('a;b\n', { name: 'x.csv' }))).toBe('a;b\n');
    expect(await content(await save(Readable.from(['{}\n']), { format: 'jsonl' }))).toBe('{}\n');
  });

  test.each<[string, unknown, SaveOptions]>([
    ['nothing', undefined, {}],
    ['a function', () => 1, {}],
    ['text as a workbook', 'a', { format: 'xlsx' }],
    ['an unknown format', [], { format: 'parquet' as 'csv' }],
    ['columns that are no list', [], { columns: 'a' as unknown as string[] }],
    ['a name that is no text', [], { name: 5 as unknown as string }],
    ['a stream that changes its mind', Readable.from(['a', { b: 1 }]), {}],
  ])('refuses %s', async (_, input, options) => {
    const error = await failureOf(save(input, options));
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
    expect(await files()).toEqual([]);
  });
});

describe('columns', () => {
  test('of arrays have numbers, or the names given', async () => {
    expect(await content(await save([[1, 2], [3]]))).toBe('column_1,column_2\n1,2\n3,\n');
    expect(await content(await save([[1, 2, 3]], { columns: ['a', 'b'] }))).toBe('a,b,column_3\n1,2,3\n');
    expect(await content(await save([{ b: 2, a: 1 }], { columns: ['a', 'b'] }))).toBe('a,b\n1,2\n');
    expect(await content(await save([[1, 2]], { columns: ['a', 'a'] }))).toBe('a,a_2\n1,2\n');
    expect(await content(await save([[1, 2]], { columns: ['a', 'b'], format: 'jsonl' }))).toBe(
      '{"a":1,"b":2}\n',
    );
  });

  test('of rows of every shape come together', async () => {
    const rows = [{ a: 1 }, [2, 3], 4, null, { b: 5, a: 6 }, new Map([['a', 7]]), new Set([8])];
    expect(await content(await save(rows, { format: 'csv' }))).toBe(
      'a,column_2,value,b\n1,,,\n2,3,,\n,,4,\n,,,\n6,,,5\n7,,,\n8,,,\n',
    );
    expect(await content(await save(rows, { format: 'jsonl' }))).toBe(
      '{"a":1}\n[2,3]\n4\nnull\n{"b":5,"a":6}\n{"a":7}\n[8]\n',
    );
  });

  test.each([900, 1500, 3000])(
    'that appear in row %d are in the header, and every row is as long',
    async (late) => {
      const rows = [
        ...many(late - 1),
        { id: late, name: 'last "one",\nin two lines', 'late, very': true },
        { more: 1 },
      ];
      const saved = await save(rows.values());
      const parsed = csv(await content(saved));
      expect(parsed[0]).toEqual(['id', 'name', 'late, very', 'more']);
      expect(parsed.every((row) => row.length === 4)).toBe(true);
      expect(parsed.slice(1, late)).toEqual(
        [...many(late - 1)].map(({ id, name }) => [`${id}`, name, '', '']),
      );
      expect(parsed.slice(late)).toEqual([
        [`${late}`, 'last "one",\nin two lines', 'true', ''],
        ['', '', '', '1'],
      ]);
      expect(saved.bytes).toBe(Buffer.byteLength(await content(saved)));
      expect(saved.rows).toBe(late + 1);
      expect(saved.columns?.map(({ nulls }) => nulls)).toEqual([1, 1, late, late]);
      expect(await files()).toEqual(['result.csv']);
    },
  );

  test('that appear in row after row are all there', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => ({ [`c${Math.floor(row / 10)}`]: 'a"\n' }));
    const parsed = csv(await content(await save(rows)));
    expect(parsed[0]).toHaveLength(300);
    for (const [row, values] of parsed.slice(1).entries()) {
      expect(values).toHaveLength(300);
      expect(values.indexOf('a"\n')).toBe(Math.floor(row / 10));
    }
  });

  test('beyond what a table holds are refused in CSV and kept in JSON Lines', async () => {
    const rows = Array.from({ length: 17 }, (_, row) =>
      Object.fromEntries(Array.from({ length: 1000 }, (__, key) => [`k${row * 1000 + key}`, key])),
    );
    const error = await failureOf(save(rows));
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
    const saved = await save(rows, { format: 'jsonl' });
    expect(
      (await content(saved))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    expect(saved.columns).toHaveLength(16_384);
    expect(saved.notes).toMatchSnapshot();
  });

  test('are described by type, what is missing and what differs', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => ({
      integer: row,
      few: row % 900,
      number: row % 2 ? row : row / 3,
      boolean: row % 3 === 0,
      string: `a longer text, number ${row}`,
      twice: `a longer text, number ${row % 700}`,
      date: new Date(row * 1000),
      json: [row % 5],
      mixed: row % 2 ? row : `${row}`,
      big: 2n ** 70n + BigInt(row % 3),
      empty: row % 2 ? null : undefined,
      holes: row % 4 ? 1 : null,
    }));
    const { columns } = await save(rows.values(), { format: 'jsonl' });
    const found = Object.fromEntries((columns ?? []).map(({ name, ...facts }) => [name, facts]));
    for (const name of ['integer', 'string', 'date', 'number', 'mixed']) {
      const distinct = found[name]?.distinct ?? 0;
      expect(Math.abs(distinct - 20_000)).toBeLessThan(20_000 * 0.05);
    }
    expect(
      Object.fromEntries(Object.entries(found).map(([name, { type, nulls }]) => [name, `${type} ${nulls}`])),
    ).toEqual({
      integer: 'integer 0',
      few: 'integer 0',
      number: 'number 0',
      boolean: 'boolean 0',
      string: 'string 0',
      twice: 'string 0',
      date: 'date 0',
      json: 'json 0',
      mixed: 'mixed 0',
      big: 'integer 0',
      empty: 'empty 20000',
      holes: 'integer 5000',
    });
    expect(
      ['few', 'boolean', 'twice', 'json', 'big', 'empty', 'holes'].map((name) => found[name]?.distinct),
    ).toEqual([900, 2, 700, 5, 3, 0, 1]);
  });
});

describe('no rows', () => {
  test.each(['csv', 'jsonl', 'json', 'xlsx'] as const)(
    'make a valid %s file, and are told',
    async (format) => {
      const saved = await save([], { format });
      expect(saved).toMatchObject({ rows: 0, columns: null });
      expect(saved.notes).toEqual(['There were no rows, so the column names are unknown.']);
      if (format !== 'xlsx') expect(await content(saved)).toBe(format === 'json' ? '[]\n' : '');
    },
  );

  test('have columns where they are named', async () => {
    const saved = await save([], { columns: ['a', 'b'] });
    expect(await content(saved)).toBe('a,b\n');
    expect(saved.columns?.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('rows without columns are still rows', async () => {
    const saved = await save([{}, {}]);
    expect(saved.rows).toBe(2);
    expect(await content(saved)).toBe('""\n""\n""\n');
  });
});

describe('names', () => {
  test.each<[string | undefined, unknown, string]>([
    [undefined, [], 'results/result.csv'],
    ['orders', [], 'results/orders.csv'],
    ['orders.csv', [], 'results/orders.csv'],
    ['ORDERS.CSV', [], 'results/ORDERS.CSV'],
    ['orders.jsonl', [], 'results/orders.jsonl'],
    ['orders.ndjson', [], 'results/orders.ndjson'],
    ['orders.tsv', [], 'results/orders.tsv.csv'],
    ['notes.md', 'text', 'results/notes.md'],
    ['v1.2', 'text', 'results/v1.2.txt'],
    ['.csv', [], 'results/.csv.csv'],
    ['reports/q3', [], 'reports/q3.csv'],
    ['/workspace/reports/q3.json', [], 'reports/q3.json'],
    ['reports/', [], 'reports/result.csv'],
    ['report..final', [], 'results/report..final.csv'],
    ['[...slug]', [], 'results/[...slug].csv'],
    ['-rf', [], 'results/-rf.csv'],
    ['..', [], 'results/result.csv'],
    ['', [], 'results/result.csv'],
    ['a:b?c*d|e\\f\u0000g\u202eh', [], 'results/a-b-c-d-e-f-g-h.csv'],
    ['call|fc_'.repeat(60), [], `results/${'call-fc_'.repeat(15)}.csv`],
    ['é'.repeat(200), [], `results/${'é'.repeat(60)}.csv`],
  ])('makes a file name of %j', async (name, input, path) => {
    const saved = await save(input, name === undefined ? {} : { name });
    expect(saved.path).toBe(path);
    expect(existsSync(join(root, path))).toBe(true);
  });

  test('that lead out are refused', async () => {
    expect((await failureOf(save([], { name: '../x' }))).code).toBe('PATH_ESCAPES_WORKSPACE');
    expect((await failureOf(save([], { name: '/etc/x' }))).code).toBe('PATH_ESCAPES_WORKSPACE');
  });

  test('that are taken get a number, one after the other and at once', async () => {
    const one = await save([{ a: 1 }], { name: 'x' });
    const two = await save([{ a: 2 }], { name: 'x' });
    const more = await Promise.all([3, 4, 5, 6].map((a) => save([{ a }], { name: 'x' })));
    const paths = [one, two, ...more].map(({ path }) => path);
    expect(paths.slice(0, 2)).toEqual(['results/x.csv', 'results/x-2.csv']);
    expect([...paths].sort()).toEqual([
      'results/x-2.csv',
      'results/x-3.csv',
      'results/x-4.csv',
      'results/x-5.csv',
      'results/x-6.csv',
      'results/x.csv',
    ]);
    for (const [index, saved] of [one, two, ...more].entries())
      expect(await content(saved)).toBe(`a\n${index + 1}\n`);
  });

  test('that many have taken are numbered in few tries', async () => {
    await mkdir(join(root, 'results'));
    for (let number = 1; number <= 500; number += 1)
      await writeFile(join(root, `results/x${number === 1 ? '' : `-${number}`}.csv`), '');
    let tries = 0;
    const counting: ResultStore = {
      createFile: (path, options) => {
        tries += 1;
        return store.createFile(path, options);
      },
    };
    expect((await save([{ a: 1 }], { name: 'x' }, counting)).path).toBe('results/x-501.csv');
    expect(tries).toBeLessThan(25);
  });

  test('are replaced when that is asked for', async () => {
    await save([{ a: 1 }], { name: 'x' });
    const saved = await save([{ a: 2 }], { name: 'x', overwrite: true });
    expect(saved).toMatchObject({ path: 'results/x.csv', replaced: true });
    expect(await content(saved)).toBe('a\n2\n');
  });
});

describe('when it fails', () => {
  test('a source that throws is closed, nothing is there, and the rows taken are told', async () => {
    const rows = source(
      (function* () {
        yield* many(2500);
        throw new Error('password=secret at /home/me/db.ts');
      })(),
    );
    const error = await failureOf(save(rows));
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
    expect(error.cause).toBeInstanceOf(Error);
    expect(rows.closed).toBe(true);
    expect(await files()).toEqual([]);
  });

  test('a row that cannot be saved closes its source', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = { list: [cyclic] };
    const rows = source([{ a: 1 }, { a: 2, b: cyclic }, { a: 3 }]);
    const error = await failureOf(save(rows));
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
    expect(rows).toMatchObject({ closed: true, taken: 2 });
    expect(await files()).toEqual([]);
  });

  test('rows in memory are said to be still there', async () => {
    const row = {
      get bad(): never {
        throw new Error('no');
      },
    };
    const error = await failureOf(save([{ bad: 1 }, row]));
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
  });

  test('a full disk closes the source and tells the rows taken', async () => {
    const full = new ReaderError('QUOTA_EXCEEDED', 'No space is left.', 'Remove files.');
    const rows = source(many(100_000));
    let discarded = 0;
    const failing: ResultStore = {
      createFile: async (path, options) => {
        const file = await store.createFile(path, options);
        return {
          write: () => Promise.reject(full),
          commit: () => Promise.reject(new Error('never')),
          readBack: () => Promise.resolve(0),
          discard: () => {
            discarded += 1;
            return file.discard();
          },
        };
      },
    };
    const error = await failureOf(save(rows, {}, failing));
    expect(error.code).toBe('QUOTA_EXCEEDED');
    expect(error.message).toMatch(
      /^No space is left\. Nothing was saved; \d+ rows had been read from the source\.$/,
    );
    expect(rows.closed).toBe(true);
    expect(rows.taken).toBeLessThan(50_000);
    expect(discarded).toBe(1);
    expect(await files()).toEqual([]);
  });

  test('a folder that cannot be made is told', async () => {
    await mkdir(join(root, 'a'));
    await save('text', { name: 'a/file' });
    const error = await failureOf(save([{ a: 1 }], { name: 'a/file.txt/b' }));
    expect(error).toBeInstanceOf(ReaderError);
    expect(error.message).not.toContain(root);
    expect(error.message).toContain('Nothing was saved; the caller still has all of the input');
  });

  test('a preview that fails leaves the result saved', async () => {
    const saved = await saveResult(
      store,
      [{ a: 1 }],
      {},
      {
        ...context,
        preview: () => Promise.reject(new Error('no')),
      },
    );
    expect(saved.preview).toBe('');
    expect(saved.notes).toEqual(['The preview failed.']);
    expect(await content(saved)).toBe('a\n1\n');
  });

  test('no preview is made for 0 tokens, and the budget is handed on', async () => {
    expect((await save([], { previewTokens: 0 })).preview).toBe('');
    expect((await save([], { previewTokens: 7 })).preview).toContain('in 7');
  });
});

describe('giving up', () => {
  test.each<readonly [string, (hangs: () => Promise<never>) => unknown]>([
    ['a promise', (hangs) => hangs()],
    ['a first item', (hangs) => ({ [Symbol.asyncIterator]: () => ({ next: hangs, return: hangs }) })],
    ['a first piece', (hangs) => new ReadableStream({ pull: hangs })],
  ])('a source that never gives %s is left', async (_, sourceOf) => {
    const stop = new AbortController();
    const hangs = (): Promise<never> => {
      queueMicrotask(() => stop.abort());
      return new Promise(() => undefined);
    };
    const error = await failureOf(save(sourceOf(hangs), { signal: stop.signal }));
    expect(error.code).toBe('ABORTED');
    expect(await readdir(root)).toEqual([]);
  });

  test('before anything is taken', async () => {
    const rows = source(many(3));
    const error = await failureOf(save(rows, { signal: AbortSignal.abort() }));
    expect(error.code).toBe('ABORTED');
    expect(rows.taken).toBe(0);
  });

  test('in the middle closes the source and leaves nothing', async () => {
    const controller = new AbortController();
    const rows = source(many(Number.POSITIVE_INFINITY), (taken) => {
      if (taken === 5000) controller.abort();
    });
    const saving = save(rows, { signal: controller.signal });
    const error = await failureOf(saving);
    expect(error.code).toBe('ABORTED');
    expect(error.message).toMatch(
      /^The (save|write) was cancelled\. Nothing was saved; \d+ rows had been read/,
    );
    await expect.poll(() => rows.closed, { timeout: 60_000 }).toBe(true);
    expect(await files()).toEqual([]);
  });

  test('while a source keeps silent', async () => {
    const controller = new AbortController();
    let returned = false;
    const silent = {
      [Symbol.asyncIterator]: () => ({
        sent: 0,
        next() {
          this.sent += 1;
          if (this.sent === 1) return Promise.resolve({ done: false, value: { a: 1 } });
          setImmediate(() => controller.abort());
          return new Promise<never>(() => undefined);
        },
        return() {
          returned = true;
          return new Promise<never>(() => undefined);
        },
      }),
    };
    const saving = save(silent, { signal: controller.signal });
    expect((await failureOf(saving)).code).toBe('ABORTED');
    expect(returned).toBe(true);
    expect(await files()).toEqual([]);
  });
});

test('giving up while the header is being widened leaves nothing', async () => {
  const controller = new AbortController();
  let created = 0;
  let goOn: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slowly: ResultStore = {
    createFile: async (path) => {
      const file = await store.createFile(path, {});
      created += 1;
      if (created < 2) return file;
      controller.abort();
      // The caller has its answer before this returns.
      await answered;
      return file;
    },
  };
  const rows = [...many(1500), { late: 1 }];
  expect((await failureOf(save(rows, { signal: controller.signal }, slowly))).code).toBe('ABORTED');
  goOn();
  await expect.poll(files, { timeout: 60_000 }).toEqual([]);
  expect(created).toBe(2);
});

describe('progress', () => {
  test('rises to the end', async () => {
    const seen: { rows: number; bytes: number }[] = [];
    const saved = await save(source(many(200_000)), { onProgress: (progress) => void seen.push(progress) });
    expect(seen.at(-1)).toEqual({ rows: 200_000, bytes: saved.bytes });
    for (const [index, { rows }] of seen.entries())
      expect(rows).toBeGreaterThanOrEqual(seen[index - 1]?.rows ?? 0);
  });

  test('that throws ends the save, and nothing else', async () => {
    const error = await failureOf(
      save(source(many(Number.POSITIVE_INFINITY)), {
        onProgress: () => {
          throw new Error('no');
        },
      }),
    );
    expect(error.code).toBe('INTERNAL');
    expect(await files()).toEqual([]);
  });
});

test('a source is asked no faster than the file is written', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const rows = source(many(1_000_000));
  const slow: ResultStore = {
    createFile: async (path, options) => {
      const file = await store.createFile(path, options);
      return {
        write: async (bytes) => {
          begin();
          await held;
          await file.write(bytes);
        },
        commit: (name) => file.commit(name),
        readBack: (target, position) => file.readBack(target, position),
        discard: () => file.discard(),
      };
    },
  };
  const saving = save(rows, {}, slow);
  await begun;
  // Whoever asks faster has many turns to do so.
  for (let turn = 0; turn < 10_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const taken = rows.taken;
  expect(taken).toBeGreaterThan(1000);
  expect(taken).toBeLessThan(60_000);
  release();
  expect((await saving).rows).toBe(1_000_000);
});

test('a process that is killed in the middle leaves nothing in the workspace, and the next one sweeps up', async () => {
  const writer = new URL('../../support/save-result-writer.mjs', import.meta.url);
  const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
  const child = spawn(process.execPath, [fileURLToPath(writer), dist, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(await files()).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const inside = (): Promise<string[]> => readdir(join(root, 'workspaces/user/session'), { recursive: true });
  const waiting = (): Promise<string[]> => readdir(join(root, 'workspaces/_staging/user/session'));
  expect(await inside().catch(() => [])).toEqual([]);
  expect(await waiting()).toHaveLength(1);

  const stored = new Root({
    base: root,
    below: ['workspaces', 'user', 'session'],
    staging: ['workspaces', '_staging', 'user', 'session'],
  });
  await save([{ a: 1 }], {}, stored);
  expect(await inside()).toEqual(['results', 'results/result.csv']);
  expect(await waiting()).toEqual([]);
});

test('refuses a preview of less than nothing before it saves', async () => {
  await expect(saveResult(store, [{ a: 1 }], { previewTokens: -1 }, context)).rejects.toMatchObject({
    code: 'BAD_INPUT',
  });
  expect(await readdir(root)).toEqual([]);
});
