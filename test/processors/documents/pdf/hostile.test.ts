// PDF files made to hang, flood or kill their reader: each is bounded, and ends in text, a warning or a typed error.

import { deflateSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { Section } from '../../../../processors/documents/document.ts';
import { converter } from '../../../../processors/documents/pdf/convert.ts';
import { ReaderError, type Warning } from '../../../../src/contract/index.ts';
import { markdownOf } from '../../../../src/document/index.ts';
import { resolveLimits } from '../../../../src/limits/index.ts';
import { memorySource } from '../../../support/context.ts';
import { onePage, pdfFile } from '../../../support/pdf.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>';
const AFTER = 'BT /F 12 Tf 72 700 Td (after) Tj ET';

interface Outcome {
  readonly error?: string;
  readonly sections?: number;
  readonly page?: Section;
  readonly warnings: readonly Warning[];
}

async function outcomeOf(content: Buffer, milliseconds = 1500, number = 1): Promise<Outcome> {
  const warnings: Warning[] = [];
  try {
    const document = await converter.open(memorySource(content), {
      limits: resolveLimits({ maxPageMilliseconds: milliseconds }),
      signal: new AbortController().signal,
      text: () => Promise.reject(new Error('no text')),
      warn: (warning) => warnings.push(warning),
      password: () => undefined,
    });
    try {
      const page = await document.section(number);
      return { sections: document.sections ?? 1, page, warnings: [...warnings, ...(page.warnings ?? [])] };
    } finally {
      await document.close?.();
    }
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    return { error: error.code, warnings };
  }
}

const pages = (tree: string, more: readonly string[] = [PAGE]): Buffer =>
  pdfFile([CATALOG, `<< /Type /Pages ${tree} >>`, ...more]);

describe('a PDF that cannot be opened', () => {
  const garbage = Buffer.from(
    Array.from({ length: 500_000 }, (_, index) => (index * 7919 * (index >> 3)) & 255),
  );
  it.each([
    ['nothing at all', Buffer.alloc(0)],
    ['a head alone', Buffer.from('%PDF-1.4\n')],
    ['a head and garbage', Buffer.concat([Buffer.from('%PDF-1.4\n'), garbage])],
    ['the same object without end', Buffer.from(`%PDF-1.4\n${'1 0 obj\n'.repeat(100_000)}`)],
    ['trailers without end', Buffer.from(`%PDF-1.4\n${'trailer <<\n'.repeat(50_000)}`)],
    [
      'arrays nested a million deep',
      pdfFile([`<< /Type /Catalog /Pages 2 0 R /X ${'['.repeat(1_000_000)} >>`]),
    ],
  ])('refuses %s', async (_name, content) => {
    expect(await outcomeOf(content, 10_000)).toMatchObject({ error: 'CORRUPT_FILE' });
  });
});

describe('a page tree', () => {
  it.each([
    ['with too large a count', pages('/Kids [3 0 R] /Count 1000000000'), 1],
    ['with a negative count', pages('/Kids [3 0 R] /Count -5'), 1],
    ['that holds itself', pages('/Kids [2 0 R] /Count 1', []), 1],
    [
      'with one page a hundred thousand times',
      pages(`/Kids [${'3 0 R '.repeat(100_000)}] /Count 100000`),
      50_000,
    ],
    [
      'with a cross-reference table before itself',
      pdfFile([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', PAGE], { trailer: '/Prev @' }),
      1,
    ],
  ])('%s has an end', async (_name, content, sections) => {
    expect((await outcomeOf(content, 10_000)).sections).toBe(sections);
  });
});

describe('a page', () => {
  const form = (resources: string, bytes: string) => ({
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${resources} >>`,
    bytes,
  });

  it('with a form that draws itself is read without it', async () => {
    const file = onePage(`/Fm Do ${AFTER}`, {
      resources: '/XObject << /Fm 7 0 R >>',
      more: [form('/XObject << /Fm 7 0 R >>', '/Fm Do')],
    });
    expect((await outcomeOf(file, 10_000)).page?.blocks.map(markdownOf).join('')).toContain('after');
  });

  it('with a billion forms is aborted, and the next is read in a new thread', async () => {
    const bomb = Array.from({ length: 10 }, (_, index) =>
      form(
        `/Font << /F 5 0 R >> /XObject << /F${index + 1} ${8 + index} 0 R >>`,
        index === 9 ? 'BT /F 1 Tf (x) Tj ET' : `/F${index + 1} Do `.repeat(10),
      ),
    );
    const file = onePage('/F0 Do', { resources: '/XObject << /F0 7 0 R >>', more: bomb })
      .toString('latin1')
      .replace('/Kids [3 0 R] /Count 1', '/Kids [3 0 R 17 0 R] /Count 2');
    const second = file.replace(
      'xref\n0 17',
      `17 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>\nendobj\nxref\n0 17`,
    );
    const warnings: Warning[] = [];
    const document = await converter.open(memorySource(Buffer.from(second, 'latin1')), {
      limits: resolveLimits({ maxPageMilliseconds: 2000 }),
      signal: new AbortController().signal,
      text: () => Promise.reject(new Error('no text')),
      warn: (warning) => warnings.push(warning),
      password: () => undefined,
    });
    try {
      expect(document.sections).toBe(2);
      expect(await document.section(1)).toMatchObject({
        kind: 'broken',
        warnings: [{ code: 'SKIPPED_CONTENT', message: expect.stringContaining('it takes too long') }],
      });
      expect(await document.section(2)).toMatchObject({
        kind: 'text',
        blocks: [{ kind: 'page', number: 2 }],
      });
    } finally {
      await document.close?.();
    }
  });

  it.each([
    ['a million saved states', onePage(`${'q '.repeat(1_000_000)}${AFTER}`)],
    ['arrays in its content a million deep', onePage(`${'['.repeat(1_000_000)}${AFTER}`)],
    ['twenty thousand filters', onePage('x', { content: `/Filter [${'/FlateDecode '.repeat(20_000)}]` })],
    [
      'content that unpacks to 200 MB twice packed',
      onePage(deflateSync(deflateSync(Buffer.alloc(200_000_000, '0 0 m '))), {
        content: '/Filter [/FlateDecode /FlateDecode]',
      }),
    ],
    ['a size beyond measure', onePage(AFTER, { page: '/MediaBox [0 0 1e30 1e30] /UserUnit 1e30' })],
    ['numbers that are none', onePage(`1e400 0 0 1e400 0 0 cm ${AFTER}`)],
    [
      'structure that holds itself',
      onePage(AFTER, {
        page: '/StructParents 0',
        catalog: '/MarkInfo << /Marked true >> /StructTreeRoot 7 0 R',
        more: [
          '<< /Type /StructTreeRoot /K 8 0 R /ParentTree << /Nums [0 [8 0 R]] >> >>',
          '<< /Type /StructElem /S /P /P 8 0 R /K [8 0 R 0] /Pg 3 0 R >>',
        ],
      }),
    ],
  ])('with %s terminates, and an omitted page is reported', async (_name, content) => {
    const { error, page, warnings } = await outcomeOf(content, 2000);
    expect(error).toBeUndefined();
    expect(page).toBeDefined();
    if (page?.kind === 'broken') expect(warnings.map(({ code }) => code)).toContain('SKIPPED_CONTENT');
  });
});

it('lists an outline that goes in circles once', async () => {
  const file = onePage(AFTER, {
    catalog: '/Outlines 7 0 R',
    more: [
      '<< /First 8 0 R /Last 8 0 R /Count 1 >>',
      '<< /Title (once) /Parent 7 0 R /Next 8 0 R /First 8 0 R /Dest [3 0 R /Fit] >>',
    ],
  });
  const { page } = await outcomeOf(file, 10_000);
  expect(page?.blocks.map(markdownOf).join('')).toContain('after');
});

it('names attachments without their folders', async () => {
  const file = onePage(AFTER, {
    catalog: '/Names << /EmbeddedFiles << /Names [(x) 7 0 R] >> >>',
    more: ['<< /Type /Filespec /F (../../evil.sh) /EF << /F 8 0 R >> >>', { bytes: 'echo' }],
  });
  const document = await converter.open(memorySource(file), {
    limits: resolveLimits({}),
    signal: new AbortController().signal,
    text: () => Promise.reject(new Error('no text')),
    warn: () => undefined,
    password: () => undefined,
  });
  await document.close?.();
  expect(document.facts['attachments']).toEqual([{ name: 'evil.sh', bytes: 4 }]);
});

it.each([
  ['widths', '/W [0 2000000000 500]', ''],
  ['vertical widths', '/W2 [0 2000000000 500 0 0]', ''],
  ['a character map', '', '1 beginbfrange <00000000> <00ffffff> <0041> endbfrange'],
])('bounds the table of %s by what characters there are', async (_name, widths, ranges) => {
  const map = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0041> <0042> endbfchar ${ranges} endcmap`;
  const file = pdfFile([
    CATALOG,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    { bytes: 'BT /F 12 Tf 72 700 Td <0041> Tj ET' },
    `<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-${widths.startsWith('/W2') ? 'V' : 'H'} /DescendantFonts [6 0 R] /ToUnicode 8 0 R >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R ${widths} >>`,
    '<< /Type /FontDescriptor /FontName /A /Flags 4 /FontBBox [0 0 9 9] >>',
    { bytes: map },
  ]);
  const { page } = await outcomeOf(file, 60_000);
  expect(page?.blocks.map(markdownOf).join('')).toContain('B');
});
