// One bit of a document that flipped: what can be read is shown, and the part is named.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createReader, type Input } from '../../../src/index.ts';
import { readOk } from '../../support/walk.ts';

const flipped = (path: string, at: number): Buffer => {
  const bytes = readFileSync(new URL(`../../../fixtures/${path}`, import.meta.url));
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  return bytes;
};

it.each([
  ['documents/survey.docx', 360, 'word/document.xml'],
  ['documents/ferry.epub', 400, 'OPS/book.opf'],
  ['tabular/orders.xlsx', 1534, 'xl/worksheets/sheet1.xml'],
  ['tabular/parcels.xlsb', 231, 'xl/_rels/workbook.bin.rels'],
])('%s with byte %i changed names %s, also on a second read', async (path, at, part) => {
  const reader = createReader({ environment: {} });
  const input: Input = { bytes: flipped(path, at), name: path.split('/').at(-1) ?? '' };
  for (const _ of ['first', 'second']) {
    const { text, warnings } = await readOk(reader, input);
    const told = warnings.filter(({ message }) => message.includes('checksum'));
    expect(told).toEqual([
      {
        code: 'SKIPPED_CONTENT',
        message: `The entry \`${part}\` may be damaged: its checksum does not match.`,
      },
    ]);
    expect(text).toContain(told[0]?.message);
  }
});

it.each([
  ['documents/survey.docx', 4110, 'word/_rels/document.xml.rels'],
  ['documents/ferry.epub', 733, 'OPS/nav.xhtml'],
  ['documents/gates.pptx', 5825, 'ppt/notesSlides/notesSlide1.xml'],
  ['documents/gates.pptx', 22297, 'ppt/slides/_rels/slide1.xml.rels'],
])('%s with byte %i changed tells that %s, which cannot be inflated, is left out', async (path, at, part) => {
  const input: Input = { bytes: flipped(path, at), name: path.split('/').at(-1) ?? '' };
  const { warnings } = await readOk(createReader({ environment: {} }), input);
  expect(warnings.filter(({ message }) => message.includes(`\`${part}\``))).toHaveLength(1);
});
