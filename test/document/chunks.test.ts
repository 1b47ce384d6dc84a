// What a chunk may hold and where it ends, for blocks of every kind.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, type ChunkBlock, chunksOf } from '../../src/document/index.ts';
import { createTokenCounter } from '../../src/tokens/index.ts';

const tokenizer = createTokenCounter();
const place = { unit: 'page', from: 1, to: 1 } as const;

const paragraph = (text: string, headings: readonly string[] = []): ChunkBlock => ({
  kind: 'text',
  text: `${text}\n\n`,
  headings,
  place,
});
const heading = (opens: number, title: string, headings: readonly string[] = [title]): ChunkBlock => ({
  kind: 'heading',
  text: `${'#'.repeat(opens)} ${title}\n\n`,
  opens,
  headings,
  place,
});

function table(header: string, rows: readonly string[]): ChunkBlock {
  const before = `${header}\n| --- | --- |\n`;
  const items: number[] = [];
  let text = before;
  for (const row of rows) {
    if (text !== before) items.push(text.length);
    text += `${row}\n`;
  }
  return { kind: 'table', text: `${text}\n`, items, frame: { before, after: '' }, headings: [], place };
}

async function chunks(blocks: readonly ChunkBlock[], maxTokens: number, overlap = 0): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const chunk of chunksOf(blocks, { maxTokens, overlap, tokenizer })) all.push(chunk);
  for (const { text, tokens, own } of all) {
    expect(tokens).toBe(tokenizer.count(text));
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    expect(own[1]).toBeLessThanOrEqual(text.length);
  }
  return all;
}

const ownText = (all: readonly Chunk[]): string => all.map(({ text, own }) => text.slice(...own)).join('\n');
const sentence = (word: string, count: number): string => `${Array(count).fill(word).join(' ')}.`;

describe('a chunk', () => {
  it('joins small blocks, and ends between blocks', async () => {
    const blocks = ['one', 'two', 'three', 'four'].map((word) => paragraph(sentence(word, 8)));
    const texts = (await chunks(blocks, 24)).map(({ text }) => text);
    expect(texts).toEqual([
      `${sentence('one', 8)}\n\n${sentence('two', 8)}`,
      `${sentence('three', 8)}\n\n${sentence('four', 8)}`,
    ]);
  });

  it('does not end with a heading', async () => {
    const blocks = [paragraph(sentence('one', 12)), heading(2, 'Next'), paragraph(sentence('two', 12))];
    expect((await chunks(blocks, 20)).map(({ text }) => text)).toEqual([
      sentence('one', 12),
      `## Next\n\n${sentence('two', 12)}`,
    ]);
    const title = heading(2, Array(14).fill('long').join(' '));
    const [first] = await chunks([paragraph('One by one.'), title, paragraph(sentence('two', 40))], 60);
    expect(first?.text).toBe('One by one.');
  });

  it('keeps a heading with the beginning of a block that is too long', async () => {
    const blocks = [heading(1, 'Title'), paragraph(Array(12).fill(sentence('word', 5)).join(' '), ['Title'])];
    const [first, ...more] = await chunks(blocks, 24);
    expect(first?.text.startsWith('# Title\n\nword')).toBe(true);
    expect(more.every(({ headings }) => headings[0] === 'Title')).toBe(true);
  });

  it('holds no two sections that are both long enough', async () => {
    const section = (title: string, count: number): ChunkBlock[] => [
      heading(1, title),
      paragraph(sentence('word', count), [title]),
    ];
    const long = await chunks([...section('A', 30), ...section('B', 30)], 100);
    expect(long.map(({ headings }) => headings)).toEqual([['A'], ['B']]);
    const short = await chunks([...section('A', 30), ...section('B', 5)], 100);
    expect(short).toHaveLength(1);
  });

  it('repeats the header of a table, and cuts no row', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `| Row ${at} | ${at * 7} |`);
    const all = await chunks([table('| Name | Value |', rows)], 64);
    expect(all.length).toBeGreaterThan(3);
    for (const { text } of all) {
      const [header, rule, ...lines] = text.split('\n');
      expect([header, rule]).toEqual(['| Name | Value |', '| --- | --- |']);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.every((line) => rows.includes(line))).toBe(true);
    }
  });

  it('cuts a row that is too long, with its header', async () => {
    const all = await chunks(
      [table('| Name | Value |', [`| a | ${sentence('word', 200)} |`, '| b | 2 |'])],
      64,
    );
    expect(all.at(-1)?.text).toContain('| b | 2 |');
    expect(all.length).toBeGreaterThan(3);
    for (const { text } of all) expect(text.startsWith('| Name | Value |')).toBe(true);
  });

  it('cuts code at its outermost lines, inside its fences', async () => {
    const code = Array.from({ length: 12 }, (_, at) => `f${at}() {\n  return ${at};\n}\n`).join('');
    const frame = { before: '```c\n', after: '\n```' };
    const text = `\`\`\`c\n${code}\`\`\`\n`;
    const all = await chunks([{ kind: 'code', text, frame, headings: [], place }], 60);
    expect(all.length).toBeGreaterThan(2);
    for (const one of all) expect(one.text).toMatch(/^```c\nf\d+\(\) \{[\s\S]*\}\n```$/);
  });

  it('cuts a list between items', async () => {
    const items = Array.from({ length: 12 }, (_, at) => `- ${sentence(`item${at}`, 6)}\n`);
    const offsets = items.slice(1).map((_, at) => items.slice(0, at + 1).join('').length);
    const text = items.join('');
    const all = await chunks([{ kind: 'text', text, items: offsets, headings: [], place }], 40);
    for (const one of all) expect(one.text.startsWith('- item')).toBe(true);
  });

  it('cuts a paragraph at sentences, not after abbreviations', async () => {
    const text = Array(10).fill('It was painted by J. Smith of Rotterdam.').join(' ');
    for (const maxTokens of [16, 17, 18, 20, 30])
      for (const one of await chunks([paragraph(text)], maxTokens)) expect(one.text).toMatch(/Rotterdam\.$/);
  });

  it('cuts words, also those without spaces', async () => {
    const text = `${'a1b2'.repeat(300)} ${'漢字'.repeat(200)} ${'👩‍👩‍👧'.repeat(50)}`;
    const all = await chunks([paragraph(text)], 16);
    expect(ownText(all).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  it('repeats whole sentences of the chunk before, but none above a heading', async () => {
    const text = Array.from({ length: 20 }, (_, at) => sentence(`W${at}`, 4)).join(' ');
    const all = await chunks([paragraph(text)], 60, 20);
    expect(all.length).toBeGreaterThan(3);
    for (const [at, { text: chunk, own }] of all.slice(1).entries()) {
      const repeated = chunk.slice(0, own[0]);
      expect(repeated).toMatch(/^W\d+ .*\. $/);
      expect(tokenizer.count(repeated)).toBeLessThanOrEqual(20);
      expect(all[at]?.text.endsWith(repeated.trim())).toBe(true);
    }
    const end = [heading(1, 'End'), paragraph(sentence('word', 40), ['End'])];
    expect((await chunks([paragraph('One. Two. Three.'), ...end], 48, 20)).at(-1)?.own[0]).toBe(0);
  });

  it('comes before the rest of the file is read', async () => {
    let read = 0;
    function* endless(): Generator<ChunkBlock> {
      for (;;) {
        read += 1;
        yield paragraph(sentence('word', 20));
      }
    }
    const { value } = await chunksOf(endless(), { maxTokens: 64, overlap: 0, tokenizer }).next();
    expect(value.tokens).toBeGreaterThan(32);
    expect(read).toBeLessThan(6);
  });
});

it('no word is lost, and no limit exceeded, for any blocks', async () => {
  const prose = fc.array(fc.oneof(fc.lorem({ maxCount: 12 }), fc.string({ unit: 'grapheme' })), {
    maxLength: 6,
  });
  const block = fc.oneof(
    prose.map((texts) => paragraph(texts.join(' '))),
    fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.lorem({ maxCount: 3 }))
      .map(([level, title]) => heading(level, title)),
    fc.array(fc.lorem({ maxCount: 6 }), { minLength: 1 }).map((rows) => table('| A | B |', rows)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 12 }),
      fc.integer({ min: 16, max: 120 }),
      fc.integer({ min: 0, max: 8 }),
      async (blocks, maxTokens, overlap) => {
        const all = await chunks(blocks, maxTokens, overlap);
        const flat = (text: string): string => text.replace(/\s+/g, '');
        expect(flat(ownText(all))).toBe(flat(blocks.map(({ text }) => text).join('')));
      },
    ),
    { numRuns: 200 },
  );
});
