// Reads XLS and XLSB with SheetJS, which loads a whole workbook into memory, and passes ODS on. The input is bounded
// first; the result is shown like any other workbook.

import {
  type Bytes,
  cannotDecrypt,
  type ProcessContext,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import type { ZipFile } from '../../../src/package/index.ts';
import type { BookSheet, OpenSheet } from '../book/sheets.ts';
import { isOle, rawBiffKind } from '../spreadsheet-signature.ts';
import { Styles } from '../xlsx/styles.ts';
import { excel4Sheets } from './excel4.ts';
import { MAX_ROWS_READ, type SheetJS } from './grid.ts';
import { openOds } from './ods-book.ts';
import { openSheet, type SheetSetting } from './sheet.ts';
import { type SheetObjects, xlsObjects } from './xls-objects.ts';
import { xlsbObjects } from './xlsb-objects.ts';

/** SheetJS needs several times this size in memory. */
const MAX_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_INFLATED_BYTES: Bytes = 256 * 1024 * 1024;

/**
 * The sheets of a legacy workbook. `zip` is the opened container of an XLSB or ODS file.
 * @throws {ReaderError} LIMIT_EXCEEDED, ENCRYPTED_FILE, CORRUPT_FILE.
 */
export async function openLegacy(
  source: Source,
  context: ProcessContext,
  zip: ZipFile | undefined,
): Promise<readonly BookSheet[]> {
  const most = Math.min(MAX_BYTES, context.limits.maxBytesInMemory);
  if (source.size > most)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The workbook has ${source.size} bytes; the limit is ${most}, because this format is loaded into memory.`,
      'Save it as .xlsx or .csv, which are streamed.',
    );
  const maxInflated = Math.min(MAX_INFLATED_BYTES, context.limits.maxBytesInMemory);
  if (zip) {
    await preflight(zip, context, maxInflated);
    if (zip.get('content.xml')) return openOds(zip, source, context, maxInflated);
  }
  const bytes = await source.bytes();
  if (!zip && isEncryptedPackage(bytes)) throw encrypted();
  throwIfAborted(context.signal);
  const library = await import('@e965/xlsx');
  if (rawBiffKind(bytes) === 'workbook') return excel4Book(library, bytes, context, source.name);
  const book = parse(library, bytes);
  const date1904 = book.Workbook?.WBProps?.date1904 === true;
  const styles = new Styles(undefined, date1904);
  const objects = await objectsOf(bytes, zip, context, maxInflated);
  return book.SheetNames.map((name, index) => {
    const sheet = book.Sheets[name];
    const hidden = book.Workbook?.Sheets?.[index]?.Hidden ?? 0;
    // SheetJS marks sheets other than worksheets with `!type`, which is missing from its types.
    const type = (sheet as { readonly '!type'?: string } | undefined)?.['!type'];
    const kind =
      type === 'chart'
        ? 'chartsheet'
        : type === 'dialog'
          ? 'dialogsheet'
          : type === 'macro'
            ? 'macrosheet'
            : 'worksheet';
    const entry = {
      name,
      state: hidden === 2 ? 'veryHidden' : hidden === 1 ? 'hidden' : 'visible',
      kind,
      cost: 0,
    } as const;
    if (!sheet || kind !== 'worksheet') return entry;
    return {
      ...entry,
      open: () =>
        Promise.resolve(openSheet(entry, sheet, styles, settingOf(source.name, context, objects[index]))),
    };
  });
}

/** The sheets of an Excel 4 workbook, each of which the library reads as a file of its own. */
function excel4Book(
  library: SheetJS,
  bytes: Uint8Array,
  context: ProcessContext,
  fileName: string,
): readonly BookSheet[] {
  const sheets = excel4Sheets(bytes, context.warn);
  if (sheets.length === 0)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The file is a workspace of Excel 3 or 4: it names workbooks, and contains no sheets.',
      'Read the workbooks themselves.',
    );
  return sheets.map(({ name, kind, file }) => {
    const entry = { name, state: 'visible', kind, cost: 0 } as const;
    if (kind !== 'worksheet') return entry;
    const open = async (): Promise<OpenSheet> => {
      const book = parse(library, file());
      const styles = new Styles(undefined, book.Workbook?.WBProps?.date1904 === true);
      return openSheet(
        entry,
        book.Sheets[book.SheetNames[0] ?? ''] ?? {},
        styles,
        settingOf(fileName, context),
      );
    };
    return { ...entry, open };
  });
}

function settingOf(
  file: string,
  { selection }: ProcessContext,
  objects: SheetObjects = { drawn: [], headers: [], footers: [] },
): SheetSetting {
  const { plain = false, formulas = false } = selection;
  return { file, isOds: false, isPlain: plain, hasFormulas: formulas, hiddenValues: 0, ...objects };
}

/** What lies on each sheet. A file that SheetJS reads in spite of damage is shown without. */
async function objectsOf(
  bytes: Uint8Array,
  zip: ZipFile | undefined,
  context: ProcessContext,
  maxInflated: Bytes,
): Promise<readonly SheetObjects[]> {
  try {
    if (zip) return await xlsbObjects(zip, context, maxInflated);
    return isOle(bytes) ? xlsObjects(bytes) : [];
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'CORRUPT_FILE') throw error;
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `Text boxes, pictures, charts and page headers cannot be read: ${error.message}`,
    });
    return [];
  }
}

function parse(library: SheetJS, bytes: Uint8Array): import('@e965/xlsx').WorkBook {
  const restore = silence();
  try {
    return library.read(bytes, {
      type: 'array',
      dense: true,
      cellNF: true,
      cellHTML: false,
      cellStyles: true,
      sheetRows: MAX_ROWS_READ,
      bookVBA: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    if (/password|ECMA-376 encrypted|ODS encryption|encryption scheme/i.test(reason)) throw encrypted();
    throw new ReaderError(
      'CORRUPT_FILE',
      'The workbook cannot be read: its content is invalid.',
      'Open it in a spreadsheet program and save it as .xlsx.',
      error,
    );
  } finally {
    restore();
  }
}

/** Silences the library's console output. Its call is synchronous, so no other output is lost. */
function silence(): () => void {
  const target = globalThis.console;
  const { error, warn, log } = target;
  const nothing = (): void => undefined;
  Object.assign(target, { error: nothing, warn: nothing, log: nothing });
  return () => {
    Object.assign(target, { error, warn, log });
  };
}

function encrypted(): ReaderError {
  return cannotDecrypt('The workbook is protected with a password.');
}

/** Encrypted Office Open XML files are OLE containers with a stream of this name ([MS-OFFCRYPTO] 2.3.4.4). */
function isEncryptedPackage(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

/** Measures what the content inflates to, before it is read. */
async function preflight(zip: ZipFile, context: ProcessContext, most: Bytes): Promise<void> {
  let total = 0;
  for (const entry of zip.entries.values()) {
    for await (const piece of zip.inflate(entry, context.signal)) {
      total += piece.length;
      if (total > most)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The workbook inflates to more than ${most} bytes, the limit because this format is loaded into memory.`,
          'Save it as .xlsx or .csv, which are streamed.',
        );
    }
    if (entry.name === 'META-INF/manifest.xml') {
      const manifest = (await zip.bytes(entry, 1024 * 1024, context.signal)).toString('latin1');
      if (manifest.includes('encryption-data')) throw encrypted();
    }
  }
}
