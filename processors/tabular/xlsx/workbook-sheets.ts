// The sheets of an Office Open XML workbook as a book: measured when opened, with formulas, comments, merged and hidden
// cells as facts, notes and warnings.

import {
  type Extent,
  oneLine,
  type ProcessContext,
  plural,
  quoted,
  type Source,
  type Warning,
} from '../../../src/contract/index.ts';
import type { ZipFile } from '../../../src/package/index.ts';
import { cutCell } from '../../../src/table/index.ts';
import type { BookSheet, OpenSheet } from '../book/sheets.ts';
import { headingOf, hiddenCells } from '../book/sheets.ts';
import { keepBlock, keepScan, keptBlocks, keptScan } from './kept-scans.ts';
import { Sheet } from './sheet.ts';
import type { SheetEntry } from './sheet-entry.ts';
import { type SheetScan, scanSheet } from './sheet-scan.ts';
import { type Drawn, Workbook } from './workbook.ts';
import type { Comment } from './workbook-parts.ts';

const MAX_COMMENTS = 20;
const MAX_COMMENT_LENGTH = 500;
const MAX_NOTE_LENGTH = 400;
const MAX_RANGES = 12;
const MAX_DRAWN = 100;
const MAX_DRAWN_LENGTH = 600;

/** Undefined if the zip file has no such workbook. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED. */
export async function openWorkbook(
  zip: ZipFile,
  source: Source,
  context: ProcessContext,
): Promise<readonly BookSheet[] | undefined> {
  const workbook = await Workbook.open(zip, source, context);
  return workbook?.sheets.map((entry) => {
    const { name, state, kind, part } = entry;
    const cost = part === undefined ? 0 : workbook.sizeOf(part);
    if (kind !== 'worksheet' && kind !== 'chartsheet') return { name, state, kind, cost };
    return { name, state, kind, cost, open: () => openSheet(workbook, entry, source.name, context) };
  });
}

async function openSheet(
  workbook: Workbook,
  entry: SheetEntry,
  file: string,
  context: ProcessContext,
): Promise<OpenSheet> {
  const { name, part = '' } = entry;
  const { signal } = context;
  const kept = keptScan(workbook.key, part);
  const scan = kept ?? (await scanSheet(workbook.pieces(part), signal));
  if (!kept) keepScan(workbook.key, part, { ...scan, damaged: workbook.isDamaged(part) });
  else if (kept.damaged) workbook.tellDamaged(part);
  const sheet = await Sheet.open({
    workbook,
    part,
    name,
    heading: headingOf(entry, { table: scan, firstRow: scan.firstRow }),
    scan,
    styles: await workbook.styles(),
    plain: context.selection.plain === true,
    signal,
    blocks: keptBlocks(workbook.key, part, scan),
    keep: (block) => keepBlock(workbook.key, part, block),
  });
  const comments = part === '' ? [] : await workbook.comments(part);
  const drawn = part === '' ? [] : await workbook.drawings(part);
  const missing = entry.part === undefined;
  return {
    table: sheet,
    facts: factsOf(scan, comments, drawn),
    notes: (rows) => [...notesOf(sheet, scan, comments, rows), ...drawnNotes(drawn, file)],
    warnings: () => warningsOf(sheet, scan, missing),
  };
}

function factsOf(
  scan: SheetScan,
  comments: readonly Comment[],
  drawn: readonly Drawn[],
): Record<string, unknown> {
  return {
    rows: scan.rows,
    columns: scan.columns,
    formulas: scan.formulas,
    mergedCount: scan.mergedCount,
    ...(scan.merged.length > 0 && { merged: scan.merged }),
    commentCount: comments.length,
    ...(comments.length > 0 && {
      comments: comments
        .slice(0, MAX_COMMENTS)
        .map(({ cell, author, text }) => ({ cell, author, text: cutCell(text, MAX_COMMENT_LENGTH) })),
    }),
    hiddenRows: scan.hiddenRows,
    hiddenColumns: scan.hiddenColumns,
    ...(drawn.length > 0 && { drawings: drawn.slice(0, MAX_DRAWN) }),
  };
}

/** One line for the pictures and one for the charts, each with its cell and its address. */
function drawnNotes(drawn: readonly Drawn[], file: string): string[] {
  return (['picture', 'chart'] as const).flatMap((kind) => {
    const all = drawn.filter((one) => one.kind === kind);
    const lines: string[] = [];
    let length = 0;
    for (const { cell, text, path, ranges = [] } of all) {
      const title = text === '' ? [] : [JSON.stringify(oneLine(text))];
      const of = ranges.length === 0 ? [] : [`of ${ranges.map(oneLine).join(', ')}`];
      const address = `\`${oneLine(file)}!/${oneLine(path)}\``;
      const line = [...(cell === '' ? [] : [cell]), ...title, ...of, address].join(' ');
      length += line.length;
      if (length > MAX_DRAWN_LENGTH && lines.length > 0) break;
      lines.push(line);
    }
    if (lines.length === 0) return [];
    const more = all.length > lines.length ? ` (${lines.length} of ${all.length})` : '';
    return [`${kind === 'picture' ? 'Pictures' : 'Charts'}${more}: ${lines.join('; ')}`];
  });
}

function notesOf(
  sheet: Sheet,
  scan: SheetScan,
  comments: readonly Comment[],
  rows: readonly Extent[],
): string[] {
  const notes: string[] = [];
  if (comments.length > 0) {
    const shown = comments
      .slice(0, MAX_COMMENTS)
      .map(({ cell, author, text }) => `${cell}${author === '' ? '' : ` (${author})`}: ${text}`);
    notes.push(listed('Comments', shown, comments.length));
  }
  if (scan.formulas > 0) {
    const { ranges, cells } = sheet.formulaRanges(rows);
    const more = ranges.length > MAX_RANGES ? ', …' : '';
    const named =
      ranges.length > 0
        ? [`${ranges.slice(0, MAX_RANGES).join(', ')}${more} (${plural(cells, 'cell')})`]
        : [];
    notes.push(
      cells >= scan.formulas
        ? `Formulas: ${named.join('')}`
        : `Formulas: ${plural(scan.formulas, 'cell')}${named.length > 0 ? `, of those shown ${named.join('')}` : ''}`,
    );
  }
  if (scan.mergedCount > 0) notes.push(listed('Merged', scan.merged.slice(0, MAX_RANGES), scan.mergedCount));
  return notes;
}

function listed(title: string, items: readonly string[], count: number): string {
  const flat = items.join('; ').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  const more = count > items.length ? ` (${count} in all)` : '';
  return `${title}: ${cutCell(flat, MAX_NOTE_LENGTH)}${more}`;
}

function warningsOf(sheet: Sheet, scan: SheetScan, missing: boolean): Warning[] {
  const where = `Sheet ${quoted(sheet.name)}`;
  const { badStrings, ignoredCells } = sheet.findings;
  const warnings: Warning[] = [];
  if (missing)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where} has no content in the file: its part is missing.`,
    });
  if (badStrings > 0)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where}: ${plural(badStrings, 'cell')} read ${badStrings === 1 ? 'refers' : 'refer'} to a missing shared string; shown as empty.`,
    });
  if (ignoredCells > 0)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where}: ${plural(ignoredCells, 'cell')} read ${ignoredCells === 1 ? 'is' : 'are'} left out: past column XFD, or a duplicate reference.`,
    });
  if (scan.ignored > 0)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where}: ${plural(scan.ignored, 'row')} numbered past 1048576, the last row of a sheet, ${scan.ignored === 1 ? 'is' : 'are'} left out.`,
    });
  if (scan.blankRuns.length > 0) {
    const [from, to] = scan.blankRuns[0] ?? [0, 0];
    const more =
      scan.blankRuns.length > 1 ? ` and ${plural(scan.blankRuns.length - 1, 'other stretch')}` : '';
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where}: rows ${from}-${to}${more} are empty and not shown.`,
    });
  }
  warnings.push(...hiddenCells(sheet.name, scan.hiddenRows, scan.hiddenColumns));
  return warnings;
}
