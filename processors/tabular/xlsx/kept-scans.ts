// Caches work for repeated reads of the same sheet: its scan, and the rows read ahead of the last page. Holds a few
// sheets by content, in memory only.

import { createContentMap } from '../../../src/contract/index.ts';
import type { RowBlock, SheetScan } from './sheet-scan.ts';

const MAX_SHEETS = 16;

interface KeptScan extends SheetScan {
  /** The part did not match its checksum. */
  readonly damaged: boolean;
}

const scans = createContentMap<KeptScan>({ most: MAX_SHEETS });
/** One block for all sheets, because it is the largest cached item. */
const ahead = createContentMap<RowBlock>({ most: 1 });

const keyOf = (book: string, part: string): string => `${book}\u0000${part}`;

/** The cached scan of `part` of the workbook with key `book`, if any. */
export function keptScan(book: string, part: string): KeptScan | undefined {
  return scans.get(keyOf(book, part));
}

/** Caches a scan and evicts the least recently used one. */
export function keepScan(book: string, part: string, scan: KeptScan): void {
  scans.set(keyOf(book, part), scan);
}

/** The scan's own blocks, and the one read ahead if it belongs to this sheet. */
export function keptBlocks(book: string, part: string, scan: SheetScan): readonly RowBlock[] {
  const block = ahead.get(keyOf(book, part));
  return block ? [...scan.blocks, block] : scan.blocks;
}

/** Caches rows read ahead, replacing any others. */
export function keepBlock(book: string, part: string, block: RowBlock): void {
  ahead.set(keyOf(book, part), block);
}
