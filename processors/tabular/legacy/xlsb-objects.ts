// Text boxes, pictures, charts and page headers of a binary workbook (XLSB), which SheetJS does not read. Drawings are
// the same XML as in other workbooks; the list of sheets and the headers are records ([MS-XLSB] 2.1.4).

import type { ProcessContext } from '../../../src/contract/index.ts';
import type { ZipFile } from '../../../src/package/index.ts';
import { marginText } from '../xlsx/page-margins.ts';
import { Workbook } from '../xlsx/workbook.ts';
import type { SheetObjects } from './xls-objects.ts';

/** [MS-XLSB] 2.4.311 BrtBundleSh and 2.4.31 BrtBeginHeaderFooter. */
const SHEET = 156;
const HEADER_FOOTER = 479;
const MAX_SHEETS = 10_000;

/** What lies on each sheet, in the order of the workbook. */
export async function xlsbObjects(
  zip: ZipFile,
  context: ProcessContext,
  maxBytes: number,
): Promise<SheetObjects[]> {
  const book = zip.get('xl/workbook.bin');
  if (!book) return [];
  const workbook = Workbook.ofDrawings(zip, context);
  const relations = await workbook.relations(book.name);
  const sheets: SheetObjects[] = [];
  for (const { type, body } of recordsOf(await zip.bytes(book, maxBytes, context.signal))) {
    if (type !== SHEET || body.length < 12 || sheets.length >= MAX_SHEETS) continue;
    const part = zip.get(relations.get(stringAt(body, 8).text)?.target ?? '');
    if (!part) sheets.push({ drawn: [], headers: [], footers: [] });
    else
      sheets.push({
        drawn: await workbook.drawings(part.name),
        ...marginsOf(await zip.bytes(part, maxBytes, context.signal)),
      });
  }
  return sheets;
}

/** Headers and footers of odd, even and first pages. */
function marginsOf(sheet: Buffer): Omit<SheetObjects, 'drawn'> {
  const margins = [new Set<string>(), new Set<string>()] as const;
  for (const { type, body } of recordsOf(sheet)) {
    if (type !== HEADER_FOOTER) continue;
    let at = 2;
    for (let index = 0; index < 6; index++) {
      const { text, end } = stringAt(body, at);
      const shown = marginText(text);
      if (shown !== '') margins[index % 2 === 0 ? 0 : 1].add(shown);
      at = end;
    }
  }
  return { headers: [...margins[0]], footers: [...margins[1]] };
}

/** An `XLNullableWideString`: a count, which is -1 for none, and its characters. */
function stringAt(body: Buffer, at: number): { readonly text: string; readonly end: number } {
  const count = at + 4 <= body.length ? body.readInt32LE(at) : 0;
  const end = at + 4 + 2 * Math.max(0, count);
  return { text: end <= body.length ? body.toString('utf16le', at + 4, end) : '', end };
}

/** Records: a type and a length in groups of seven bits, and the content. */
function* recordsOf(
  part: Buffer,
): Generator<{ readonly type: number; readonly body: Buffer }, void, undefined> {
  const numberAt = (at: number, most: number): readonly [value: number, next: number] => {
    let value = 0;
    for (let index = 0; index < most; index++) {
      const byte = part[at + index] ?? 0;
      value += (byte & 0x7f) * 128 ** index;
      if (byte < 0x80) return [value, at + index + 1];
    }
    return [value, at + most];
  };
  for (let at = 0; at < part.length; ) {
    const [type, afterType] = numberAt(at, 2);
    const [length, start] = numberAt(afterType, 4);
    yield { type, body: part.subarray(start, start + length) };
    at = start + length;
  }
}
