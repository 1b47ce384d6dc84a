// Types of what can be saved as a result, and of column facts.

/**
 * How a result is written. Text and bytes are written unchanged in every format; `text` writes anything else as JSON.
 * In CSV a missing value is empty and an empty string is `""`; dates are ISO 8601, bytes Base64, objects and lists
 * JSON.
 */
export type ResultFormat = 'csv' | 'jsonl' | 'json' | 'xlsx' | 'text';

/** One row: an object by column, or values in order. Anything else becomes a row with one column, `value`. */
export type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * Rows (an array, iterable or async iterable), a Node or web stream of bytes, text or rows, a string, bytes, or any JSON
 * value.
 */
export type ResultInput = unknown;

/** Type of a column's values; `mixed` for more than one. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'string' | 'date' | 'json' | 'mixed' | 'empty';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Rows in which it is null, undefined or missing. */
  readonly nulls: number;
  /**
   * Number of distinct values: exact up to 1000 (in the first 1000 columns), above that an estimate, usually within 3
   * %.
   */
  readonly distinct: number;
}
