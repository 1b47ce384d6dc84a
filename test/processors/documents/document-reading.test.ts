import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Converter, OutlineEntry, Section } from '../../../processors/documents/document.ts';
import { documentCode } from '../../../processors/documents/document-code.ts';
import { text as textProcessor } from '../../../processors/text/text.ts';
import { createMemoryCache } from '../../../src/cache/index.ts';
import {
  type Block,
  codeBlock,
  headingBlock,
  linesBlock,
  listBlock,
  markdownOf,
  paragraphBlock,
  tableBlock,
} from '../../../src/document/index.ts';
import type { Processor, Reader, ReadRequest } from '../../../src/index.ts';
import { createReaderOf } from '../../../src/reader/index.ts';
import { draws } from '../../support/draws.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

interface Counts {
  opened: number;
  closed: number;
  converted: number[];
}

const PIXEL = { data: Buffer.from('pixels'), mimeType: 'image/png' as const };

/** A reader of documents made of `sections`; `counts` tells what was done. */
function readerOf(
  sections: readonly Section[],
  unit: 'page' | undefined,
  options: {
    readonly cached?: boolean;
    readonly limits?: Record<string, number>;
    readonly outline?: readonly OutlineEntry[];
  } = {},
): { reader: Reader; counts: Counts } {
  const counts: Counts = { opened: 0, closed: 0, converted: [] };
  const converter: Converter = {
    open: async () => {
      counts.opened += 1;
      return {
        facts: { title: 'A title' },
        sections: sections.length,
        section: async (number) => {
          counts.converted.push(number);
          return sections[number - 1] ?? { blocks: [] };
        },
        picture: async (number) => (sections[number - 1]?.kind === 'scan' ? PIXEL : undefined),
        ...(options.outline && { outline: async () => options.outline ?? [] }),
        close: async () => {
          counts.closed += 1;
        },
      };
    },
  };
  const processor: Processor = {
    name: 'mock',
    fileType: 'pdf',
    extensions: ['.mock'],
    mimeTypes: ['application/x-mock'],
    textual: false,
    ...documentCode({ version: '1', ...(unit && { unit }), load: async () => converter }),
  };
  const reader = createReaderOf([textProcessor, processor], {
    environment: {},
    ...(options.cached && { cache: createMemoryCache() }),
    ...(options.limits && { limits: options.limits }),
  });
  return { reader, counts };
}

const FILE = { name: 'a.mock', bytes: Buffer.from([0, 1, 2, 3, 0]) };
const paragraph = (words: number, salt = 0): Block =>
  paragraphBlock(`${Array.from({ length: words }, (_, i) => `word${(i * 7 + salt) % 97}`).join(' ')}.`);
const table = (rows: number): Block =>
  tableBlock([['id', 'name'], ...Array.from({ length: rows }, (_, i) => [`${i}`, `row ${i}`])]);
const pages = (count: number, words: number): Section[] =>
  Array.from({ length: count }, (_, i) => ({
    blocks: [{ kind: 'page', number: i + 1 }, paragraph(words, i)],
  }));

const ask = (reader: Reader, request: ReadRequest = {}) => readOk(reader, FILE, request);

it('shows a short document whole, with one blank line between blocks', async () => {
  const { reader, counts } = readerOf(
    [{ blocks: [headingBlock(1, 'One'), paragraphBlock('two')] }, { blocks: [paragraphBlock('three')] }],
    'page',
  );
  const result = await ask(reader);
  expect(result.text).toBe('# One\n\ntwo\n\nthree\n');
  expect(result.truncation).toBe(null);
  expect(result.metadata).toMatchObject({ pages: 2, title: 'A title' });
  expect(counts).toMatchObject({ opened: 1, closed: 1 });
});

it('reports a document without text', async () => {
  const { text, warnings } = await ask(readerOf([{ blocks: [] }, { blocks: [] }], 'page').reader);
  expect(text).toBe('[Note: No page of the document contains text.]\n');
  expect(warnings).toMatchObject([{ code: 'EMPTY_FILE' }]);
});

it('is opened once for its content and its outline', async () => {
  for (const cached of [false, true]) {
    const { reader, counts } = readerOf(pages(40, 200), 'page', { cached, outline: [] });
    expect((await ask(reader, { maxTokens: 4000 })).truncation).not.toBe(null);
    expect(counts).toMatchObject({ opened: 1, closed: 1 });
  }
});

it.each([60, 300, 1000, 5000])(
  'opens once and converts no page twice for an answer of %i tokens',
  async (maxTokens) => {
    const notes = ['[Note: a line that must be escaped.]', '[Truncated to this.]'].map((text) =>
      linesBlock(text),
    );
    for (const unit of ['page', undefined] as const) {
      const sections = unit
        ? pages(40, 200)
        : [{ blocks: [...notes, ...pages(40, 200).flatMap(({ blocks }) => blocks)] }];
      const { reader, counts } = readerOf(sections, unit);
      await ask(reader, { maxTokens });
      await reader.close();
      expect(counts.opened).toBe(1);
      expect(counts.converted).toEqual([...new Set(counts.converted)]);
    }
  },
);

it('converts only the pages it shows', async () => {
  const { reader, counts } = readerOf(pages(500, 300), 'page');
  const result = await ask(reader, { maxTokens: 1500 });
  expect(counts.converted.length).toBeLessThan(5);
  expect(result.truncation?.shown[0]).toMatchObject({ unit: 'page', from: 1, of: 500 });
  await reader.inspect(FILE);
  expect(counts.converted.length).toBeLessThan(5);
});

it('accepts pages and lines', async () => {
  const { reader } = readerOf(pages(30, 5), 'page');
  const some = await ask(reader, { pages: '3,28-29', all: true });
  expect(contentOf([some]).match(/page \d+/g)).toEqual(['page 3', 'page 28', 'page 29']);
  expect((await ask(reader, { pages: '7', lines: '3' })).content).toMatchObject([
    { text: markdownOf(paragraph(5, 6)) },
  ]);
  expect((await ask(reader, { lines: '5-7' })).content).toMatchObject([
    { text: `<!-- page 2 -->\n\n${markdownOf(paragraph(5, 1))}` },
  ]);
  expect(await reader.read(FILE, { pages: '31' })).toMatchObject({
    success: false,
    error: { code: 'BAD_INPUT' },
  });
});

it('numbers lines like `lines` does', async () => {
  const { reader } = readerOf(pages(4, 3), 'page');
  const { text } = await ask(reader, { numbered: true, pages: '2-3' });
  const numbered = [...text.matchAll(/^(\d+): (.*)$/gm)].map(
    ([, number = '', line = '']) => [number, line] as const,
  );
  for (const [number, line] of numbered) {
    const one = await ask(reader, { pages: '2-3', lines: number });
    expect(contentOf([one]).replace(/\n+$/, '')).toBe(line);
  }
  expect(numbered.length).toBe(8);
});

it('repeats a table header above later rows, in the view only', async () => {
  const { reader } = readerOf([{ blocks: [table(300)] }], undefined);
  const answers = await walk(reader, () => FILE, { maxTokens: 400 });
  expect(answers.length).toBeGreaterThan(3);
  const names = /^(?:\[About this file\]\nTables: 1\n\[Content\]\n)?\| id \| name \|\n\| --- \| --- \|\n\| /;
  for (const { text } of answers) expect(text).toMatch(names);
  expect(contentOf(answers)).toBe(markdownOf(table(300)));
});

it('shows a scan as a picture on request with detail', async () => {
  const sections: Section[] = [
    { blocks: [paragraphBlock('text')] },
    { blocks: [{ kind: 'page', number: 2 }], kind: 'scan' },
  ];
  const { reader } = readerOf(sections, 'page');
  const plain = await ask(reader);
  expect(plain.content.every(({ kind }) => kind === 'text')).toBe(true);
  expect(plain.warnings).toMatchObject([
    { code: 'SCANNED_PAGES', message: expect.stringContaining('Page 2 of 2') },
  ]);
  const seen = await ask(reader, { pages: '1-2', detail: 'auto' });
  expect(seen.content.map(({ kind }) => kind)).toEqual(['text', 'text', 'binary']);
});

it('pages through many scans a few pictures at a time', async () => {
  const sections: Section[] = Array.from({ length: 30 }, (_, i) => ({
    blocks: [paragraphBlock(`page ${i}`)],
    kind: 'scan',
  }));
  const { reader } = readerOf(sections, 'page');
  const answers = await walk(reader, () => FILE, { pages: '1-30', detail: 'low' });
  expect(answers.flatMap(({ content }) => content).filter(({ kind }) => kind === 'binary').length).toBe(30);
});

it('uses the cache the second time', async () => {
  const { reader, counts } = readerOf(pages(100, 200), 'page', { cached: true });
  const first = await ask(reader, { pages: '40-45' });
  const opened = counts.opened;
  expect(await ask(reader, { pages: '40-45' })).toEqual(first);
  expect(counts.opened).toBe(opened);
  await ask(reader, { pages: '46-47' });
  expect(counts.opened).toBe(opened + 1);
});

it('rejects a cursor that points outside', async () => {
  const { reader } = readerOf(pages(3, 400), 'page');
  const { truncation } = await ask(reader, { maxTokens: 300 });
  const cursor = truncation?.next?.cursor ?? '';
  const words = cursor.split('.');
  for (const position of ['9.0.0', '1.zzzz.0', '0.0.0', '~a.0.0', '1.~b.0', '1'])
    expect(await reader.read(FILE, { cursor: [...words.slice(0, 2), position].join('.') })).toMatchObject({
      success: false,
      error: { code: 'STALE_CURSOR' },
    });
});

it('lists headings with their positions', async () => {
  const long = [
    { blocks: [headingBlock(1, 'A'), paragraph(3000), headingBlock(2, 'B'), paragraphBlock('x')] },
    { blocks: [headingBlock(1, 'C'), paragraph(3000)] },
  ];
  const paged = await ask(readerOf(long, 'page').reader, { overflow: 'outline' });
  expect(paged.text).toMatch(/^#page=1: # A\n#page=1: ## B\n#page=2: # C\n/);
  const flow = await ask(
    readerOf([{ blocks: [headingBlock(1, 'A'), paragraph(9000), headingBlock(2, 'B')] }], undefined).reader,
    {
      overflow: 'outline',
    },
  );
  expect(flow.text).toMatch(/^#L1: # A\n#L5: ## B\n/);
});

const block = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((words) => paragraph(words)),
  fc.integer({ min: 1, max: 12 }).map((rows) => table(rows)),
  fc.constant<Block>(headingBlock(2, 'A heading')),
  fc
    .string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' ', '.', '|'), minLength: 1, maxLength: 300 })
    .map((s) => linesBlock(`x${s}`)),
  fc.integer({ min: 1, max: 9 }).map((lines) => codeBlock('code();\n\n'.repeat(lines), 'js')),
  fc
    .integer({ min: 1, max: 9 })
    .map((count) =>
      listBlock(Array.from({ length: count }, () => ({ level: 0, marker: '-', text: 'item' }))),
    ),
);

it('rebuilds any document from its walk, within any budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(block, { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.integer({ min: 12, max: 500 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 30 }),
      async (sections, paged, maxTokens, numbered, maxLines) => {
        const whole = paged ? sections.map((blocks) => ({ blocks })) : [{ blocks: sections.flat() }];
        const { reader } = readerOf(whole, paged ? 'page' : undefined, { limits: { maxLines } });
        const all = contentOf([await ask(reader, { all: true })]);
        expect(all).toBe(
          whole
            .map(({ blocks }, i) =>
              blocks
                .map(markdownOf)
                .map((one, j) => (i === whole.length - 1 && j === blocks.length - 1 ? one : `${one}\n`))
                .join(''),
            )
            .join(''),
        );
        const answers = await walk(reader, () => FILE, { maxTokens, numbered });
        expect(contentOf(answers)).toBe(all);
      },
    ),
    { numRuns: draws(150) },
  );
});

it('names what pages repeat, and the page numbers that are left out', async () => {
  const pages = Array.from({ length: 5 }, (_, index) => ({
    blocks: [paragraphBlock(`Text ${index + 1}`)],
    repeated: index === 0 ? [] : ['IBAN DE00', `Due: ${2020 + index}`, `Paid: ${index}`],
    pageNumber: String(index + 45),
  }));
  const { reader } = readerOf(pages, 'page');
  const warningsOf = async (pagesRead?: string): Promise<unknown> =>
    (await ask(reader, pagesRead ? { pages: pagesRead } : {})).warnings.filter(
      ({ code }) => code !== 'TRUNCATED',
    );
  expect(await warningsOf()).toEqual([
    {
      code: 'RUNNING_TEXT',
      message:
        'Given once, repeated on pages 2-5: `IBAN DE00`, `Due: 2021` to `Due: 2024`, `Paid: 1` to `Paid: 4`. Left out: the page numbers of pages 1-5 (45 to 49).',
    },
  ]);
  expect(await warningsOf('3')).toEqual([
    {
      code: 'RUNNING_TEXT',
      message:
        'Given once, repeated on page 3: `IBAN DE00`, `Due: 2022`, `Paid: 2`. Left out: the page numbers of page 3 (47).',
    },
  ]);
});
