// The content of an OpenDocument spreadsheet (OpenDocument 1.3 part 3, chapters 9 and 10) in the cells of SheetJS, whose
// own reader takes the objects on a cell for the end of its text.

import { columnLetters, ReaderError } from '../../../src/contract/index.ts';
import { XmlWalk } from '../../../src/package/index.ts';
import type { Drawn } from '../book/remarks.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../xlsx/cell.ts';
import { type CellObject, MAX_ROWS_READ, type SheetCells } from './grid.ts';
import { OdsText } from './ods-text.ts';
import { inFull, storedValue } from './ods-value.ts';

/** A table of the content part. */
export interface OdsTable {
  readonly name: string;
  readonly isHidden: boolean;
  readonly masterPage: string;
  readonly sheet: SheetCells;
  readonly drawn: readonly Drawn[];
  /** Cells whose format shows nothing of their value. */
  readonly hiddenValues: number;
}

/** Maximum cells that repeated rows and columns may expand to. */
const MAX_UNFOLDED = 5_000_000;
const MAX_TABLES = 10_000;
const MAX_DRAWN = 10_000;
const SHAPE =
  /^(?:frame|custom-shape|rect|ellipse|circle|line|polyline|polygon|regular-polygon|path|connector|caption|measure)$/;

/** Undefined if the part holds no spreadsheet. @throws {ReaderError} LIMIT_EXCEEDED if repeated cells exceed memory. */
export function odsTables(content: string): OdsTable[] | undefined {
  const walk = new XmlWalk(content);
  const reader = new ContentReader();
  while (walk.next()) reader.step(walk);
  reader.end();
  return reader.isSpreadsheet ? reader.tables : undefined;
}

/** An object or a comment that is open, with the text in it. */
interface Open {
  readonly depth: number;
  readonly text: OdsText;
  readonly isComment: boolean;
  author: string;
  alternative: string;
  kind: Drawn['kind'];
  path: string;
}

class ContentReader {
  readonly tables: OdsTable[] = [];
  isSpreadsheet = false;
  readonly #styles = new Map<string, { isHidden: boolean; masterPage: string }>();
  #style = '';
  #table: TableReader | undefined;
  #tableDepth = 0;
  readonly #open: Open[] = [];
  #label: 'title' | 'creator' | undefined;

  step(walk: XmlWalk): void {
    const table = this.#table;
    const top = this.#open.at(-1);
    if (walk.kind === 'text') {
      if (top && this.#label === 'title') top.alternative += walk.text;
      else if (top && this.#label === 'creator') top.author += walk.text;
      else (top?.text ?? table?.text)?.step(walk);
      return;
    }
    if (!table) {
      this.#outside(walk);
      return;
    }
    if (walk.kind === 'close') {
      if (top?.depth === walk.depth) this.#closed(table, top);
      else if (walk.depth === this.#tableDepth) this.end();
      else if (top) top.text.step(walk);
      else table.step(walk);
      this.#label = undefined;
      return;
    }
    const { name } = walk;
    if (SHAPE.test(name) || name === 'annotation') {
      if (!walk.empty)
        this.#open.push({
          depth: walk.depth,
          text: new OdsText(),
          isComment: name === 'annotation',
          author: '',
          alternative: '',
          kind: 'text box',
          path: '',
        });
    } else if (top) this.#inside(top, walk);
    else table.step(walk);
  }

  /** Ends a table that a truncated part leaves open, too. */
  end(): void {
    if (this.#table) this.tables.push(this.#table.result());
    this.#table = undefined;
    this.#open.length = 0;
  }

  #outside(walk: XmlWalk): void {
    if (walk.kind !== 'open') return;
    if (walk.name === 'style') {
      this.#style = walk.attribute('name') ?? '';
      this.#styles.set(this.#style, {
        isHidden: false,
        masterPage: walk.attribute('master-page-name') ?? '',
      });
    } else if (walk.name === 'table-properties') {
      const style = this.#styles.get(this.#style);
      if (style && walk.attribute('display') === 'false') style.isHidden = true;
    } else if (walk.name === 'spreadsheet') this.isSpreadsheet = true;
    else if (walk.name === 'table' && this.isSpreadsheet && !walk.empty && this.tables.length < MAX_TABLES) {
      const style = this.#styles.get(walk.attribute('style-name') ?? '');
      this.#tableDepth = walk.depth;
      this.#table = new TableReader(
        walk.attribute('name') ?? `Sheet${this.tables.length + 1}`,
        style?.isHidden ?? false,
        style?.masterPage ?? '',
      );
    }
  }

  #inside(open: Open, walk: XmlWalk): void {
    const { name } = walk;
    if (name === 'title' || name === 'desc') {
      this.#label = walk.empty ? undefined : 'title';
      if (open.alternative !== '') open.alternative += ' ';
    } else if (name === 'creator') this.#label = walk.empty ? undefined : 'creator';
    else if (name === 'image' || name === 'object' || name === 'object-ole' || name === 'plugin') {
      // An object is followed by a picture of it.
      if (open.kind !== 'text box') return;
      open.kind = name === 'image' ? 'picture' : 'embedded file';
      open.path = (walk.attribute('href') ?? '').replace(/^\.\//, '');
    } else open.text.step(walk);
  }

  #closed(table: TableReader, open: Open): void {
    this.#open.pop();
    const text = open.text.take();
    if (open.isComment) table.comment(open.author, text);
    else if (open.kind !== 'text box' || text !== '')
      table.draw(open.kind, text === '' ? open.alternative.trim() : text, open.path);
  }
}

/** The rows of one table. */
class TableReader {
  readonly text = new OdsText();
  readonly #name: string;
  readonly #isHidden: boolean;
  readonly #masterPage: string;
  readonly #drawn: Drawn[] = [];
  readonly #grid: (CellObject | undefined)[][] = [];
  readonly #merges: { s: { r: number; c: number }; e: { r: number; c: number } }[] = [];
  readonly #hiddenRows: { hidden: boolean }[] = [];
  readonly #hiddenColumns: { hidden: boolean }[] = [];
  #hiddenValues = 0;
  #unfolded = 0;
  /** 0-based. */
  #row = 0;
  #column = 0;
  #columns = 0;
  #lastRow = 0;
  #rowRepeat = 1;
  #isRowHidden = false;
  #hiddenGroups = 0;
  #groups: boolean[] = [];
  #cells: (CellObject | undefined)[] = [];
  #attributes: ReadonlyMap<string, string> | undefined;
  #comments: { a: string; t: string }[] = [];

  constructor(name: string, isHidden: boolean, masterPage: string) {
    this.#name = name;
    this.#isHidden = isHidden;
    this.#masterPage = masterPage;
  }

  step(walk: XmlWalk): void {
    const opens = walk.kind === 'open';
    switch (walk.name) {
      case 'table-column':
        if (opens) this.#columnTag(walk);
        return;
      case 'table-row-group':
      case 'table-column-group':
        this.#group(walk);
        return;
      case 'table-row':
        if (opens) this.#openRow(walk);
        if (!opens || walk.empty) this.#closeRow();
        return;
      case 'table-cell':
      case 'covered-table-cell':
        if (opens) {
          this.#attributes = walk.attributes() ?? new Map();
          this.text.take();
        }
        if (!opens || walk.empty) this.#closeCell();
        return;
      default:
        if (this.#attributes) this.text.step(walk);
    }
  }

  comment(author: string, text: string): void {
    this.#comments.push({ a: author, t: text });
  }

  draw(kind: Drawn['kind'], text: string, path: string): void {
    if (this.#drawn.length >= MAX_DRAWN) return;
    const cell = this.#attributes ? `${columnLetters(this.#column + 1)}${this.#row + 1}` : '';
    this.#drawn.push({ kind, cell, text, ...(path !== '' && { path }) });
  }

  result(): OdsTable {
    if (this.#attributes) this.#closeCell();
    if (this.#cells.length > 0) this.#closeRow();
    const sheet: SheetCells = {
      '!data': this.#grid,
      '!fullref': `A1:A${this.#lastRow}`,
      '!merges': this.#merges,
      '!rows': this.#hiddenRows,
      '!cols': this.#hiddenColumns,
    };
    return {
      name: this.#name,
      isHidden: this.#isHidden,
      masterPage: this.#masterPage,
      sheet,
      drawn: this.#drawn,
      hiddenValues: this.#hiddenValues,
    };
  }

  #columnTag(walk: XmlWalk): void {
    const repeat = repeated(walk.attribute('number-columns-repeated'), MAX_COLUMNS - this.#columns);
    const isHidden = isInvisible(walk.attribute('visibility')) || this.#hiddenGroups > 0;
    if (isHidden) for (let column = 0; column < repeat; column++) this.#hiddenColumns.push({ hidden: true });
    this.#columns += repeat;
  }

  #group(walk: XmlWalk): void {
    if (walk.kind === 'close') {
      if (this.#groups.pop()) this.#hiddenGroups--;
    } else if (!walk.empty) {
      const isHidden = walk.attribute('display') === 'false';
      this.#groups.push(isHidden);
      if (isHidden) this.#hiddenGroups++;
    }
  }

  #openRow(walk: XmlWalk): void {
    this.#rowRepeat = repeated(walk.attribute('number-rows-repeated'), MAX_ROWS);
    this.#isRowHidden = isInvisible(walk.attribute('visibility')) || this.#hiddenGroups > 0;
    this.#column = 0;
    this.#cells = [];
  }

  #closeRow(): void {
    const filled = this.#cells.length;
    const until = Math.min(this.#row + this.#rowRepeat, MAX_ROWS_READ);
    if (filled > 0) {
      this.#lastRow = Math.min(MAX_ROWS, this.#row + this.#rowRepeat);
      for (let row = this.#row; row < until; row++) this.#grid[row] = this.#cells;
    }
    // A repeated row that is empty fills the rest of the sheet.
    if (this.#isRowHidden && (filled > 0 || this.#rowRepeat < MAX_ROWS_READ))
      for (let row = this.#row; row < until; row++) this.#hiddenRows.push({ hidden: true });
    this.#row += this.#rowRepeat;
    this.#cells = [];
    this.#isRowHidden = false;
  }

  #closeCell(): void {
    const attributes = this.#attributes ?? new Map<string, string>();
    this.#attributes = undefined;
    const repeat = repeated(attributes.get('number-columns-repeated'), MAX_COLUMNS - this.#column);
    this.#span(attributes);
    const cell = this.#cell(attributes);
    if (cell && this.#row < MAX_ROWS_READ) {
      this.#unfolded += repeat * Math.min(this.#rowRepeat, MAX_ROWS_READ);
      if (this.#unfolded > MAX_UNFOLDED)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The workbook expands to more than ${MAX_UNFOLDED} cells, the limit because this format is loaded into memory.`,
          'Save it as .xlsx or .csv, which are streamed.',
        );
      for (let offset = 0; offset < repeat; offset++) this.#cells[this.#column + offset] = cell;
    }
    this.#column += repeat;
  }

  #span(attributes: ReadonlyMap<string, string>): void {
    const columns = repeated(attributes.get('number-columns-spanned'), MAX_COLUMNS);
    const rows = repeated(attributes.get('number-rows-spanned'), MAX_ROWS);
    if (columns * rows > 1)
      this.#merges.push({
        s: { r: this.#row, c: this.#column },
        e: { r: this.#row + rows - 1, c: this.#column + columns - 1 },
      });
  }

  #cell(attributes: ReadonlyMap<string, string>): CellObject | undefined {
    const isShown = this.text.hasParagraph;
    const address = this.text.address;
    const text = this.text.take();
    const shared = {
      ...(attributes.get('formula') !== undefined && {
        f: (attributes.get('formula') ?? '').replace(/^\w+:=/, ''),
      }),
      ...(address !== '' && { l: { Target: address } }),
      ...(this.#comments.length > 0 && { c: this.#comments.splice(0) }),
    };
    const stored = storedValue(attributes);
    if (!stored) {
      const string = attributes.get('string-value') ?? text;
      if (attributes.get('calcext:value-type') === 'error') return { ...shared, t: 'e', v: 0, w: string };
      if (string !== '' || 'f' in shared || address !== '')
        return { ...shared, t: 's', v: string, w: string };
      return shared.c === undefined ? undefined : { ...shared, t: 'z' };
    }
    if (text === '' && isShown) this.#hiddenValues++;
    const shown = text === '' ? stored.shown : stored.year === undefined ? text : inFull(text, stored.year);
    return { ...shared, t: stored.type, v: stored.value, w: shown };
  }
}

const isInvisible = (visibility: string | undefined): boolean =>
  visibility === 'collapse' || visibility === 'filter';

function repeated(count: string | undefined, most: number): number {
  const number = count === undefined ? 1 : Number(count);
  return Number.isInteger(number) && number >= 1 ? Math.max(1, Math.min(number, most)) : 1;
}
