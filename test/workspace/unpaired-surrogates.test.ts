// Unpaired surrogates in results: every format writes U+FFFD in their place and says so, since UTF-8 cannot encode them
// and strict readers of JSON refuse the escapes that stand for them.

import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createReader, createWorkspace, type ResultFormat, type SavedResult } from '../../src/index.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-surrogates-'));
});

const save = (input: unknown, format: ResultFormat, columns?: readonly string[]): Promise<SavedResult> =>
  createWorkspace({ root }).saveResult(input, {
    format,
    overwrite: true,
    ...(columns && { columns }),
  });

/** The text of a file, every byte of which must be UTF-8, and which must not hold escapes of surrogates. */
async function strictText({ path }: SavedResult): Promise<string> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(join(root, path)));
  expect(text).not.toMatch(/\\ud[89a-f]/i);
  return text;
}

const ROWS = [
  { 'key\ud800': 'value\udc00', nested: { 'inner\ud83d': ['\ud800', { a: 'x\ud800y' }] }, pair: '😀' },
  { 'key\ud800': `${'long '.repeat(40)}\udfff`, nested: null, pair: 'é' },
];
const WRITTEN = [
  { 'key\ufffd': 'value\ufffd', nested: { 'inner\ufffd': ['\ufffd', { a: 'x\ufffdy' }] }, pair: '😀' },
  { 'key\ufffd': `${'long '.repeat(40)}\ufffd`, nested: null, pair: 'é' },
];
const NOTE = 'Unpaired surrogates, which UTF-8 cannot encode, are written as `\ufffd`: 6 texts.';

describe('rows', () => {
  test.each(['json', 'text'] as const)('as %s', async (format) => {
    const saved = await save(ROWS, format);
    expect(JSON.parse(await strictText(saved))).toEqual(WRITTEN);
    expect(saved.notes).toEqual([NOTE]);
  });

  test('as jsonl', async () => {
    const saved = await save(ROWS, 'jsonl');
    expect(
      (await strictText(saved))
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(WRITTEN);
    expect(saved.notes).toEqual([NOTE]);
    expect(saved.columns?.map(({ name }) => name)).toEqual(['key\ufffd', 'nested', 'pair']);
    expect(saved.preview).toContain('value\ufffd');
  });

  test('as csv', async () => {
    const saved = await save(ROWS, 'csv');
    expect((await strictText(saved)).split('\n').slice(0, 2)).toEqual([
      'key\ufffd,nested,pair',
      'value\ufffd,"{""inner\ufffd"":[""\ufffd"",{""a"":""x\ufffdy""}]}",😀',
    ]);
    expect(saved.notes).toEqual([NOTE]);
  });

  test('as xlsx', async () => {
    const saved = await save(ROWS, 'xlsx');
    expect(saved.notes).toEqual([NOTE]);
    const shown = await createReader({ cache: false }).read(join(root, saved.path), { format: 'json' });
    expect(shown).toMatchObject({ success: true });
    expect(shown.success && shown.text).toContain('value\ufffd');
    expect(shown.success && shown.text).not.toMatch(/\p{Surrogate}|\\ud[89a-f]/iu);
  });
});

test('one value as JSON', async () => {
  const saved = await save(new Map([['k\udc00', new Set(['v\ud800'])]]), 'json');
  expect(JSON.parse(await strictText(saved))).toEqual({ 'k\ufffd': ['v\ufffd'] });
  expect(saved.notes).toEqual([
    'Unpaired surrogates, which UTF-8 cannot encode, are written as `\ufffd`: 2 texts.',
  ]);
});

test('text as text', async () => {
  const saved = await save('a\ud800b', 'text');
  expect(await strictText(saved)).toBe('a\ufffdb');
  expect(saved.notes).toEqual([
    'Unpaired surrogates, which UTF-8 cannot encode, are written as `\ufffd`: 1 text.',
  ]);
});

test.each(['json', 'jsonl'] as const)('JSON as text in %s', async (format) => {
  const saved = await save('{"a":"x\\ud800y \\uD83D\\uDE00 \\\\ud800"}', format);
  const text = await readFile(join(root, saved.path), 'utf8');
  expect(text).toBe('{"a":"x\ufffdy \\uD83D\\uDE00 \\\\ud800"}');
  expect(saved.notes).toEqual([
    'Unpaired surrogates, which UTF-8 cannot encode, are written as `\ufffd`: 1 text.',
  ]);
});

describe('keys that only differ in unpaired surrogates stay apart', () => {
  test.each([
    ['jsonl', '{"\ufffd":1,"\ufffd_2":2,"\ufffd_3":3}\n{"\ufffd_3":4,"\ufffd":5}\n'],
    ['csv', '\ufffd,\ufffd_2,\ufffd_3\n1,2,3\n5,,4\n'],
  ] as const)('as columns of %s', async (format, text) => {
    const rows = [
      { '\ud800': 1, '\ud801': 2, '\ufffd': 3 },
      { '\ufffd': 4, '\ud800': 5 },
    ];
    const saved = await save(rows, format);
    expect(await strictText(saved)).toBe(text);
    expect(saved.columns?.map(({ name }) => name)).toEqual(['\ufffd', '\ufffd_2', '\ufffd_3']);
  });

  test('as columns named by the caller', async () => {
    const saved = await save([[1, 2, 3]], 'jsonl', ['\ud800', '\ufffd', '\ufffd']);
    expect(await strictText(saved)).toBe('{"\ufffd":1,"\ufffd_2":2,"\ufffd_3":3}\n');
  });

  test('inside a value', async () => {
    const saved = await save({ of: { '\ud800': 1, '\ud801': 2, '\ufffd': 3, a: 4 } }, 'json');
    expect(await strictText(saved)).toBe(
      '{\n  "of": {\n    "\ufffd_2": 1,\n    "\ufffd_3": 2,\n    "\ufffd": 3,\n    "a": 4\n  }\n}\n',
    );
  });
});
