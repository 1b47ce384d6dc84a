// One pass over a sheet: its exact size, hidden rows and columns, merged ranges, formulas, and the rows at both ends.

import { throwIfAborted } from '../../../src/contract/index.ts';
import { XmlWalk } from '../../../src/package/index.ts';
import { MAX_COLUMNS } from './cell.ts';
import { RowCutter, WINDOWS } from './row-cutter.ts';

/** A copy of a row's bytes. */
export interface RawRow {
  readonly number: number;
  readonly xml: Buffer;
}

/** All non-empty rows of a range. */
export interface RowBlock {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly RawRow[];
}

/** The result of one pass over a sheet. */
export interface SheetScan {
  /** Numbers of the first and last non-empty row; 0 for an empty sheet. */
  readonly firstRow: number;
  readonly rows: number;
  /** The last non-empty column. */
  readonly columns: number;
  readonly formulas: number;
  readonly hiddenRows: number;
  readonly hiddenColumns: number;
  readonly mergedCount: number;
  /** The first of them. */
  readonly merged: readonly string[];
  readonly ordered: boolean;
  /** Rows numbered past the end of a sheet. */
  readonly ignored: number;
  /** Runs of more than `MAX_BLANK_RUN` empty rows, both ends inclusive. Known for sheets in order. */
  readonly blankRuns: readonly (readonly [from: number, to: number])[];
  /** Head and tail, kept during the pass. */
  readonly blocks: readonly RowBlock[];
}

const HEAD_ROWS = 64;
const TAIL_ROWS = 64;
/** Longer runs of empty rows are not shown as lines. */
const MAX_BLANK_RUN = 1000;
const MAX_KEPT_BYTES = 1024 * 1024;
const MAX_MERGED = 20;
/** The content before the rows is views and columns: a few KiB. */
const MAX_PREAMBLE = 256 * 1024;

interface Tail {
  number: number;
  piece: number;
  bytes: Buffer;
  start: number;
  end: number;
}

/** Reads the sheet to its end. @throws {ReaderError} LIMIT_EXCEEDED, CORRUPT_FILE, ABORTED. */
export async function scanSheet(pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<SheetScan> {
  const ends = new Ends();
  const outside = new Outside();
  const blankRuns: (readonly [number, number])[] = [];
  let previous = 0;
  const cutter = new RowCutter({
    row(row) {
      if (previous > 0 && row.number - previous - 1 > MAX_BLANK_RUN)
        blankRuns.push([previous + 1, row.number - 1]);
      previous = row.number;
      ends.row(row);
    },
    outside: (bytes) => outside.add(bytes),
  });
  for await (const piece of pieces) {
    throwIfAborted(signal);
    cutter.feed(piece);
  }
  cutter.finish();
  outside.finish();
  return {
    firstRow: cutter.firstRow,
    rows: cutter.lastRow,
    columns: cutter.lastColumn,
    formulas: cutter.formulas,
    hiddenRows: cutter.hiddenRows,
    hiddenColumns: outside.hiddenColumns(),
    mergedCount: outside.mergedCount,
    merged: outside.merged,
    ordered: cutter.ordered,
    ignored: cutter.ignored,
    blankRuns: cutter.ordered ? blankRuns : [],
    blocks: cutter.ordered ? ends.blocks(cutter.lastRow, cutter.piece) : [],
  };
}

/** Keeps the first and last rows of a sheet during the pass. */
class Ends {
  readonly #head: RawRow[] = [];
  #headBytes = 0;
  #headTo = HEAD_ROWS;
  readonly #tail: Tail[] = [];
  #seen = 0;

  row(row: Tail): void {
    if (row.number <= this.#headTo) {
      this.#headBytes += row.end - row.start;
      if (this.#headBytes > MAX_KEPT_BYTES) this.#headTo = row.number - 1;
      else this.#head.push({ number: row.number, xml: Buffer.from(row.bytes.subarray(row.start, row.end)) });
    }
    const slot = this.#seen++ % TAIL_ROWS;
    let place = this.#tail[slot];
    if (!place) {
      place = { number: 0, piece: 0, bytes: row.bytes, start: 0, end: 0 };
      this.#tail[slot] = place;
    }
    place.number = row.number;
    place.piece = row.piece;
    place.bytes = row.bytes;
    place.start = row.start;
    place.end = row.end;
  }

  /** The blocks of a sheet in order; `lastPiece` is the number of the last chunk. */
  blocks(lastRow: number, lastPiece: number): RowBlock[] {
    const blocks: RowBlock[] = [{ from: 1, to: Math.min(this.#headTo, lastRow), rows: this.#head }];
    const kept = this.#keptTail(lastPiece);
    const [first] = kept;
    // Rows before the first kept one were dropped, so the block starts there.
    if (first && this.#headTo < lastRow) blocks.push({ from: first.number, to: lastRow, rows: kept });
    return blocks;
  }

  #keptTail(lastPiece: number): RawRow[] {
    const kept: RawRow[] = [];
    let bytes = 0;
    for (let back = 1; back <= Math.min(this.#seen, TAIL_ROWS); back++) {
      const place = this.#tail[(this.#seen - back) % TAIL_ROWS];
      if (!place || place.piece <= lastPiece - WINDOWS) break;
      bytes += place.end - place.start;
      if (bytes > MAX_KEPT_BYTES) break;
      kept.push({ number: place.number, xml: Buffer.from(place.bytes.subarray(place.start, place.end)) });
    }
    return kept.reverse();
  }
}

/** Content outside the rows: columns before them, merged ranges after them. */
class Outside {
  mergedCount = 0;
  readonly merged: string[] = [];
  #preamble = '';
  #preambleDone = false;
  #rest = '';

  add(bytes: Buffer): void {
    if (!this.#preambleDone) {
      this.#preamble += bytes.toString('latin1', 0, MAX_PREAMBLE);
      if (this.#preamble.length >= MAX_PREAMBLE || this.#preamble.includes('sheetData'))
        this.#preambleDone = true;
    }
    // Skips a flood of other elements at the speed of one search.
    if (this.#rest === '' && bytes.indexOf('mergeC') < 0) {
      if (bytes.length >= 16) this.#rest = tailOf(bytes.toString('latin1', bytes.length - 16));
      return;
    }
    const text = this.#rest + bytes.toString('latin1');
    let at = 0;
    for (;;) {
      const name = text.indexOf('mergeCell', at);
      if (name < 0) break;
      const after = text.charCodeAt(name + 9);
      if (Number.isNaN(after)) break;
      if (after !== 32 && after !== 10 && after !== 13 && after !== 9) {
        at = name + 9;
        continue;
      }
      const end = text.indexOf('>', name);
      if (end < 0) break;
      this.mergedCount++;
      if (this.merged.length < MAX_MERGED) {
        const range = /\sref\s*=\s*["']([A-Za-z$\d:]{1,40})["']/.exec(text.slice(name, end))?.[1];
        if (range !== undefined) this.merged.push(range);
      }
      at = end;
    }
    this.#rest = tailOf(text.slice(at));
  }

  finish(): void {
    this.#rest = '';
    this.#preambleDone = true;
  }

  hiddenColumns(): number {
    const walk = new XmlWalk(this.#preamble);
    let hidden = 0;
    while (walk.next()) {
      if (walk.kind !== 'open' || walk.name !== 'col') continue;
      if (!/^(?:1|true)$/.test(walk.attribute('hidden') ?? '')) continue;
      const from = Math.max(1, Number(walk.attribute('min') ?? 0));
      const to = Math.min(MAX_COLUMNS, Number(walk.attribute('max') ?? 0));
      if (to >= from) hidden = Math.min(MAX_COLUMNS, hidden + to - from + 1);
    }
    return hidden;
  }
}

/** The end of `text` from its last tag on, if that may be a merged range continued in the next chunk. */
function tailOf(text: string): string {
  const open = text.lastIndexOf('<');
  return open < 0 || text.length - open > 256 ? '' : text.slice(open);
}
