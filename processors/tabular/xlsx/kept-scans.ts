// What a second read of the same sheet need not do again: its scan, and the rows read ahead of the last page. A few
// sheets are kept, by content; nothing is kept on disk.

import type { RowBlock, SheetScan } from './sheet-scan.ts';

const MAX_SHEETS = 16;

interface KeptScan extends SheetScan {
  /** The part did not match its checksum. */
  readonly damaged: boolean;
}

const scans = new Map<string, KeptScan>();
/** One block for all sheets: it is the largest thing kept. */
let ahead: { readonly key: string; readonly block: RowBlock } | undefined;

const keyOf = (book: string, part: string): string => `${book}\u0000${part}`;

/** The scan of `part` of the workbook with the key `book`, if it is kept. */
export function keptScan(book: string, part: string): KeptScan | undefined {
  const key = keyOf(book, part);
  const scan = scans.get(key);
  if (scan) {
    scans.delete(key);
    scans.set(key, scan);
  }
  return scan;
}

/** Keeps a scan, for one not used for longer. */
export function keepScan(book: string, part: string, scan: KeptScan): void {
  scans.set(keyOf(book, part), scan);
  for (const key of scans.keys()) {
    if (scans.size <= MAX_SHEETS) return;
    scans.delete(key);
  }
}

/** The scan's own blocks, and the one read ahead if it is of this sheet. */
export function keptBlocks(book: string, part: string, scan: SheetScan): readonly RowBlock[] {
  return ahead?.key === keyOf(book, part) ? [...scan.blocks, ahead.block] : scan.blocks;
}

/** Keeps rows read ahead, in place of any others. */
export function keepBlock(book: string, part: string, block: RowBlock): void {
  ahead = { key: keyOf(book, part), block };
}
