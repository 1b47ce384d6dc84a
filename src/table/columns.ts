// Which columns of a table are shown, their names, and how a request selects them. Independent of rows.

import { type Extent, editDistance, plural, quoted, ReaderError } from '../contract/index.ts';
import { cutCell } from './cell-cut.ts';
import type { Cell, Table } from './table.ts';

const NAMES_IN_MESSAGE = 10;
const NAMES_COMPARED = 2000;

/** The columns of an answer: all of the table's, or those selected, in the caller's order. */
export class Columns {
  readonly chosen: readonly number[] | undefined;
  readonly #table: Table;
  #keys: string[] | undefined;

  /** @throws {ReaderError} BAD_INPUT when `selection` names a missing column */
  constructor(table: Table, selection: string | undefined) {
    this.#table = table;
    this.chosen = selection === undefined ? undefined : chooseColumns(selection, table);
  }

  /** Number of columns for a row of `width` cells: at least the table's, so that short rows are padded. */
  count(width = 0): number {
    return this.chosen?.length ?? Math.max(this.#table.columns, width);
  }

  /** Cells `from` (0-based) up to `to` of a row, in display order; missing cells are empty. */
  cells(row: readonly Cell[], from: number, to: number): Cell[] {
    const cells: Cell[] = [];
    for (let at = from; at < to; at += 1) {
      const cell = row[this.#column(at) - 1];
      cells.push(cell === undefined ? '' : cell);
    }
    return cells;
  }

  /** Names as in the file; generated if the table has no header. */
  names(from: number, to: number): string[] {
    const { header } = this.#table;
    const names: string[] = [];
    for (let at = from; at < to; at += 1) {
      const column = this.#column(at);
      names.push(header ? (header[column - 1] ?? '') : this.#generated(column));
    }
    return names;
  }

  /** Unique, non-empty names cut to `maxLength` units: the keys of JSON objects. */
  keys(from: number, to: number, maxLength: number): string[] {
    const keys = this.#keys ?? this.#uniqueNames(maxLength);
    this.#keys = keys;
    const found: string[] = [];
    for (let at = from; at < to; at += 1) {
      const column = this.#column(at);
      found.push(keys[column - 1] ?? this.#generated(column));
    }
    return found;
  }

  /** Columns `from` (0-based) up to `to` as extents, one for each unbroken run. */
  extents(from: number, to: number): Extent[] {
    const of = Math.max(this.#table.columns, this.chosen ? 0 : to);
    const name = this.#table.name === undefined ? {} : { name: this.#table.name };
    const extents: Extent[] = [];
    let first = 0;
    let last = 0;
    const close = (): void => {
      if (first > 0) extents.push({ unit: 'column', from: first, to: last, of, ...name });
    };
    if (!this.chosen) {
      first = from + 1;
      last = to;
      if (last >= first) close();
      return extents;
    }
    for (let at = from; at < to; at += 1) {
      const column = this.#column(at);
      if (column !== last + 1 || first === 0) {
        close();
        first = column;
      }
      last = column;
    }
    close();
    return extents;
  }

  /** The 1-based column displayed at 0-based index `at`. */
  #column(at: number): number {
    return this.chosen ? (this.chosen[at] ?? at + 1) : at + 1;
  }

  #generated(column: number): string {
    return this.#table.columnName?.(column) ?? `column_${column}`;
  }

  #uniqueNames(maxLength: number): string[] {
    const header = this.#table.header ?? [];
    const taken = new Set(header);
    const used = new Set<string>();
    const next = new Map<string, number>();
    return header.map((name, index) => {
      const base = name === '' ? this.#generated(index + 1) : cutCell(name, maxLength);
      let key = base;
      let number = next.get(base) ?? 2;
      while (used.has(key) || (key !== name && taken.has(key))) {
        key = `${base}_${number}`;
        number += 1;
      }
      next.set(base, number);
      used.add(key);
      return key;
    });
  }
}

/**
 * 1-based columns for `"id,name"`, `"3"`, `"1-5"`, `"A-F"`, and `"column_3"` for one without a name. A name takes precedence over a number, a number over a
 * letter.
 */
function chooseColumns(selection: string, table: Table): number[] {
  const byName = new Map<string, number>();
  table.header?.forEach((name, index) => {
    if (!byName.has(name)) byName.set(name, index + 1);
  });
  const chosen = new Set<number>();
  const whole = byName.get(selection);
  if (whole !== undefined) return [whole];
  for (const piece of splitNames(selection)) {
    const named = byName.get(piece);
    if (named !== undefined) {
      chosen.add(named);
      continue;
    }
    const [, unnamed] = /^column_(\d{1,9})$/.exec(piece) ?? [];
    const hasName = (table.header?.[Number(unnamed) - 1] ?? '') !== '';
    const range = columnRange(unnamed === undefined || hasName ? piece : unnamed);
    if (!range) throw unknownColumn(piece, table, [...byName.keys()]);
    const [from, to] = range;
    if (from > table.columns || from < 1 || to < from) throw unknownColumn(piece, table, [...byName.keys()]);
    for (let column = from; column <= Math.min(to, table.columns); column += 1) chosen.add(column);
  }
  return [...chosen];
}

function splitNames(selection: string): string[] {
  const pieces = selection.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];
  const names = pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .map((piece) => (/^"(?:[^"]|"")*"$/.test(piece) ? piece.slice(1, -1).replaceAll('""', '"') : piece));
  if (names.length > 0) return names;
  throw new ReaderError(
    'BAD_INPUT',
    `\`columns\` is ${quoted(selection)}; expected names, numbers or ranges separated by commas.`,
    'Write `columns` as `"id,name"`, `"1-5"` or `"A-F"`.',
  );
}

function columnRange(piece: string): readonly [number, number] | undefined {
  const digits = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(piece);
  if (digits) return [Number(digits[1]), Number(digits[2] ?? digits[1])];
  const letters = /^([A-Za-z]{1,3})(?:\s*-\s*([A-Za-z]{1,3}))?$/.exec(piece);
  if (letters?.[1] === undefined) return undefined;
  return [letterColumn(letters[1]), letterColumn(letters[2] ?? letters[1])];
}

function letterColumn(letters: string): number {
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function unknownColumn(piece: string, table: Table, names: readonly string[]): ReaderError {
  const wanted = piece.toLowerCase().slice(0, 60);
  const near = names
    .slice(0, NAMES_COMPARED)
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase().slice(0, 60)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = near[0];
  const guess =
    best && best.distance <= Math.max(1, wanted.length / 3) ? `Did you mean ${quoted(best.name)}?` : '';
  const listed = names.slice(0, NAMES_IN_MESSAGE).map(quoted).join(', ');
  const rest = names.length > NAMES_IN_MESSAGE ? `, and ${names.length - NAMES_IN_MESSAGE} more` : '';
  return new ReaderError(
    'BAD_INPUT',
    `There is no column ${quoted(piece)}: the table has ${plural(table.columns, 'column')}${listed === '' ? '' : `: ${listed}${rest}`}.`,
    guess === '' ? 'Ask for columns by name or by number.' : guess,
  );
}
