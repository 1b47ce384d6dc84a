import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

it('refuses a whole that one answer cannot hold', async () => {
  const reader = createReader({ environment: {}, limits: { maxAnswerBytes: 20_000 } });
  const read = (characters: number) =>
    reader.read({ bytes: Buffer.from('x'.repeat(characters)), name: 'a.txt' }, { all: true });
  expect(await read(10_000)).toMatchObject({ success: true, truncation: null });
  expect(await read(10_001)).toMatchObject({ success: false, error: { code: 'LIMIT_EXCEEDED' } });
});

describe('the text of a file read whole', () => {
  const LONG = `${'x'.repeat(70_000)}${'äöü'.repeat(30_000)}`;
  it.each([
    ['one line without an end', LONG],
    ['long lines', `${LONG}\r\n${LONG}\nlast`],
    ['lines that end with CR', `${'y'.repeat(99)}\r`.repeat(3000)],
    ['a line end that is cut in two', `${'y'.repeat(65_535)}\r\n`.repeat(4)],
  ])('has its characters and no others: %s', async (_case, text) => {
    const reader = createReader({ environment: {} });
    const result = await reader.read({ bytes: Buffer.from(text), name: 'a.txt' }, { all: true });
    expect(result.success && result.text === text).toBe(true);
  });

  it('has one number a line, however long', async () => {
    const reader = createReader({ environment: {} });
    const bytes = Buffer.from(`${LONG}\n${LONG}\n`);
    const result = await reader.read({ bytes, name: 'a.txt' }, { all: true, numbered: true });
    expect(result.success && result.text === `1: ${LONG}\n2: ${LONG}\n`).toBe(true);
  });
});
