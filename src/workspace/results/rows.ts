// Maps rows of any shape to columns: objects by key, arrays by position. The table grows as columns appear. Writes
// nothing.

import { types } from 'node:util';
import { plural, quoted, ReaderError } from '../../contract/index.ts';
import { BadValue, unreadable } from './bad-value.ts';
import { encodable, type Remarks } from './encodable.ts';
import { UniqueNames } from './keys.ts';
import type { Column } from './result.ts';
import { ColumnFacts } from './schema.ts';
import { type Plain, plain, unwrapped } from './value.ts';

/** Maximum columns of a table, as in a worksheet (ECMA-376 part 1, 18.3.1.73: column `XFD`). */
const MOST_COLUMNS = 16_384;

/** Maximum characters of all column names together. */
const MOST_NAME_CHARACTERS = 16 * 1024 * 1024;

/** Columns with exact counts of distinct values up to 1000; further columns are always estimated. */
const MOST_EXACT_COLUMNS = 1000;

/** How a row was given. */
type RowShape = 'object' | 'array' | 'value';

/** The table of a result: tracks its columns, reads one row at a time, and collects facts per column. */
export class Table {
  /** In order of appearance. */
  readonly names: string[] = [];
  /** Rows read. */
  rows = 0;
  /** Values of the last row by column; `undefined` where it has none. Valid until the next row is read. */
  readonly values: Plain[] = [];
  /** Columns of the last row, in its own order; only the first `count` are valid. */
  readonly order: number[] = [];
  count = 0;
  shape: RowShape = 'object';
  /** At least one row was an object or an array. */
  tabular = false;
  /** Column by row key. The key is the column's name unless a file cannot hold it. */
  readonly #index = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #unique = new UniqueNames();
  readonly #facts: ColumnFacts[] = [];
  readonly #remarks: Remarks;
  #nameCharacters = 0;
  /** The column being read. */
  #reading: string | undefined;

  /** Names of columns of the last row that do not fit in the table. */
  readonly #beyond: string[] = [];
  readonly #open: boolean;

  /**
   * `columns` are known in advance; duplicates get a number. An `open` table accepts rows with more columns than it can
   * describe; otherwise they are rejected.
   */
  constructor(columns: readonly string[], remarks: Remarks, open: boolean) {
    this.#remarks = remarks;
    this.#open = open;
    for (const name of columns) this.#column(name);
  }

  /** `column`: a number from `order`. */
  nameOf(column: number): string {
    return this.names[column] ?? this.#beyond[column - MOST_COLUMNS] ?? '';
  }

  /**
   * Reads a row into `values`, `order`, `count` and `shape`.
   * @throws {ReaderError} BAD_INPUT for unreadable values, LIMIT_EXCEEDED for too many columns; both name the row
   */
  read(row: unknown): void {
    this.rows += 1;
    this.count = 0;
    this.shape = 'object';
    this.#reading = undefined;
    if (this.#beyond.length > 0) this.#beyond.length = 0;
    try {
      if (Array.isArray(row)) this.#readArray(row);
      else if (typeof row === 'object' && row !== null) this.#readObject(row);
      else this.#readValue(row);
    } catch (error) {
      throw this.#bad(error);
    }
  }

  columns(): Column[] {
    return this.#facts.map((facts) => facts.of(this.rows));
  }

  #readObject(row: object): void {
    let object = row;
    const prototype: unknown = Object.getPrototypeOf(row);
    if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in row) {
      let found = unwrapped(row, this.#remarks);
      if (types.isSet(found)) found = [...found];
      if (types.isMap(found)) found = Object.fromEntries(found);
      if (Array.isArray(found) || types.isTypedArray(found)) {
        this.#readArray(found);
        return;
      }
      if (typeof found !== 'object' || found === null || types.isDate(found)) {
        this.#readValue(found);
        return;
      }
      object = found;
    }
    this.tabular = true;
    const keys = Object.keys(object);
    // Not an array: its keys were just taken from it.
    const named = object as Readonly<Record<string, unknown>>;
    const known = this.#keys;
    this.#clearFrom(0, keys.length === known.length ? keys : undefined);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] ?? '';
      this.#reading = key;
      // Rows of one query have the same keys in the same order.
      this.#take(known[at] === key ? at : (this.#index.get(key) ?? this.#column(key)), named[key]);
    }
  }

  #readArray(row: ArrayLike<unknown>): void {
    this.shape = 'array';
    this.tabular = true;
    this.#clearFrom(row.length, undefined);
    for (let at = 0; at < row.length; at += 1) {
      const column = at < this.names.length ? at : this.#column(`column_${at + 1}`);
      this.#reading = this.nameOf(column);
      this.#take(column, row[at]);
    }
  }

  #readValue(value: unknown): void {
    this.shape = 'value';
    this.#clearFrom(0, undefined);
    if (value !== null && value !== undefined)
      this.#take(this.#index.get('value') ?? this.#column('value'), value);
  }

  /** Clears the values of the previous row, unless `keys` are all columns in order and will overwrite them. */
  #clearFrom(from: number, keys: readonly string[] | undefined): void {
    const { names, values } = this;
    const known = this.#keys;
    if (keys && known.length > 0 && keys[0] === known[0] && keys.every((key, at) => key === known[at]))
      return;
    values.length = names.length;
    values.fill(undefined, Math.min(from, names.length));
  }

  #take(column: number, value: unknown): void {
    let found: Plain;
    if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol')
      found = plain(value, this.#remarks);
    // Everything except objects, functions and symbols is plain.
    else found = value as Plain;
    this.values[column] = found;
    this.order[this.count] = column;
    this.count += 1;
    this.#facts[column]?.add(found);
  }

  #column(key: string): number {
    const column = this.names.length;
    this.#nameCharacters += key.length;
    if (column >= MOST_COLUMNS || this.#nameCharacters > MOST_NAME_CHARACTERS) {
      this.#nameCharacters -= key.length;
      if (this.#open) {
        this.#remarks.add(`Columns after the first ${MOST_COLUMNS} are saved, but not described`);
        return MOST_COLUMNS + this.#beyond.push(key) - 1;
      }
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Row ${this.rows} brings the table to ${plural(column + 1, 'column')}; expected at most ${MOST_COLUMNS}, with names of ${MOST_NAME_CHARACTERS} characters in total.`,
        'Save the rows as JSON Lines, or put the varying fields into one column, as an object.',
      );
    }
    const name = this.#unique.take(encodable(key, this.#remarks));
    const known = this.#index.has(key) ? name : key;
    this.names.push(name);
    this.#keys.push(known);
    this.#index.set(known, column);
    this.values.push(undefined);
    this.#facts.push(new ColumnFacts(name, column < MOST_EXACT_COLUMNS));
    return column;
  }

  #bad(error: unknown): ReaderError {
    if (error instanceof ReaderError) return error;
    const column = this.#reading;
    const place =
      column === undefined ? `Row ${this.rows}` : `The value in row ${this.rows}, column ${quoted(column)}`;
    return (error instanceof BadValue ? error : unreadable(error)).at(place);
  }
}
