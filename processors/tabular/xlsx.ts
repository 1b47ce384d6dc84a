// Spreadsheets: Office Open XML workbooks through a reader of our own that samples without loading, older and other
// formats (XLS, XLSB, ODS) through SheetJS. Which of the two is decided by the bytes, not by the name.

import {
  NotThisFormat,
  type Part,
  type ProcessContext,
  type Processor,
  ReaderError,
  type Source,
} from '../../src/contract/index.ts';
import { type BookSheet, bookOutline, bookParts } from './book.ts';

const OLE = 'd0cf11e0a1b11ae1';
const SELECTS = ['rows', 'columns', 'sheet'] as const;

/** Office Open XML workbooks, with or without macros (which are never run). */
export const xlsx: Processor = {
  name: 'xlsx',
  fileType: 'xlsx',
  extensions: ['.xlsx', '.xlsm', '.xltx', '.xltm'],
  mimeTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    'application/vnd.ms-excel.sheet.macroenabled.12',
    'application/vnd.ms-excel.template.macroenabled.12',
  ],
  selects: SELECTS,
  textual: false,
  matches: (head) => isZip(head) && holds(head, 'xl/') && !holds(head, 'xl/workbook.bin'),
  process,
  outline,
};

/** Binary workbooks of Excel 5 to 2003 and 2007, and OpenDocument spreadsheets. Held in memory whole. */
export const spreadsheet: Processor = {
  name: 'spreadsheet',
  fileType: 'xlsx',
  extensions: ['.xls', '.xlt', '.xla', '.xlsb', '.ods', '.ots'],
  mimeTypes: [
    'application/vnd.ms-excel',
    'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  selects: SELECTS,
  textual: false,
  matches: (head) =>
    isOle(head) ||
    (isZip(head) && (holds(head, 'opendocument.spreadsheet') || holds(head, 'xl/workbook.bin'))),
  process,
  outline,
};

async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  yield* bookParts(await openBook(source, context), context);
}

async function* outline(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  yield* bookOutline(await openBook(source, context), context);
}

async function openBook(source: Source, context: ProcessContext): Promise<readonly BookSheet[]> {
  const head = await source.read(0, 8);
  if (isOle(head) || isRawBiff(head)) {
    const { openLegacy } = await import('./legacy.ts');
    return openLegacy(source, context, undefined);
  }
  if (isZip(head)) {
    const [{ ZipFile }, { openWorkbook }] = await Promise.all([
      import('./xlsx/zip.ts'),
      import('./xlsx/workbook-sheets.ts'),
    ]);
    const zip = await ZipFile.open(source, context.limits);
    const sheets = await openWorkbook(zip, source, context);
    if (sheets) return sheets;
    if (zip.get('xl/workbook.bin') || zip.get('content.xml')) {
      const { openLegacy } = await import('./legacy.ts');
      return openLegacy(source, context, zip);
    }
    throw new ReaderError(
      'CORRUPT_FILE',
      'The file is a zip container without a workbook in it.',
      'Check that the file is a spreadsheet; save it again if it is.',
    );
  }
  throw new NotThisFormat({
    code: 'FORMAT_MISMATCH',
    message: 'The file is no spreadsheet: its content is neither a zip container nor an OLE document.',
  });
}

function isZip(head: Uint8Array): boolean {
  return (
    head[0] === 0x50 &&
    head[1] === 0x4b &&
    (head[2] === 3 || head[2] === 5) &&
    (head[3] === 4 || head[3] === 6)
  );
}

function isOle(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length)).toString('hex') === OLE;
}

/** Excel 2 to 4 wrote its records without a container: a BOF record (0x0009, 0x0209, 0x0409) comes first. */
function isRawBiff(head: Uint8Array): boolean {
  return head[0] === 9 && (head[1] === 0 || head[1] === 2 || head[1] === 4) && head[3] === 0;
}

function holds(head: Uint8Array, word: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(word);
}
