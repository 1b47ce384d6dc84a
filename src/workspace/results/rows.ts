// Rows of any shape as values in columns: objects by key, arrays by position, in one table whose columns grow as they
// appear. Nothing is written here.

import { types } from 'node:util';
import { plural, quoted, ReaderError } from '../../contract/index.ts';
import { BadValue, unreadable } from './bad-value.ts';
import { encodable, type Remarks } from './encodable.ts';
import { UniqueNames } from './keys.ts';
import type { Column } from './result.ts';
import { ColumnFacts } from './schema.ts';
import { type Plain, plain, unwrapped } from './value.ts';

/** Columns of a table; a worksheet has as many (ECMA-376 part 1, 18.3.1.73: column `XFD`). */
const MOST_COLUMNS = 16_384;

/** Characters of all column names together. */
const MOST_NAME_CHARACTERS = 16 * 1024 * 1024;

/** Columns whose different values are counted exactly up to 1000; further ones are estimated from the start. */
const MOST_EXACT_COLUMNS = 1000;

/** How a row was given. */
type RowShape = 'object' | 'array' | 'value';

/** The table of a result: knows its columns, reads one row at a time, keeps the facts of each column. */
export class Table {
  /** In the order in which they appeared. */
  readonly names: string[] = [];
  /** Rows read. */
  rows = 0;
  /** Values of the row last read, by column; `undefined` where it has none. Valid until the next row is read. */
  readonly values: Plain[] = [];
  /** Columns of the row last read, in its own order; of those only the first `count`. */
  readonly order: number[] = [];
  count = 0;
  shape: RowShape = 'object';
  /** Some row was an object or an array. */
  tabular = false;
  /** By the key that stands for a column in rows, which its name is unless a file cannot hold it. */
  readonly #index = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #unique = new UniqueNames();
  readonly #facts: ColumnFacts[] = [];
  readonly #remarks: Remarks;
  #nameCharacters = 0;
  /** The column that is being read. */
  #reading: string | undefined;

  /** Names of columns of the row last read that the table has no room for. */
  readonly #beyond: string[] = [];
  readonly #open: boolean;

  /**
   * `columns` are known from the start; a name that is there twice gets a number. An `open` table takes rows with more
   * columns than it can describe; another one refuses them.
   */
  constructor(columns: readonly string[], remarks: Remarks, open: boolean) {
    this.#remarks = remarks;
    this.#open = open;
    for (const name of columns) this.#column(name);
  }

  /** Of a number in `order`. */
  nameOf(column: number): string {
    return this.names[column] ?? this.#beyond[column - MOST_COLUMNS] ?? '';
  }

  /**
   * Reads a row: into `values`, `order`, `count` and `shape`.
   * @throws {ReaderError} BAD_INPUT for what cannot be read, LIMIT_EXCEEDED for too many columns; both name the row
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
    // An object that is no list: its keys were just taken from it.
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

  /** Forgets the values of the row before, unless `keys` are all the columns in their order and replace them. */
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
    // What is no object, function or symbol is plain.
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
        `Row ${this.rows}: the rows have more columns than fit; found ${plural(column + 1, 'column')}, expected at most ${MOST_COLUMNS} with names of ${MOST_NAME_CHARACTERS} characters in all.`,
        'Save them as JSON Lines, or put what varies from row to row into one column, as an object.',
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
