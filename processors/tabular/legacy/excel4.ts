// Workbooks of Excel 4 (`.xlw`): records of the workbook, then each sheet as records of its own behind one with its name
// (OpenOffice.org, Excel file format, 4.1.2 and 5.91). SheetJS reads a sheet, but not the workbook around it.

import { cannotDecrypt, type ProcessContext } from '../../../src/contract/index.ts';
import { decodeStandard } from '../../../src/encoding/index.ts';
import type { BookSheet } from '../book/sheets.ts';

/** One sheet of a workbook. */
export interface Excel4Sheet {
  readonly name: string;
  readonly kind: BookSheet['kind'];
  /** The sheet as a file of its own. */
  readonly file: () => Uint8Array;
}

/** Types of records, from the same source. */
const BOF = 0x0409;
const END = 0x000a;
const PROTECTED = 0x002f;
const CODE_PAGE = 0x0042;
const SHEET = 0x008f;
/** Records of the workbook that apply to sheets without their own: code page, dates, fonts, formats and styles. */
const SHARED: ReadonlySet<number> = new Set([CODE_PAGE, 0x0022, 0x0231, 0x041e, 0x0443]);

/** More sheets than any program wrote, and bytes of shared records. */
const MAX_SHEETS = 1000;
const MAX_SHARED = 256 * 1024;

const KINDS: Readonly<Record<number, BookSheet['kind']>> = { 32: 'chartsheet', 64: 'macrosheet' };

interface BiffRecord {
  readonly type: number;
  readonly body: Uint8Array;
  /** With its header. */
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** The sheets of a workbook, in its order. @throws {ReaderError} ENCRYPTED_FILE */
export function excel4Sheets(bytes: Uint8Array, warn: ProcessContext['warn']): readonly Excel4Sheet[] {
  const sheets: Excel4Sheet[] = [];
  const shared: BiffRecord[] = [];
  let sharedBytes = 0;
  let at = 0;
  for (;;) {
    const record = recordAt(bytes, at);
    if (!record || record.type === END) return sheets;
    at = record.end;
    if (record.type === PROTECTED) throw cannotDecrypt('The workbook is protected with a password.');
    if (record.type === SHEET) {
      if (sheets.length === MAX_SHEETS) {
        warn({ code: 'SKIPPED_CONTENT', message: `Sheets past the first ${MAX_SHEETS} are left out.` });
        return sheets;
      }
      const stream = bytes.subarray(at, endOfStream(bytes, at));
      const kind = KINDS[(stream[6] ?? 0) + 256 * (stream[7] ?? 0)] ?? 'worksheet';
      sheets.push({ name: nameIn(record.body, shared), kind, file: () => withShared(stream, shared) });
      at += stream.length;
    } else if (SHARED.has(record.type) && sharedBytes + record.bytes.length <= MAX_SHARED) {
      shared.push(record);
      sharedBytes += record.bytes.length;
    }
  }
}

function recordAt(bytes: Uint8Array, at: number): BiffRecord | undefined {
  if (at + 4 > bytes.length) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  const end = at + 4 + c + 256 * d;
  if (end > bytes.length) return undefined;
  return { type: a + 256 * b, body: bytes.subarray(at + 4, end), bytes: bytes.subarray(at, end), end };
}

/** Where the records of a sheet end; those of a chart on it are within. */
function endOfStream(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; ; ) {
    const record = recordAt(bytes, at);
    if (!record || (depth === 0 && record.type !== BOF)) return at;
    at = record.end;
    if (record.type === BOF) depth += 1;
    if (record.type === END) depth -= 1;
    if (depth === 0) return at;
  }
}

/** After the length of its sheet: one byte of length, and the characters. */
function nameIn(body: Uint8Array, shared: readonly BiffRecord[]): string {
  const page = shared.find(({ type }) => type === CODE_PAGE)?.body;
  const text = body.subarray(5, 5 + (body[4] ?? 0));
  return decodeStandard(text, PAGES[(page?.[0] ?? 0) + 256 * (page?.[1] ?? 0)] ?? 'windows-1252') ?? '';
}

/** Code pages under the names of the Encoding Standard. */
const PAGES: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1250: 'windows-1250',
  1251: 'windows-1251',
  1253: 'windows-1253',
  1254: 'windows-1254',
  1255: 'windows-1255',
  1256: 'windows-1256',
  1257: 'windows-1257',
  10000: 'macintosh',
  32768: 'macintosh',
};

/** The records of a sheet, after its first those of the workbook that it has none of. */
function withShared(stream: Uint8Array, shared: readonly BiffRecord[]): Uint8Array {
  const own = new Set<number>();
  let record = recordAt(stream, 0);
  const start = record?.end ?? 0;
  for (; record; record = recordAt(stream, record.end)) own.add(record.type);
  const added = shared.filter(({ type }) => !own.has(type)).map(({ bytes }) => bytes);
  return Buffer.concat([stream.subarray(0, start), ...added, stream.subarray(start)]);
}
