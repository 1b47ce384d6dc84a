// What the page draws of an answer: stretches that are shown, of which whole, and in which words.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { coverageOf, plural, sentenceOf, shareOf } from '../../../src/service/playground/page/coverage.ts';
import { segmentsOf } from '../../../src/service/playground/page/notes.ts';
import type { ReadSuccess } from '../../../src/service/playground/page/wire.ts';

const TABLE = `id,city\n${Array.from({ length: 400 }, (_, row) => `${row + 1},Lisbon`).join('\n')}\n`;

/** As the service answers; tables hold no binary content, which alone differs on the wire. */
async function read(text: string, name: string, request: object): Promise<ReadSuccess> {
  const result = await createReader().read({ bytes: Buffer.from(text), name }, request);
  if (!result.success) throw new Error(result.error.message);
  return result as ReadSuccess;
}

describe('coverage', () => {
  it('of a table: rows before columns, and the gap between', async () => {
    const answer = await read(TABLE, 'cities.csv', { maxTokens: 300 });
    const [rows, columns] = coverageOf([answer]);
    expect(rows).toMatchObject({ unit: 'row', of: 400 });
    expect(rows?.shown.length).toBe(2);
    expect(rows?.count).toBeLessThan(400);
    expect(columns).toMatchObject({ unit: 'column', of: 2, count: 2 });
    expect(shareOf([...(rows ? [rows] : [])])).toBe((rows?.count ?? 0) / 400);
  });

  it('of several answers merges adjacent ranges', async () => {
    const answers = await Promise.all(
      ['1-10', '11-20', '31-40'].map((rows) => read(TABLE, 'cities.csv', { rows })),
    );
    const [rows] = coverageOf(answers);
    expect(rows?.shown).toEqual([
      { from: 1, to: 20 },
      { from: 31, to: 40 },
    ]);
    expect(rows && sentenceOf(rows)).toBe('rows 1–20, 31–40 of 400');
  });

  it('as a sentence', () => {
    const whole = { unit: 'entry', name: 'data.zip', of: 1200, shown: [], count: 0 };
    expect(sentenceOf(whole)).toBe('none of 1,200 entries in data.zip');
    expect(sentenceOf({ ...whole, count: 1200 })).toBe('all 1,200 entries in data.zip');
    expect(sentenceOf({ unit: 'page', name: '', of: 1, shown: [{ from: 1, to: 1 }], count: 1 })).toBe(
      'the page',
    );
    expect(plural('page', 1)).toBe('page');
    expect(shareOf([])).toBe(1);
  });
});

describe('notes', () => {
  it('are everything except the content, and nothing is lost', async () => {
    const answer = await read(TABLE, 'cities.csv', { maxTokens: 300 });
    const segments = segmentsOf(answer);
    expect(segments.map(({ text }) => text).join('')).toBe(answer.text);
    const notes = segments.filter(({ note }) => note).map(({ text }) => text);
    expect(notes.join('')).toContain('left out');
    expect(notes.join('')).not.toContain('Lisbon');
  });

  it('are empty if the content does not occur in the text', () => {
    const part = { kind: 'text', text: 'other', at: [] } as unknown as ReadSuccess['content'][number]; // what is read of it
    expect(segmentsOf({ text: 'some text', content: [part] })).toEqual([{ text: 'some text', note: false }]);
  });
});
