// The sheets of an Office Open XML workbook as a book: measured when opened, with formulas, comments, merged and hidden
// cells as facts, notes and warnings.

import {
  columnLetters,
  type Extent,
  type ProcessContext,
  plural,
  quoted,
  type Source,
  type Warning,
} from '../../../src/contract/index.ts';
import type { ZipFile } from '../../../src/package/index.ts';
import { remarkFacts, remarkNotes } from '../book/remarks.ts';
import type { BookSheet, OpenSheet } from '../book/sheets.ts';
import { headingOf, hiddenCells, hiddenValues } from '../book/sheets.ts';
import { cellKey, columnOf } from './cell.ts';
import { keepBlock, keepScan, keptBlocks, keptScan } from './kept-scans.ts';
import { Sheet } from './sheet.ts';
import type { SheetEntry } from './sheet-entry.ts';
import { type ScannedLink, type SheetScan, scanSheet } from './sheet-scan.ts';
import { Workbook } from './workbook.ts';
import type { Relation } from './workbook-parts.ts';

const MAX_RANGES = 12;
/** Cells of links to ranges. */
const MAX_LINKED = 100_000;

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
  const links = linkedCells(scan.links, part === '' ? new Map() : await workbook.relations(part));
  const headerLinks = new Map<number, string>();
  const sheet = await Sheet.open({
    workbook,
    part,
    name,
    heading: headingOf(entry, { table: scan, firstRow: scan.firstRow }),
    scan,
    styles: await workbook.styles(),
    plain: context.selection.plain === true,
    formulas: context.selection.formulas === true,
    signal,
    links,
    headerLinks,
    richTexts: await workbook.richTexts(),
    blocks: keptBlocks(workbook.key, part, scan),
    keep: (block) => keepBlock(workbook.key, part, block),
  });
  const remarks = {
    comments: part === '' ? [] : await workbook.comments(part),
    drawn: part === '' ? [] : await workbook.drawings(part),
    headers: scan.headers,
    footers: scan.footers,
    links: [...headerLinks].map(([column, address]) => `${columnLetters(column)}${scan.firstRow} ${address}`),
    merged: scan.merged,
    mergedCount: scan.mergedCount,
  };
  const missing = entry.part === undefined;
  return {
    table: sheet,
    facts: {
      rows: scan.rows,
      columns: scan.columns,
      formulas: scan.formulas,
      ...remarkFacts(remarks),
      hiddenRows: scan.hiddenRows,
      hiddenColumns: scan.hiddenColumns,
    },
    comments: remarks.comments,
    notes: (shown) => {
      const rows = shown.filter(({ unit }) => unit === 'row');
      return remarkNotes(remarks, file, shown, formulasOf(sheet, scan, rows));
    },
    warnings: () => warningsOf(sheet, scan, missing),
  };
}

/** The addresses of linked cells, by `cellKey`. */
function linkedCells(
  links: readonly ScannedLink[],
  relations: ReadonlyMap<string, Relation>,
): ReadonlyMap<number, string> {
  const linked = new Map<number, string>();
  for (const { cells, relation, location } of links) {
    const outside = relations.get(relation ?? '')?.address ?? '';
    const address = location === undefined || location === '' ? outside : `${outside}#${location}`;
    const [, left = '', top = '', right = left, bottom = top] =
      /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/i.exec(cells) ?? [];
    for (let row = Number(top); row > 0 && row <= Number(bottom); row++)
      for (let column = columnOf(left); column <= columnOf(right); column++) {
        if (linked.size >= MAX_LINKED) return linked;
        linked.set(cellKey(row, column), address);
      }
  }
  return linked;
}

function formulasOf(sheet: Sheet, scan: SheetScan, rows: readonly Extent[]): string | undefined {
  if (scan.formulas === 0) return undefined;
  const { ranges, cells } = sheet.formulaRanges(rows);
  const more = ranges.length > MAX_RANGES ? ', …' : '';
  const named =
    ranges.length > 0 ? `${ranges.slice(0, MAX_RANGES).join(', ')}${more} (${plural(cells, 'cell')})` : '';
  if (cells >= scan.formulas) return named;
  return `${plural(scan.formulas, 'cell')}${named === '' ? '' : `, of those shown ${named}`}`;
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
  if (scan.linkCount > scan.links.length)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${where} has ${scan.linkCount} links; only the first ${scan.links.length} were read.`,
    });
  warnings.push(...hiddenCells(sheet.name, scan.hiddenRows, scan.hiddenColumns));
  warnings.push(...hiddenValues(sheet.name, sheet.findings.hidden.size));
  return warnings;
}
