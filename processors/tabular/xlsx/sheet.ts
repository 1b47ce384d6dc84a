// A worksheet as a table: rows come from a cached scan or another pass, and are formatted like in Excel.

import { columnLetters, countBefore, type Extent, throwIfAborted } from '../../../src/contract/index.ts';
import type { Table, TableRow } from '../../../src/table/index.ts';
import { formulaAddress, withFormula, withLink } from '../book/links.ts';
import { type Cell, cellKey, parseRow } from './cell.ts';
import { general } from './number-format/decimal.ts';
import type { NumberFormat } from './number-format/format.ts';
import { serialOf } from './number-format/serial-date.ts';
import { UNKNOWN_RICH_VALUE } from './rich-values.ts';
import { RowCutter } from './row-cutter.ts';
import type { RawRow, RowBlock, SheetScan } from './sheet-scan.ts';
import type { Styles } from './styles.ts';
import type { Workbook } from './workbook.ts';

/** Rows read ahead, so that the next pages need no pass of their own. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const MAX_BATCH = 512;
/** Rows gathered at a time from a sheet that is out of order. */
const GATHER_ROWS = 50_000;
const MAX_FORMULA_RANGES = 200;
const MAX_HIDDEN = 100_000;

/** Defects found while rows were shown. */
export interface SheetFindings {
  /** Shared strings, styles or cells missing from the workbook. */
  badStrings: number;
  ignoredCells: number;
  /** Cells whose number format shows nothing of their value, by `cellKey`. */
  readonly hidden: Set<number>;
}

/** The values of a worksheet, row by row. */
export class Sheet implements Table {
  readonly name: string;
  readonly heading: string;
  readonly header: readonly string[] | undefined;
  readonly headerRow: number;
  readonly rows: number;
  readonly columns: number;
  readonly findings: SheetFindings = { badStrings: 0, ignoredCells: 0, hidden: new Set() };
  readonly #workbook: Workbook;
  readonly #part: string;
  readonly #scan: SheetScan;
  readonly #styles: Styles;
  readonly #plain: boolean;
  readonly #showsFormulas: boolean;
  readonly #links: ReadonlyMap<number, string>;
  readonly #headerLinks: Map<number, string>;
  readonly #richTexts: readonly (string | undefined)[];
  readonly #signal: AbortSignal;
  readonly #keep: (block: RowBlock) => void;
  #blocks: readonly RowBlock[];
  readonly #formulas = new Map<number, [number, number][]>();
  #formulaRanges = 0;

  private constructor(options: SheetOptions, header: TableRow<string> | undefined) {
    this.name = options.name;
    this.heading = options.heading;
    this.#workbook = options.workbook;
    this.#part = options.part;
    this.#scan = options.scan;
    this.#styles = options.styles;
    this.#plain = options.plain;
    this.#showsFormulas = options.formulas;
    this.#links = options.links;
    this.#headerLinks = options.headerLinks;
    this.#richTexts = options.richTexts;
    this.#signal = options.signal;
    this.#keep = options.keep;
    this.#blocks = options.blocks;
    this.rows = options.scan.rows;
    this.columns = options.scan.columns;
    this.header = header?.cells;
    this.headerRow = header?.number ?? 0;
  }

  /** Decides on the header: the first non-empty row, if it is all text and as wide as the rest. */
  static async open(options: SheetOptions): Promise<Sheet> {
    const probe = new Sheet(options, undefined);
    await probe.#prepareEnds();
    const { firstRow, rows, columns, blocks } = options.scan;
    const raw = blocks[0]?.rows[0];
    if (!raw || raw.number !== firstRow || rows === firstRow) return probe;
    const { cells } = parseRow(raw.xml.toString('utf8'));
    const isText = cells.every(({ type, value }) => /^(?:s|str|inlineStr)$/.test(type) && value !== '');
    if (!isText || cells.length * 2 < columns) return probe;
    const trial = new Sheet(options, { number: firstRow, cells: [] });
    for await (const row of trial.read(firstRow, firstRow)) return new Sheet(options, row);
    return probe;
  }

  columnName(column: number): string {
    return columnLetters(column);
  }

  /** Cells with a formula in `rows`, as far as they were read, as column ranges: `C2:C30`. */
  formulaRanges(rows: readonly Extent[]): { readonly ranges: readonly string[]; readonly cells: number } {
    const ranges: string[] = [];
    let cells = 0;
    for (const [column, spans] of [...this.#formulas].sort(([a], [b]) => a - b)) {
      const letters = columnLetters(column);
      for (const span of spans)
        for (const shown of rows) {
          const from = Math.max(span[0], shown.from);
          const to = Math.min(span[1], shown.to);
          if (to < from) continue;
          cells += to - from + 1;
          ranges.push(from === to ? `${letters}${from}` : `${letters}${from}:${letters}${to}`);
        }
    }
    return { ranges, cells };
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow<string>, void, undefined> {
    const end = Math.min(to, this.rows);
    let next = Math.max(from, this.#scan.firstRow);
    for await (const batch of this.#batches(next, end)) {
      const shown = await this.#show(batch);
      for (const row of shown) {
        yield* this.#blanks(next, row.number);
        yield row;
        next = row.number + 1;
      }
    }
    yield* this.#blanks(next, end + 1);
  }

  /** Empty rows in `[from, to)`, without those in long empty runs. */
  *#blanks(from: number, to: number): Generator<TableRow<string>, void, undefined> {
    for (let number = from; number < to; number++) {
      const run = this.#blankRun(number);
      if (run) number = run[1];
      else yield { number, cells: [] };
    }
  }

  /** The long empty run that contains row `number`. */
  #blankRun(number: number): readonly [from: number, to: number] | undefined {
    const { blankRuns } = this.#scan;
    const run = blankRuns[countBefore(blankRuns.length, (at) => (blankRuns[at]?.[1] ?? 0) < number)];
    return run && run[0] <= number && number <= run[1] ? run : undefined;
  }

  /** One pass over the shared strings covers both ends of the sheet. */
  async #prepareEnds(): Promise<void> {
    const needed = new Set<number>();
    for (const { rows } of this.#scan.blocks)
      for (const { xml } of rows) collectStrings(parseRow(xml.toString('utf8')).cells, needed);
    await this.#workbook.strings.prepare(needed);
  }

  async *#batches(from: number, to: number): AsyncGenerator<readonly RawRow[], void, undefined> {
    if (!this.#scan.ordered) {
      yield* this.#gathered(from, to);
      return;
    }
    let next = from;
    for (;;) {
      const block = this.#blocks.find((candidate) => candidate.from <= next && next <= candidate.to);
      if (next > to || !block) break;
      const last = Math.min(to, block.to);
      const rows = block.rows.filter(({ number }) => number >= next && number <= last);
      for (let at = 0; at < rows.length; at += MAX_BATCH) yield rows.slice(at, at + MAX_BATCH);
      next = last + 1;
    }
    if (next > to) return;
    let ahead: RawRow[] | undefined = [];
    let bytes = 0;
    const start = next;
    for await (const rows of this.#pass(start)) {
      if (ahead) {
        for (const row of rows) {
          ahead.push(row);
          bytes += row.xml.length;
        }
        if (bytes < BLOCK_BYTES) continue;
        const last = ahead.at(-1)?.number ?? start;
        this.#store({ from: start, to: last, rows: ahead });
        const wanted = ahead.filter(({ number }) => number <= to);
        ahead = undefined;
        for (let at = 0; at < wanted.length; at += MAX_BATCH) yield wanted.slice(at, at + MAX_BATCH);
        if (last >= to) return;
        continue;
      }
      const last = rows.at(-1)?.number ?? 0;
      yield last <= to ? rows : rows.filter(({ number }) => number <= to);
      if (last >= to) return;
    }
    if (!ahead) return;
    this.#store({ from: start, to: this.rows, rows: ahead });
    const wanted = ahead.filter(({ number }) => number <= to);
    for (let at = 0; at < wanted.length; at += MAX_BATCH) yield wanted.slice(at, at + MAX_BATCH);
  }

  #store(block: RowBlock): void {
    this.#blocks = [...this.#scan.blocks, block];
    this.#keep(block);
  }

  /** Reads a sheet whose rows are out of order: one pass per range, rows with the same number merged. */
  async *#gathered(from: number, to: number): AsyncGenerator<readonly RawRow[], void, undefined> {
    for (let start = from; start <= to; start += GATHER_ROWS) {
      const end = Math.min(to, start + GATHER_ROWS - 1);
      const rows: RawRow[] = [];
      let bytes = 0;
      for await (const batch of this.#pass(start)) {
        for (const row of batch) {
          if (row.number > end) continue;
          bytes += row.xml.length;
          if (bytes <= 16 * BLOCK_BYTES) rows.push(row);
          else this.findings.ignoredCells++;
        }
      }
      yield rows.sort((a, b) => a.number - b.number);
    }
  }

  /** Rows from `from` on in file order, a few hundred at a time. */
  async *#pass(from: number): AsyncGenerator<RawRow[], void, undefined> {
    let batch: RawRow[] = [];
    const cutter = new RowCutter({
      row: (row) => {
        if (row.number >= from)
          batch.push({ number: row.number, xml: Buffer.from(row.bytes.subarray(row.start, row.end)) });
      },
      outside: () => undefined,
    });
    const flush = (): RawRow[] => {
      const full = batch;
      batch = [];
      return full;
    };
    for await (const piece of this.#workbook.pieces(this.#part)) {
      throwIfAborted(this.#signal);
      cutter.feed(piece);
      if (batch.length > 0) yield flush();
    }
    cutter.finish();
    if (batch.length > 0) yield flush();
  }

  async #show(batch: readonly RawRow[]): Promise<TableRow<string>[]> {
    const parsed: { number: number; cells: readonly Cell[] }[] = [];
    const needed = new Set<number>();
    for (const { number, xml } of batch) {
      const { cells, ignored } = parseRow(xml.toString('utf8'));
      this.findings.ignoredCells += ignored;
      collectStrings(cells, needed);
      const before = parsed.at(-1);
      if (before?.number === number) before.cells = joinCells(before.cells, cells);
      else parsed.push({ number, cells });
    }
    await this.#workbook.strings.prepare(needed);
    return parsed.map(({ number, cells }) => ({ number, cells: this.#texts(number, cells) }));
  }

  #texts(row: number, cells: readonly Cell[]): string[] {
    const texts: string[] = [];
    for (const cell of cells) {
      while (texts.length < cell.column - 1) texts.push('');
      const text = this.#linked(this.#text(cell, row), cell, row);
      texts.push(this.#showsFormulas ? withFormula(text, cell.formula) : text);
      if (cell.formula !== undefined) this.#noteFormula(cell.column, row);
    }
    return texts;
  }

  /** With the address that the cell links to. A header is the name of its column, so its address is set apart. */
  #linked(text: string, { column, formula }: Cell, row: number): string {
    if (this.#plain) return text;
    const address =
      this.#links.get(cellKey(row, column)) ?? (formula === undefined ? undefined : formulaAddress(formula));
    const linked = withLink(text, address);
    if (row !== this.headerRow) return linked;
    if (address !== undefined && linked !== text) this.#headerLinks.set(column, address);
    return text;
  }

  #text(cell: Cell, row: number): string {
    const { value, type, formula, column, rich } = cell;
    const hidden = (): void => {
      if (this.findings.hidden.size < MAX_HIDDEN) this.findings.hidden.add(cellKey(row, column));
    };
    if (value === undefined)
      return formula === undefined ? '' : `=${formula === '' ? 'shared formula' : formula}`;
    switch (type) {
      case 's': {
        const text = this.#workbook.strings.get(Number(value));
        if (text === undefined) this.findings.badStrings++;
        return text === undefined ? '' : this.#shownText(cell.style, text, hidden);
      }
      case 'str':
      case 'inlineStr':
        return this.#shownText(cell.style, value, hidden);
      case 'b':
        return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE';
      case 'e':
        if (rich === undefined) return value;
        return this.#richTexts[rich - 1] ?? (value === '#VALUE!' ? UNKNOWN_RICH_VALUE : value);
      case 'd': {
        const serial = serialOf(value, this.#workbook.date1904);
        if (serial === undefined) return value;
        const format = this.#styles.of(cell.style);
        return this.#shownNumber(
          format.isDate ? format : this.#styles.ofId(dateFormatOf(serial)),
          serial,
          hidden,
        );
      }
      default: {
        const number = Number(value);
        if (!Number.isFinite(number)) return value;
        return this.#shownNumber(this.#styles.of(cell.style), number, hidden);
      }
    }
  }

  #shownText(style: number, text: string, hidden: () => void): string {
    const shown = this.#plain ? text : this.#styles.of(style).text(text);
    if (shown === undefined) hidden();
    return shown ?? text;
  }

  #shownNumber(format: NumberFormat, value: number, hidden: () => void): string {
    const formatted = format.number(value);
    if (formatted === undefined) hidden();
    const shown = formatted ?? general(value);
    if (!this.#plain) return shown;
    if (!format.isDate) return String(value);
    // Hours above 24 are a duration, not a time of a day.
    if (value >= 1 && /^\d+:\d\d(?::\d\d)?(?:\.\d+)?$/.test(shown)) return shown;
    const iso = value < 1 ? 'hh:mm:ss' : Number.isInteger(value) ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss';
    return this.#styles.ofCode(iso).number(value) ?? general(value);
  }

  #noteFormula(column: number, row: number): void {
    let spans = this.#formulas.get(column);
    if (!spans) {
      if (this.#formulaRanges >= MAX_FORMULA_RANGES) return;
      spans = [];
      this.#formulas.set(column, spans);
    }
    for (const span of spans) {
      if (row >= span[0] && row <= span[1]) return;
      if (row === span[1] + 1) {
        span[1] = row;
        return;
      }
    }
    if (this.#formulaRanges >= MAX_FORMULA_RANGES) return;
    this.#formulaRanges++;
    spans.push([row, row]);
  }
}

/** The built-in format that shows all of a date cell without a date format of its own. */
function dateFormatOf(serial: number): number {
  if (serial < 1) return 21;
  return Number.isInteger(serial) ? 14 : 22;
}

/** The inputs of a sheet. */
export interface SheetOptions {
  readonly workbook: Workbook;
  readonly part: string;
  readonly name: string;
  /** Its title line. */
  readonly heading: string;
  readonly scan: SheetScan;
  readonly styles: Styles;
  /** Without number formats: numbers as stored, dates as ISO 8601. */
  readonly plain: boolean;
  /** Cells are shown with their formulas. */
  readonly formulas: boolean;
  /** Addresses of linked cells, by `cellKey`. */
  readonly links: ReadonlyMap<number, string>;
  /** Filled with the addresses in the header row, by column. */
  readonly headerLinks: Map<number, string>;
  /** What cells with rich values show, by their number less 1. */
  readonly richTexts: readonly (string | undefined)[];
  readonly signal: AbortSignal;
  /** Blocks of the scan and of earlier reads. */
  readonly blocks: readonly RowBlock[];
  keep(block: RowBlock): void;
}

function collectStrings(cells: readonly Cell[], into: Set<number>): void {
  for (const { type, value } of cells) {
    if (type !== 's' || value === undefined) continue;
    const index = Number(value);
    if (Number.isInteger(index) && index >= 0) into.add(index);
  }
}

function joinCells(before: readonly Cell[], after: readonly Cell[]): Cell[] {
  const byColumn = new Map<number, Cell>();
  for (const cell of before) byColumn.set(cell.column, cell);
  for (const cell of after) byColumn.set(cell.column, cell);
  return [...byColumn.values()].sort((a, b) => a.column - b.column);
}
