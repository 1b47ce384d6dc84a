// Opens a spreadsheet of any format, by content rather than name. Office Open XML goes to our own streaming reader,
// other formats to SheetJS.

import {
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  ReaderError,
  type Source,
} from '../../src/contract/index.ts';
import { bookOutline, bookParts } from './book/book.ts';
import type { BookSheet } from './book/sheets.ts';
import { isOle, isZip, rawBiffKind } from './spreadsheet-signature.ts';

/** The sheets of a workbook, the requested part of it, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  yield* bookParts(await openBook(source, context), context);
}

/** One line per sheet. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  yield* bookOutline(await openBook(source, context), context);
}

async function openBook(source: Source, context: ProcessContext): Promise<readonly BookSheet[]> {
  const head = await source.read(0, 8);
  const raw = rawBiffKind(head);
  if (raw === 'other')
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The file is a chart or a macro sheet of Excel 2 to 4; only worksheets of these versions are supported.',
      'Open it in a spreadsheet program and save it as .xlsx.',
    );
  if (isOle(head) || raw !== undefined) {
    const { openLegacy } = await import('./legacy/legacy.ts');
    return openLegacy(source, context, undefined);
  }
  if (isZip(head)) {
    const [{ CUT_OFF, ZipFile }, { openWorkbook }] = await Promise.all([
      import('../../src/package/index.ts'),
      import('./xlsx/workbook-sheets.ts'),
    ]);
    const zip = await ZipFile.open(source, context);
    if (zip.salvaged) context.warn(CUT_OFF);
    const sheets = await openWorkbook(zip, source, context);
    if (sheets) return sheets;
    if (zip.salvaged)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The file is truncated: its zip directory is missing, and no workbook could be recovered.',
        'Get a complete copy of the file.',
      );
    if (zip.get('xl/workbook.bin') || zip.get('content.xml')) {
      const { openLegacy } = await import('./legacy/legacy.ts');
      return openLegacy(source, context, zip);
    }
    throw new ReaderError(
      'CORRUPT_FILE',
      'The file is a zip archive without a workbook.',
      'Check that the file is a spreadsheet; save it again if it is.',
    );
  }
  throw new NotThisFormat({
    code: 'FORMAT_MISMATCH',
    message: 'The file is not a spreadsheet: its content is neither a zip archive nor an OLE document.',
  });
}
