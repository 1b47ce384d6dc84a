// One pass over a sheet: its exact size, hidden rows and columns, merged ranges, formulas, and the rows at both ends.

import { throwIfAborted } from '../../../src/contract/index.ts';
import { attributeOf, tagEnd, XmlWalk, xmlText } from '../../../src/package/index.ts';
import { MAX_COLUMNS } from './cell.ts';
import { marginText } from './page-margins.ts';
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

/** A link of cells. */
export interface ScannedLink {
  /** A cell or a range. */
  readonly cells: string;
  /** Id of the relationship to an address outside the workbook. */
  readonly relation: string | undefined;
  /** A place in the workbook, or in the document at the address. */
  readonly location: string | undefined;
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
  readonly linkCount: number;
  /** The first of them. */
  readonly links: readonly ScannedLink[];
  /** Print headers and footers, as codes. */
  readonly headers: readonly string[];
  readonly footers: readonly string[];
  readonly ordered: boolean;
  /** Rows numbered past the end of a sheet. */
  readonly ignored: number;
  /** Runs of more than `MAX_BLANK_RUN` empty rows, both ends inclusive. Known for sheets in order. */
  readonly blankRuns: readonly (readonly [from: number, to: number])[];
  /** Head and tail, kept during the pass. */
  readonly blocks: readonly RowBlock[];
}

/** More than most answers show of a sheet: other rows cost another pass. */
const HEAD_ROWS = 256;
const TAIL_ROWS = 256;
/** Longer runs of empty rows are not shown as lines. */
const MAX_BLANK_RUN = 1000;
const MAX_KEPT_BYTES = 1024 * 1024;
const MAX_MERGED = 10_000;
const MAX_LINKS = 10_000;
/** Of odd, even and first pages. */
const MAX_MARGINS = 3;
/** Longer elements outside the rows, and text in them, are not read. */
const MAX_ELEMENT = 16 * 1024;
const NEEDLES = ['mergeC', 'yperl', 'Header', 'Footer'];
const ELEMENT = /(?<=[<:])(mergeCell|hyperlink|(?:odd|even|first)Header|(?:odd|even|first)Footer)(?=[\s>/])/g;
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
    linkCount: outside.linkCount,
    links: outside.links,
    headers: [...outside.headers],
    footers: [...outside.footers],
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
  linkCount = 0;
  readonly links: ScannedLink[] = [];
  readonly headers = new Set<string>();
  readonly footers = new Set<string>();
  #preamble = '';
  #preambleDone = false;
  #rest = '';

  add(bytes: Buffer): void {
    if (!this.#preambleDone) {
      this.#preamble += bytes.toString('latin1', 0, MAX_PREAMBLE);
      if (this.#preamble.length >= MAX_PREAMBLE || this.#preamble.includes('sheetData'))
        this.#preambleDone = true;
    }
    // Skips a flood of other elements at the speed of one search each.
    const seam = this.#rest.slice(-12) + bytes.toString('latin1', 0, 12);
    if (!NEEDLES.some((needle) => [bytes, this.#rest, seam].some((where) => where.includes(needle)))) {
      const end = bytes.toString('latin1', Math.max(0, bytes.length - 80));
      this.#rest = tailOf(bytes.length < 80 ? this.#rest + end : end);
      return;
    }
    const text = this.#rest + bytes.toString('latin1');
    let at = 0;
    for (const match of text.matchAll(ELEMENT)) {
      if (match.index < at) continue;
      const end = tagEnd(text, match.index);
      const isText = /er$/.test(match[0]);
      const close = end >= 0 && isText && text[end - 1] !== '/' ? text.indexOf('</', end) : end;
      if (close < 0) break;
      this.#element(match[0], text.slice(match.index + match[0].length, end), text.slice(end + 1, close));
      at = close;
    }
    this.#rest = tailOf(text.slice(at));
  }

  #element(name: string, attributes: string, inside: string): void {
    const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');
    if (name === 'mergeCell') {
      this.mergedCount++;
      const range = /\sref\s*=\s*["']([A-Za-z$\d:]{1,40})["']/.exec(attributes)?.[1];
      if (range !== undefined && this.merged.length < MAX_MERGED) this.merged.push(range);
    } else if (name === 'hyperlink') {
      this.linkCount++;
      if (this.links.length >= MAX_LINKS) return;
      const written = utf8(attributes);
      this.links.push({
        cells: attributeOf(written, 'ref') ?? '',
        relation: attributeOf(written, 'id'),
        location: attributeOf(written, 'location'),
      });
    } else {
      const margins = name.endsWith('Header') ? this.headers : this.footers;
      const text = margins.size < MAX_MARGINS ? marginText(xmlText(utf8(inside))) : '';
      if (text !== '') margins.add(text);
    }
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

/** The end of `text` that may be an element continued in the next chunk: from its last opening tag on. */
function tailOf(text: string): string {
  let open = text.lastIndexOf('<');
  if (text[open + 1] === '/') open = text.lastIndexOf('<', open - 1);
  return open < 0 || text.length - open > MAX_ELEMENT ? '' : text.slice(open);
}
