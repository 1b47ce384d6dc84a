import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
import { jsonl } from '../../../processors/structured/jsonl.ts';
import { NotThisFormat, type Processor, ReaderError, type TextPart } from '../../../src/contract/index.ts';
import { memorySource, run, type TestOptions } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { Assembly } from './json/assembly.ts';

interface Walked {
  readonly pages: number;
  readonly parts: TextPart[];
  readonly text: string;
}

async function walked(text: string, options: TestOptions, processor: Processor = jsonl): Promise<Walked> {
  const source = memorySource(text, 'x.jsonl');
  const parts: TextPart[] = [];
  let page = await run(processor, source, options);
  for (let pages = 1; ; pages++) {
    const { budget } = page.context;
    expect(budget.fits(page.view, budget.tokens, budget.characters)).toBe(true);
    if (page.next)
      expect(budget.fits(page.view, budget.tokensBesideNotes, budget.charactersBesideNotes)).toBe(true);
    for (const part of page.parts) if (part.kind === 'text') parts.push(part);
    if (!page.next) return { pages, parts, text: parts.map((part) => part.text).join('') };
    expect(page.parts.length).toBeGreaterThan(0);
    if (pages > 3000) throw new Error('the walk does not end');
    page = await run(processor, source, { ...options, selection: { resume: page.next.position } });
  }
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id": ${index}, "name": "record ${index}"}\n`).join('');

describe('JSON Lines', () => {
  test('a small file is shown as it stands', async () => {
    const text = '{"a": 1}\n\n[2]\r\n"three"';
    const { text: shown, next, context } = await run(jsonl, memorySource(text, 'x.jsonl'));
    expect(shown).toBe(text);
    expect(next).toBeUndefined();
    expect(context.wholes).toEqual([{ unit: 'row', of: 3 }]);
    expect(context.facts).toMatchObject({ rows: 3, blankLines: 1 });
  });

  test('a long file shows its first records and says how many there are', async () => {
    const { parts, next } = await run(jsonl, memorySource(lines(5000), 'x.jsonl'));
    expect(parts[0]?.shown).toEqual([{ unit: 'row', from: 1, to: 50, of: 5000 }]);
    expect(next?.request).toEqual({ rows: '51-5000' });
  });

  test('rows are those asked for', async () => {
    const source = memorySource(lines(5000), 'x.jsonl');
    const { text } = await run(jsonl, source, { selection: { rows: { from: 4999, to: 5000 } } });
    expect(text).toBe(lines(5000).split('\n').slice(4998).join('\n'));
    const { text: last } = await run(jsonl, source, { selection: { rows: { last: 1 } } });
    expect(last).toBe('{"id": 4999, "name": "record 4999"}\n');
  });

  test('a record over the limits is cut as JSON, with its true counts, and its rest given after the view', async () => {
    const long = JSON.stringify({ note: 'x'.repeat(2000), items: Array.from({ length: 60 }, (_, i) => i) });
    const text = `{"a":1}\n${long}\n{"b":2}\n`;
    const first = await run(jsonl, memorySource(text, 'x.jsonl'));
    const shown = first.text.split('\n');
    expect(shown[0]).toBe('{"a":1}');
    const cut = JSON.parse(shown[1] ?? '') as { note: string; items: unknown[] };
    expect(cut.note).toMatch(/^x+…\+\d+ characters$/);
    expect(cut.note.length).toBeLessThanOrEqual(500);
    expect(cut.items.at(-1)).toEqual({ '…': '10 more items' });
    expect(shown[2]).toBe('{"b":2}');
    const { parts } = await walked(text, {});
    expect(`${/^x+/.exec(cut.note)}${JSON.parse(parts[1]?.text ?? '')}`).toBe('x'.repeat(2000));
    expect(parts[2]?.shown[0]).toEqual({ unit: 'item', from: 51, to: 60, of: 60, name: '/1/items' });
    expect(parts.length).toBe(3);
  });

  test('a record too long for a small budget is cut as JSON, down to the bare count', async () => {
    for (const record of [
      '漢'.repeat(500),
      Array(90).fill('漢字'),
      { ['漢字'.repeat(9)]: { b: ['漢字'.repeat(9)] } },
    ])
      for (let tokens = 50; tokens < 100; tokens += 7) {
        const source = memorySource(`${JSON.stringify(record)}\n1\n`, 'x.jsonl');
        const { parts } = await run(jsonl, source, { tokens });
        expect(parts).toHaveLength(1);
        for (const part of parts)
          if (part.kind === 'text')
            for (const line of part.text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
      }
  });

  test('a bad line is shown as it stands and named, and costs the rest nothing', async () => {
    const text = `${lines(3)}{"broken": \n${lines(2)}`;
    const { text: shown, context } = await run(jsonl, memorySource(text, 'x.jsonl'));
    expect(shown).toBe(text);
    expect(context.warnings).toEqual([
      { code: 'INVALID_SYNTAX', message: 'Not valid JSON, shown unchanged: row 4.' },
    ]);
  });

  test('what is no JSON at all is refused; one document over several lines is read as JSON', async () => {
    await expect(run(jsonl, memorySource('just\nsome\ntext\n', 'x.jsonl'))).rejects.toBeInstanceOf(
      NotThisFormat,
    );
    const document = JSON.stringify({ a: [1, 2], b: { c: 'd' } }, null, 2);
    const { text, context } = await run(jsonl, memorySource(document, 'x.jsonl'));
    expect(text).toBe(document);
    expect(context.warnings.map(({ code }) => code)).toEqual(['FORMAT_MISMATCH']);
  });

  test('a .json file of JSON Lines is read as such, and walks', async () => {
    const text = lines(400);
    const { context } = await run(json, memorySource(text, 'x.json'));
    expect(context.warnings.map(({ code }) => code)).toEqual(['FORMAT_MISMATCH']);
    expect((await walked(text, { tokens: 500 }, json)).text).toBe(text);
  });

  test('a file with carriage returns only is read by them', async () => {
    const { context } = await run(jsonl, memorySource('{"a":1}\r{"a":2}\r', 'x.jsonl'));
    expect(context.facts).toMatchObject({ rows: 2 });
  });

  test('an empty file has no records', async () => {
    const { parts, context } = await run(jsonl, memorySource('', 'x.jsonl'));
    expect(parts).toEqual([]);
    expect(context.wholes).toEqual([{ unit: 'row', of: 0 }]);
  });

  test('a foreign position is stale', async () => {
    for (const resume of [
      [0, 0, 1],
      ['rows'],
      ['rows', 'start', 5],
      ['rows', 'start', 5, 'O', 1],
      ['rows', 'start', 5, 'A', 3, 0, 2],
      ['rows', 'start', 5, 'A', 1, 0, 0, 9],
      ['rows', 'start', Number.NaN, 'A', 1],
    ])
      await expect(
        run(jsonl, memorySource('1\n2\n', 'x.jsonl'), { selection: { resume } }),
      ).rejects.toMatchObject({
        code: 'STALE_CURSOR',
      });
  });

  test('all of it is the file itself', async () => {
    const text = `\n${lines(3)}\n{"broken\n\n`;
    expect((await run(jsonl, memorySource(text, 'x.jsonl'), { selection: { all: true } })).text).toBe(text);
  });
});

const small = fc.oneof(
  fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map((value) => JSON.stringify(value)),
  fc.constantFrom('', '', '  ', '{"bad": '),
);

describe('a walk over JSON Lines', () => {
  test('gives the file back byte for byte when no record is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(small, { minLength: 1, maxLength: 40 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 200, max: 3000 }),
        async (records, newline, ended, tokens) => {
          const text = ['{"first":1}', ...records].join(newline) + (ended ? newline : '');
          const filled = records.filter((record) => record.trim() !== '');
          fc.pre(filled.filter((record) => record === '{"bad": ').length * 3 < filled.length);
          const limits = {
            maxNestingDepth: 9,
            maxStringValueLength: 5000,
            maxObjectKeys: 1000,
            maxArrayItems: 1000,
          };
          const { parts, text: shown } = await walked(text, { tokens, limits });
          const isCut = parts[0] !== undefined && !text.startsWith(parts[0].text);
          if (!isCut) expect(shown).toBe(text);
        },
      ),
      { numRuns: draws(300) },
    );
  });

  test.each(['\n', '\r\n', '\n\n', '\r\n\r\n\n', '\r'])(
    'goes on after a record of which only the end of its line is left: %j',
    async (end) => {
      for (let length = 0; length < 40; length++) {
        const text = `{"k": "${'漢'.repeat(length)}"}${end}{"b": 1}${end}[2]${end}`;
        expect((await walked(text, { tokens: 12 })).text).toBe(text);
      }
    },
  );

  test('asks by `rows` for records only, and by position for what was cut in one', async () => {
    const items = Array.from({ length: 500 }, (_, index) => `K${index}`);
    const text = Array.from({ length: 40 }, (_, id) => `${JSON.stringify({ id, items })}\n`).join('');
    const { parts } = await walked(text, { tokens: 400 });
    expect(parts[0]?.next?.request).toBeUndefined();
    expect(parts[0]?.next?.skip?.rows).toMatch(/^\d+-40$/);
    for (const { next } of parts) expect(next?.request?.pointer).toBeUndefined();
  });

  test.each(['"" "b":2}', '{"a" "', '{"a":1 1', '{a:""}'])(
    'gives a record as bytes from %j on, and those after it',
    async (fault) => {
      const child = '{"k":"lorem ipsum"}';
      const broken = fault + '~ '.repeat(20_000);
      const items = [...Array(60_000).fill(child), broken, ...Array(100).fill(child)].join(',');
      const text = `{"id":1}\n{"items":[${items}]}\n{"id":3}\n`;
      const { text: shown } = await walked(text, { tokens: 20_000 });
      expect(shown.split('~').length - 1).toBe(20_000);
      expect(shown.includes(fault.replace(/[{}]/g, ''))).toBe(true);
      expect(shown.includes('{"id":3}\n')).toBe(true);
    },
  );

  test('a position that was altered gives text or a typed error', async () => {
    const record = JSON.stringify({ a: ['long '.repeat(90), { b: Array(90).fill('c d') }] });
    const source = memorySource(`${record}\n`.repeat(4), 'x.jsonl');
    const { next } = await run(jsonl, source, { tokens: 60 });
    const position = next?.position ?? [];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: position.length - 1 }),
        fc.integer({ min: -90, max: 900 }),
        async (at, by) => {
          const resume = position.map((value, index) =>
            index === at && typeof value === 'number' ? value + by : value,
          );
          const read = run(jsonl, source, { tokens: 60, selection: { resume } });
          await read.catch((error: unknown) => expect(error).toBeInstanceOf(ReaderError));
        },
      ),
      { numRuns: draws(300) },
    );
  });

  test('gives every record once, whatever the limits and the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.jsonValue({ maxDepth: 3 }).filter((value) => !/[…⋯‥]/.test(JSON.stringify(value))),
          { minLength: 1, maxLength: 25 },
        ),
        fc.record({
          maxNestingDepth: fc.integer({ min: 1, max: 4 }),
          maxArrayItems: fc.integer({ min: 1, max: 8 }),
          maxObjectKeys: fc.integer({ min: 0, max: 8 }),
          maxStringValueLength: fc.integer({ min: 1, max: 60 }),
        }),
        fc.integer({ min: 40, max: 800 }),
        async (values, limits, tokens) => {
          const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
          const { parts } = await walked(text, { tokens, limits });
          const assembly = new Assembly(parts);
          for (const [number, part] of parts.entries())
            if (number === 0 && part.view === undefined) assembly.lines(part.text);
            else assembly.add(part);
          expect(JSON.stringify(assembly.value)).toBe(JSON.stringify(values));
        },
      ),
      { numRuns: draws(300) },
    );
  });
});
