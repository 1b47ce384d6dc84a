// Files under a password, made by other programs: what opens them, what does not, and where the password never appears.

import { describe, expect, it } from 'vitest';
import {
  createMemoryCache,
  createReader,
  createReadPool,
  type FileExtractionResult,
  type ReadRequest,
} from '../../src/index.ts';
import { lectern } from '../support/command-line.ts';

const FOLDER = 'fixtures/protected/';
const PLAIN = 'fixtures/';
/** Each protected file, and the same content without protection. */
const FILES: readonly (readonly [string, string])[] = [
  ['gauges-rc4.pdf', 'documents/gauges.pdf'],
  ['gauges-aes128.pdf', 'documents/gauges.pdf'],
  ['gauges-aes256.pdf', 'documents/gauges.pdf'],
  ['gates.pptx', 'documents/gates.pptx'],
  ['orders-standard.xlsx', 'tabular/orders.xlsx'],
  ['orders-agile.xlsx', 'tabular/orders.xlsx'],
  ['parcels.xls', 'tabular/parcels.xls'],
  ['parcels.ods', 'tabular/parcels.ods'],
  ['gates.odp', 'documents/gates.odp'],
  ['list.7z!/list.csv', '../test/processors/archive/samples/list.csv'],
  ['orders-aes128.zip!/orders.csv', 'tabular/orders.csv'],
  ['orders-aes256.zip!/orders.csv', 'tabular/orders.csv'],
  ['orders-zipcrypto.zip!/orders.csv', 'tabular/orders.csv'],
  ['orders-infozip.zip!/orders.csv', 'tabular/orders.csv'],
];
const WRONG = 'Zephyr-31-quokka';

const reader = createReader({ environment: {}, cache: false });

const codeOf = (result: FileExtractionResult): string => (result.success ? 'success' : result.error.code);
const textOf = (result: FileExtractionResult): string =>
  result.success
    ? result.content.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    : result.error.message;

describe.each(FILES)('%s', (name, plain) => {
  const path = FOLDER + name;

  it('reads as the file without protection', async () => {
    const result = await reader.read(path, { password: 'reader' });
    expect(codeOf(result)).toBe('success');
    const expected = textOf(await reader.read(PLAIN + plain));
    // LibreOffice saves numbers and styles its own way.
    if (name !== 'orders-standard.xlsx' && !name.startsWith('parcels')) expect(textOf(result)).toBe(expected);
    else expect(textOf(result)).toContain('São Paulo');
  });

  it('needs a password, and says how to pass one', async () => {
    const result = await reader.read(path);
    expect(result).toMatchObject({
      error: { code: 'ENCRYPTED_FILE', hint: 'Pass the password with `password`.' },
    });
    expect(codeOf(await reader.read(path, { password: '' }))).toBe('ENCRYPTED_FILE');
    expect(codeOf((await reader.inspect(path)) as FileExtractionResult)).toBe('ENCRYPTED_FILE');
  });

  it('refuses a wrong one without repeating it', async () => {
    const result = await reader.read(path, { password: WRONG });
    expect(codeOf(result)).toBe('WRONG_PASSWORD');
    expect(JSON.stringify(result)).not.toContain(WRONG);
  });

  it('keeps nothing in the cache, and does not serve a request without the password', async () => {
    const keys: string[] = [];
    const memory = createMemoryCache();
    const cached = createReader({
      environment: {},
      cache: {
        get: (key) => memory.get(key),
        put: (key, bytes) => {
          keys.push(key);
          return memory.put(key, bytes);
        },
      },
    });
    expect(codeOf(await cached.read(path, { password: 'reader' }))).toBe('success');
    expect(keys).toEqual([]);
    expect(codeOf(await cached.read(path))).toBe('ENCRYPTED_FILE');
    expect(codeOf(await cached.read(path, { password: WRONG }))).toBe('WRONG_PASSWORD');
  });
});

it('opens a PDF with the password of its owner, and one whose user password is empty', async () => {
  expect(codeOf(await reader.read(`${FOLDER}gauges-aes256.pdf`, { password: 'owner' }))).toBe('success');
  expect(codeOf(await reader.read(`${FOLDER}gauges-owner.pdf`))).toBe('success');
});

it("opens a workbook under Excel's default password without one, and may keep it", async () => {
  expect(codeOf(await reader.read(`${FOLDER}orders-read-only.xlsx`))).toBe('success');
});

it('reads a part of a protected package by its address', async () => {
  const path = `${FOLDER}gates.pptx!/[Content_Types].xml`;
  expect(textOf(await reader.read(path, { password: 'reader' }))).toContain('ContentType');
});

it('continues only with the password, which is not in the cursor', async () => {
  const path = `${FOLDER}orders-aes256.zip!/orders.csv`;
  const password = 'reader';
  const first = await reader.read(path, { password, maxTokens: 300 });
  if (!first.success || !first.truncation?.next) throw new Error('expected a cut answer');
  const { cursor } = first.truncation.next;
  const encodings = [
    cursor,
    ...cursor.split('.').map((word) => Buffer.from(word.replace(/^_k/, ''), 'base64url').toString()),
  ];
  expect(encodings.join(' ')).not.toContain(password);
  expect(JSON.stringify(first)).not.toContain(password);
  expect(codeOf(await reader.read(path, { cursor }))).toBe('ENCRYPTED_FILE');
  expect(codeOf(await reader.read(path, { cursor, password }))).toBe('success');
});

it('takes the password to a process of its own', async () => {
  const pool = createReadPool();
  const isolated = createReader({ environment: {}, isolation: pool, cache: false });
  try {
    for (const name of ['gauges-aes256.pdf', 'orders-agile.xlsx', 'orders-aes256.zip!/orders.csv']) {
      expect(codeOf(await isolated.read(FOLDER + name, { password: 'reader' }))).toBe('success');
      expect(codeOf(await isolated.read(FOLDER + name))).toBe('ENCRYPTED_FILE');
      const wrong = await isolated.read(FOLDER + name, { password: WRONG });
      expect(codeOf(wrong)).toBe('WRONG_PASSWORD');
      expect(JSON.stringify(wrong)).not.toContain(WRONG);
    }
  } finally {
    await isolated.close();
    await pool.close();
  }
});

it('of the reader opens files of requests without one, in any process', async () => {
  const pool = createReadPool();
  const options = { environment: {}, cache: false, password: 'reader' } as const;
  try {
    for (const own of [createReader(options), createReader({ ...options, isolation: pool })]) {
      expect(codeOf(await own.read(`${FOLDER}gauges-aes256.pdf`))).toBe('success');
      expect(await own.inspect(`${FOLDER}orders-agile.xlsx`)).toMatchObject({ success: true });
      expect(codeOf(await own.read(`${FOLDER}gauges-aes256.pdf`, { password: WRONG }))).toBe(
        'WRONG_PASSWORD',
      );
    }
  } finally {
    await pool.close();
  }
  expect(() => createReader({ environment: {}, password: 'x'.repeat(1025) })).toThrow('1025 characters');
});

it.each([42, 'x'.repeat(1025), null])('refuses a password that cannot be one', async (password) => {
  const result = await reader.read('fixtures/text/poem.txt', { password } as unknown as ReadRequest);
  expect(codeOf(result)).toBe('BAD_INPUT');
  expect(textOf(result)).not.toContain('xxx');
});

describe('on the command line', () => {
  const path = `${FOLDER}gauges-aes256.pdf`;

  it('comes from standard input or the environment', async () => {
    const piped = await lectern(['read', '--no-cache', '--password-stdin', path], 'reader\n');
    expect(piped.status).toBe(0);
    expect(piped.out).toContain('River gauges');
    const set = await lectern(['read', '--no-cache', path], '', { LECTERN_PASSWORD: 'reader' });
    expect(set.out).toBe(piped.out);
    const facts = await lectern(['inspect', path], '', { LECTERN_PASSWORD: 'reader' });
    expect(facts.status).toBe(0);
  });

  it('is named in the hint by its flag, and never shown', async () => {
    const missing = await lectern(['read', path]);
    expect(missing).toMatchObject({ status: 9, err: expect.stringContaining('`--password-stdin`') });
    const wrong = await lectern(['read', '--password-stdin', path], `${WRONG}\n`);
    expect(wrong.status).toBe(22);
    expect(wrong.out + wrong.err).not.toContain(WRONG);
  });

  it('does not share standard input with a file', async () => {
    expect((await lectern(['read', '--password-stdin', '-'], 'reader\n')).status).toBe(2);
    expect((await lectern(['read', '--password-stdin', path], '')).status).toBe(2);
  });
});
