// The walk through a table after its first answer: complete rows, all columns, complete cells; then what the first
// answer left out of its rows. Delivers every character exactly once, for any budget.

import {
  type Budget,
  type Extent,
  isInsidePair,
  largestFrom,
  type TextPart,
  viewOf,
} from '../contract/index.ts';
import { keptLength } from './cell-cut.ts';
import type { Columns } from './columns.ts';
import { PHASE, type TablePosition } from './position.ts';
import type { Cell, Table, TableRow } from './table.ts';
import type { TableWriter } from './writer.ts';

/** Maximum share of a page for a header repeated in the view. */
const HEAD_SHARE = 1 / 3;
/** A page ends when less than this share of it is left after a part. */
const REST_SHARE = 1 / 8;
const KEY_LENGTH = 500;

interface Left {
  readonly tokens: number;
  readonly characters: number;
}

/** A part without its `next`, and the position after it; undefined at the end. */
export interface Step {
  readonly part?: TextPart;
  readonly position: TablePosition | undefined;
}

/** One walk through one table. Remembers the last row, so that continuing inside it needs no second read. */
export class TableWalk {
  readonly #table: Table;
  readonly #columns: Columns;
  readonly #writer: TableWriter;
  readonly #budget: Budget;
  #last: TableRow | undefined;

  constructor(table: Table, columns: Columns, writer: TableWriter, budget: Budget) {
    this.#table = table;
    this.#columns = columns;
    this.#writer = writer;
    this.#budget = budget;
  }

  /** The parts of one page from `position` on. The first makes progress if the budget allows any. */
  async *page(position: TablePosition): AsyncGenerator<Step> {
    const { tokensBesideNotes, charactersBesideNotes } = this.#budget;
    let left: Left = { tokens: tokensBesideNotes, characters: charactersBesideNotes };
    if (left.tokens < 1 || left.characters < 1) return;
    let at: TablePosition | undefined = this.settle(position);
    let first = true;
    while (at) {
      const step: Step | undefined =
        at.phase === PHASE.cells ? await this.#cellRest(at, left, first) : await this.#rows(at, left, first);
      if (!step) break;
      at = step.position;
      if (!step.part) continue;
      yield step;
      first = false;
      const view = viewOf(step.part);
      left = {
        tokens: left.tokens - this.#budget.count(view),
        characters: left.characters - view.length,
      };
      if (left.tokens < tokensBesideNotes * REST_SHARE || left.characters < 1) return;
    }
    if (first && at) yield { part: { kind: 'text', text: '', shown: [] }, position: at };
  }

  /** The position itself, or the start of the next non-empty phase; undefined at the end of the walk. */
  settle(position: TablePosition): TablePosition | undefined {
    let at = position;
    for (;;) {
      if (at.phase === PHASE.rows) {
        if (at.row === 0 && this.#headIsRecord()) return at;
        const below = Math.max(at.row, at.to + 1);
        const row = below < at.tailFrom ? below : Math.max(below, at.tailTo + 1);
        if (row < at.tailFrom || row <= this.#table.rows)
          return row === at.row ? at : { ...at, row, column: 0, character: 0 };
        at = this.#phaseStart(at, PHASE.columns);
      } else if (at.phase === PHASE.columns) {
        const row = at.wider ? this.#sampledRow(at, at.row, this.#headIsRecord()) : undefined;
        if (row === at.row) return at.column < at.columns ? { ...at, column: at.columns } : at;
        if (row !== undefined) return { ...at, row, column: at.columns, character: 0 };
        at = this.#phaseStart(at, PHASE.cells);
      } else {
        const row = at.cut ? this.#sampledRow(at, at.row, this.#headIsRecord()) : undefined;
        if (row === undefined) return undefined;
        return row === at.row ? at : { ...at, row, column: 0, character: 0 };
      }
    }
  }

  #phaseStart(at: TablePosition, phase: TablePosition['phase']): TablePosition {
    return { ...at, phase, row: 0, column: 0, character: 0 };
  }

  /** The first row at or after `row` that the first answer showed. */
  #sampledRow(at: TablePosition, row: number, withHead: boolean): number | undefined {
    if (row === 0 && withHead) return 0;
    const upper = Math.max(row, at.from);
    if (upper <= at.to) return upper;
    const lower = Math.max(row, at.tailFrom);
    return lower <= at.tailTo ? lower : undefined;
  }

  #headIsRecord(): boolean {
    return this.#table.header !== undefined && this.#table.headerRow === 0 && this.#writer.format !== 'json';
  }

  #isCsv(): boolean {
    return this.#writer.format === 'csv';
  }

  /** The position after all of `row`. */
  #after(at: TablePosition, row: number): TablePosition | undefined {
    return this.settle({ ...at, row: row + 1, column: 0, character: 0 });
  }

  async #rows(at: TablePosition, left: Left, first: boolean): Promise<Step | undefined> {
    const start = at.phase === PHASE.columns ? at.columns : 0;
    if (at.column <= start && at.character === 0) {
      const block = await this.#wholeRows(at, start, left);
      if (block) return block;
      if (!first) return undefined;
    }
    return this.#partOfRow(at, start, left, first);
  }

  async #wholeRows(at: TablePosition, start: number, left: Left): Promise<Step | undefined> {
    const writer = this.#writer;
    const inText = at.row === 0;
    const count = Math.max(this.#columns.count(), start + 1);
    const head = this.#headLine(start, count, left, inText);
    if (inText && head === '') return undefined;
    const room = { tokens: left.tokens - this.#count(head + writer.open + writer.close), characters: 0 };
    room.characters = left.characters - head.length - writer.open.length - writer.close.length;
    if (room.tokens < 0 || room.characters < 0) return undefined;
    const from = inText ? this.#after(at, 0) : at;
    const samePhase = from !== undefined && from.phase === at.phase;
    const upper = at.phase === PHASE.columns && (from?.row ?? 0) <= at.to;
    const rowsEnd = (from?.row ?? 0) < at.tailFrom ? at.tailFrom - 1 : this.#table.rows;
    const end = upper ? at.to : at.phase === PHASE.rows ? rowsEnd : at.tailTo;
    const rows: string[] = [];
    let widest = count;
    let shownTo = inText && !samePhase ? 0 : end;
    if (from && samePhase) {
      for await (const row of this.#table.read(from.row, end)) {
        if (this.#isMarkup(row)) continue;
        const width = Math.max(this.#columns.count(row.cells.length), start + 1);
        const keys = this.#keys(start, width);
        const text =
          width - start > room.characters
            ? undefined
            : writer.row(this.#columns.cells(row.cells, start, width), keys) + writer.between;
        if (text === undefined || !this.#budget.fits(text, room.tokens, room.characters)) {
          this.#last = row;
          shownTo = row.number - 1;
          break;
        }
        room.tokens -= this.#count(text);
        room.characters -= text.length;
        rows.push(text);
        widest = Math.max(widest, width);
      }
    }
    const nothing = rows.length === 0;
    const stopped = from && samePhase ? shownTo < end : false;
    if (nothing && !inText) return stopped ? undefined : { position: this.#after(at, end) };
    const shownRows = !nothing && from ? [from.row, shownTo] : undefined;
    const body = nothing ? '' : writer.open + joined(rows, writer) + writer.close;
    const position = nothing
      ? stopped || !samePhase
        ? from
        : this.#after(at, end)
      : this.#after(at, shownTo);
    const text = inText ? head + body : body;
    const view = head + body;
    return {
      part: {
        kind: 'text',
        text,
        ...(view !== text && { view }),
        shown: [
          ...(shownRows ? [this.#rowExtent(shownRows[0] ?? 1, shownRows[1] ?? 1)] : []),
          ...this.#columns.extents(start, widest),
        ],
      },
      position,
    };
  }

  async #partOfRow(at: TablePosition, start: number, left: Left, first: boolean): Promise<Step | undefined> {
    const found = await this.#cells(at);
    if (!found || this.#isMarkup(found)) return { position: this.#after(at, at.row) };
    const writer = this.#writer;
    const width = Math.max(this.#columns.count(at.row === 0 ? 0 : found.cells.length), start + 1);
    if (at.column >= width) return { position: this.#after(at, at.row) };
    const ending = this.#rowEnding(at, width);
    const piece = (to: number): string => {
      const ends = { first: at.column === start, last: to === width };
      const cells = this.#columns.cells(found.cells, at.column, to);
      return writer.piece(cells, ends) + (ends.last ? ending : '');
    };
    const block = (to: number, named: boolean): string => {
      if (at.row === 0) return writer.head(this.#columns.names(at.column, to));
      const cells = this.#columns.cells(found.cells, at.column, to);
      const head = named ? writer.head(this.#columns.names(at.column, to)) : '';
      return head + writer.open + writer.row(cells, this.#keys(at.column, to)) + writer.close;
    };
    const whole = (to: number): Step => ({
      position: to === width ? this.#after(at, at.row) : { ...at, column: to, character: 0 },
      part: { kind: 'text', text: piece(to), shown: this.#pieceExtents(at, to) },
    });
    const most = Math.min(width, at.column + Math.max(1, Math.min(left.characters, left.tokens * 64)));
    if (at.character === 0) {
      for (const view of [(to: number) => block(to, true), (to: number) => block(to, false)]) {
        const to = largestFrom(at.column, most, (n) => this.#fits(view(n), left));
        if (to > at.column) return this.#viewed(whole(to), view(to));
      }
    }
    if (!first) return undefined;
    const fragment = this.#fragment(at, found.cells, width, left, start);
    if (fragment) return fragment;
    const to =
      at.character === 0 ? largestFrom(at.column, most, (n) => this.#fits(piece(n), left)) : at.column;
    return to > at.column ? whole(to) : undefined;
  }

  #fragment(
    at: TablePosition,
    cells: readonly Cell[],
    width: number,
    left: Left,
    start: number,
  ): Step | undefined {
    const writer = this.#writer;
    const [cell = ''] = this.#columns.cells(cells, at.column, at.column + 1);
    if (cell === null) return undefined;
    const ends = { first: at.column === start, last: at.column + 1 === width };
    const ending = ends.last ? this.#rowEnding(at, width) : '';
    const text = (to: number): string =>
      writer.fragment(cell, at.character, to, ends) + (to === cell.length ? ending : '');
    const piece = this.#slice(cell, at.character, at.column, at.row > 0, left, text);
    if (!piece) return undefined;
    const { to, view } = piece;
    const position =
      to < cell.length
        ? { ...at, character: to }
        : ends.last
          ? this.#after(at, at.row)
          : { ...at, column: at.column + 1, character: 0 };
    const shown = [...this.#pieceExtents(at, at.column + 1), this.#characterExtent(at, to, cell)];
    const part: TextPart = { kind: 'text', text: text(to), shown };
    return this.#viewed({ part, position }, view);
  }

  /** The rest of the next cell that the first answer cut. */
  async #cellRest(at: TablePosition, left: Left, first: boolean): Promise<Step | undefined> {
    const found = await this.#cells(at);
    const next = found && this.#nextCut(at, found.cells);
    if (!next) return { position: this.#after(at, at.row) };
    const { cell } = next;
    const here = next.at;
    const alone = { first: true, last: true };
    const text = (to: number): string =>
      this.#writer.standsAlone
        ? this.#writer.fragment(cell, here.character, to, alone)
        : this.#loneCell(cell.slice(here.character, to), '');
    const piece = this.#slice(cell, here.character, here.column, true, left, text, !first);
    if (!piece) return undefined;
    const position =
      piece.to < cell.length
        ? { ...here, character: piece.to }
        : await this.#afterCut({ ...here, column: here.column + 1, character: 0 }, found.cells);
    const part: TextPart = {
      kind: 'text',
      text: text(piece.to),
      shown: [this.#characterExtent(here, piece.to, cell)],
    };
    return this.#viewed({ part, position }, piece.view);
  }

  #nextCut(
    at: TablePosition,
    cells: readonly Cell[],
  ): { readonly at: TablePosition; readonly cell: string } | undefined {
    const width = Math.min(at.columns, this.#columns.count(cells.length));
    for (let column = at.column; column < width; column += 1) {
      const [cell = ''] = this.#columns.cells(cells, column, column + 1);
      if (cell === null || cell.length <= at.cellLength) continue;
      const from = keptLength(cell, at.cellLength);
      const character = column === at.column ? Math.max(at.character, from) : from;
      if (character < cell.length) return { at: { ...at, column, character }, cell };
    }
    return undefined;
  }

  /** The next cut cell from `at` on. Searches all shown rows, so that the walk ends if there is none. */
  async #afterCut(at: TablePosition, cells: readonly Cell[]): Promise<TablePosition | undefined> {
    const here = this.#nextCut(at, cells);
    if (here) return here.at;
    let next = this.#after(at, at.row);
    while (next) {
      const end = next.row <= at.to ? at.to : at.tailTo;
      for await (const row of this.#table.read(next.row, end)) {
        const found = this.#nextCut({ ...next, row: row.number, column: 0, character: 0 }, row.cells);
        if (!found) continue;
        this.#last = row;
        return found.at;
      }
      next = this.#after(next, end);
    }
    return undefined;
  }

  /** As much of a cell as fits, with its name if there is room. */
  #slice(
    cell: string,
    from: number,
    column: number,
    nameable: boolean,
    left: Left,
    raw: (to: number) => string,
    wholeViewOnly = false,
  ): { readonly to: number; readonly view: string } | undefined {
    const key = this.#keys(column, column + 1);
    const lone = (to: number): string => this.#loneCell(cell.slice(from, to), key[0] ?? '');
    const head = nameable ? this.#headLine(column, column + 1, left, false) : '';
    const views = [(to: number) => head + lone(to), ...(wholeViewOnly ? [] : [lone, raw])];
    const most = Math.min(cell.length, from + Math.max(1, Math.min(left.characters, left.tokens * 256)));
    for (const view of views) {
      const last = largestFrom(from, most, (n) => this.#fits(view(wholeCharacters(cell, n)), left));
      const to = last > from ? wholeCharacters(cell, last) : from;
      if (to > from && (to === cell.length || to - from >= 4 || view === raw)) return { to, view: view(to) };
    }
    return undefined;
  }

  #viewed(step: Step, view: string): Step {
    if (!step.part || view === step.part.text) return step;
    const part = this.#writer.standsAlone ? { ...step.part, text: view } : { ...step.part, view };
    return { ...step, part };
  }

  #loneCell(text: string, key: string): string {
    const { open, close } = this.#writer;
    return open + this.#writer.row([text], [key]) + close;
  }

  /** Markdown's separator line completes a header that was split. */
  #rowEnding(at: TablePosition, width: number): string {
    return at.row === 0 && this.#writer.format === 'markdown' ? `|${' --- |'.repeat(width)}\n` : '';
  }

  /** Empty if it would take too much of the page. A header that is itself content may take all of it. */
  #headLine(from: number, to: number, left: Left, content: boolean): string {
    const share = content ? 1 : HEAD_SHARE;
    if (to - from > left.characters * share) return '';
    const head = this.#writer.head(this.#columns.names(from, to));
    return this.#budget.fits(head, left.tokens * share, left.characters * share) ? head : '';
  }

  async #cells(at: TablePosition): Promise<TableRow | undefined> {
    if (at.row === 0) return { number: 0, cells: this.#table.header ?? [] };
    if (this.#last?.number === at.row) return this.#last;
    for await (const row of this.#table.read(at.row, at.row)) {
      this.#last = row;
      return row;
    }
    return undefined;
  }

  #isMarkup(row: TableRow): boolean {
    return !this.#isCsv() && row.number > 0 && row.number === this.#table.headerRow;
  }

  #keys(from: number, to: number): string[] {
    return this.#writer.format === 'json' ? this.#columns.keys(from, to, KEY_LENGTH) : [];
  }

  #fits(text: string, left: Left): boolean {
    return this.#budget.fits(text, left.tokens, left.characters);
  }

  #count(text: string): number {
    return text === '' ? 0 : this.#budget.count(text);
  }

  #rowExtent(from: number, to: number): Extent {
    return { unit: 'row', from, to, of: this.#table.rows, ...this.#name() };
  }

  #pieceExtents(at: TablePosition, to: number): Extent[] {
    const row = at.row === 0 ? [] : [this.#rowExtent(at.row, at.row)];
    return [...row, ...this.#columns.extents(at.column, to)];
  }

  #characterExtent(at: TablePosition, to: number, cell: string): Extent {
    const column = this.#columns.chosen?.[at.column] ?? at.column + 1;
    const place = `${at.row === 0 ? 'header' : `row ${at.row}`}, column ${column}`;
    const name = this.#table.name === undefined ? place : `${this.#table.name}, ${place}`;
    return { unit: 'character', from: at.character + 1, to, of: cell.length, name };
  }

  #name(): { readonly name?: string } {
    return this.#table.name === undefined ? {} : { name: this.#table.name };
  }
}

function joined(rows: readonly string[], writer: TableWriter): string {
  const text = rows.join('');
  return writer.between === '' ? text : text.slice(0, -writer.between.length);
}

/** `to`, or one more if that would split a surrogate pair or CR LF. */
function wholeCharacters(text: string, to: number): number {
  if (to <= 0 || to >= text.length) return to;
  const parts = isInsidePair(text, to) || (text[to - 1] === '\r' && text[to] === '\n');
  return parts ? to + 1 : to;
}
