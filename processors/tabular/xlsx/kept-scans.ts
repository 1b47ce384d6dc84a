// Caches work for repeated reads of the same sheet: its scan, and the rows read ahead of the last page. Holds a few
// sheets by content, in memory only.

import type { RowBlock, SheetScan } from './sheet-scan.ts';

const MAX_SHEETS = 16;

interface KeptScan extends SheetScan {
  /** The part did not match its checksum. */
  readonly damaged: boolean;
}

const scans = new Map<string, KeptScan>();
/** One block for all sheets, because it is the largest cached item. */
let ahead: { readonly key: string; readonly block: RowBlock } | undefined;

const keyOf = (book: string, part: string): string => `${book}\u0000${part}`;

/** The cached scan of `part` of the workbook with key `book`, if any. */
export function keptScan(book: string, part: string): KeptScan | undefined {
  const key = keyOf(book, part);
  const scan = scans.get(key);
  if (scan) {
    scans.delete(key);
    scans.set(key, scan);
  }
  return scan;
}

/** Caches a scan and evicts the least recently used one. */
export function keepScan(book: string, part: string, scan: KeptScan): void {
  scans.set(keyOf(book, part), scan);
  for (const key of scans.keys()) {
    if (scans.size <= MAX_SHEETS) return;
    scans.delete(key);
  }
}

/** The scan's own blocks, and the one read ahead if it belongs to this sheet. */
export function keptBlocks(book: string, part: string, scan: SheetScan): readonly RowBlock[] {
  return ahead?.key === keyOf(book, part) ? [...scan.blocks, ahead.block] : scan.blocks;
}

/** Caches rows read ahead, replacing any others. */
export function keepBlock(book: string, part: string, block: RowBlock): void {
  ahead = { key: keyOf(book, part), block };
}
