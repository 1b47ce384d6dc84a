// Text boxes, pictures and charts on the sheets of an Excel 97 to 2003 workbook, and its page headers, which SheetJS does
// not read ([MS-XLS] 2.4.181 Obj, 2.4.329 TxO, 2.4.147 Header and 2.4.136 Footer).

import { columnLetters } from '../../../src/contract/index.ts';
import { CompoundFile } from '../../../src/package/index.ts';
import type { Drawn } from '../book/remarks.ts';
import { MAX_COLUMNS } from '../xlsx/cell.ts';
import { marginText } from '../xlsx/page-margins.ts';

export interface SheetObjects {
  readonly drawn: readonly Drawn[];
  readonly headers: readonly string[];
  readonly footers: readonly string[];
}

const BOF = 0x0809;
const EOF = 0x000a;
const BOUND_SHEET = 0x0085;
const CONTINUE = 0x003c;
const HEADER = 0x0014;
const FOOTER = 0x0015;
const DRAWING = 0x00ec;
const OBJ = 0x005d;
const TXO = 0x01b6;
const BIFF8 = 0x0600;
const MAX_SHEETS = 10_000;
const MAX_DRAWN = 10_000;
/** Types of objects ([MS-XLS] 2.5.143 FtCmo); the text of a comment is read with its cell. */
const CHART = 0x05;
const PICTURE = 0x08;
const COMMENT = 0x19;
/** An `OfficeArtClientAnchorSheet` of 18 bytes ([MS-XLS] 2.5.193): flags, then column, offset and row. */
const ANCHOR = Buffer.from([0x10, 0xf0, 0x12, 0, 0, 0]);

/** What lies on each sheet, in the order of the workbook; empty for another version of Excel. */
export function xlsObjects(bytes: Uint8Array): SheetObjects[] {
  const file = new CompoundFile(bytes);
  const entry = file.children(file.root).find(({ name, folder }) => name === 'Workbook' && !folder);
  const stream = entry && file.bytes(entry);
  if (!stream || stream.length < 6 || stream.readUInt16LE(4) !== BIFF8) return [];
  const starts: number[] = [];
  for (const { type, body } of recordsFrom(stream, 0))
    if (type === BOUND_SHEET && body.length >= 4 && starts.length < MAX_SHEETS)
      starts.push(body.readUInt32LE(0));
  return starts.map((start) => sheetObjects(stream, start));
}

interface XlsRecord {
  readonly type: number;
  readonly body: Buffer;
  /** 1 in the sheet itself, more in a chart on it. */
  readonly depth: number;
}

/** The records of one substream. */
function* recordsFrom(stream: Buffer, start: number): Generator<XlsRecord, void, undefined> {
  let depth = 0;
  for (let at = start; at + 4 <= stream.length; ) {
    const type = stream.readUInt16LE(at);
    const end = at + 4 + stream.readUInt16LE(at + 2);
    if (type === BOF) depth++;
    if (depth === 0) return;
    yield { type, body: stream.subarray(at + 4, end), depth };
    if (type === EOF && --depth === 0) return;
    at = end;
  }
}

function sheetObjects(stream: Buffer, start: number): SheetObjects {
  const drawn: Drawn[] = [];
  const margins = { [HEADER]: new Set<string>(), [FOOTER]: new Set<string>() };
  let cell = '';
  let object = 0;
  /** Units of a text that the next records hold. */
  let missing = 0;
  let text = '';
  for (const { type, body, depth } of recordsFrom(stream, start)) {
    if (depth > 1 || drawn.length >= MAX_DRAWN) continue;
    if (type === CONTINUE && missing > 0) {
      const piece = unicode(body.subarray(0, 1 + missing * 2), missing);
      text += piece;
      missing = piece === '' ? 0 : missing - piece.length;
      if (missing === 0 && text.trim() !== '' && object !== COMMENT)
        drawn.push({ kind: 'text box', cell, text: text.trim() });
    } else if (type === HEADER || type === FOOTER) {
      const shown = body.length > 3 ? marginText(unicode(body.subarray(2), body.readUInt16LE(0))) : '';
      if (shown !== '') margins[type].add(shown);
    } else if (type === DRAWING) {
      const at = body.lastIndexOf(ANCHOR);
      if (at >= 0 && at + 14 <= body.length)
        cell = cellAt(body.readUInt16LE(at + 8), body.readUInt16LE(at + 12));
    } else if (type === OBJ && body.length >= 6) {
      object = body.readUInt16LE(4);
      if (object === PICTURE || object === CHART)
        drawn.push({ kind: object === CHART ? 'chart' : 'picture', cell, text: '' });
    } else if (type === TXO && body.length >= 12) {
      missing = body.readUInt16LE(10);
      text = '';
    }
  }
  return { drawn, headers: [...margins[HEADER]], footers: [...margins[FOOTER]] };
}

function cellAt(column: number, row: number): string {
  return column < MAX_COLUMNS ? `${columnLetters(column + 1)}${row + 1}` : '';
}

/** A byte that says how wide its characters are, and at most `count` of them. */
function unicode(bytes: Buffer, count: number): string {
  const isWide = ((bytes[0] ?? 0) & 1) === 1;
  const end = 1 + (isWide ? 2 : 1) * count;
  return bytes.subarray(1, end).toString(isWide ? 'utf16le' : 'latin1');
}
