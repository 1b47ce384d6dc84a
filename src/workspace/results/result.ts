// What can be saved as a result, and what is said of its columns.

/**
 * How a result is written. Text and bytes are written as they are, whatever the format; `text` of anything else is its
 * JSON. In CSV nothing stands for what is missing and `""` for an empty text; dates are ISO 8601, bytes Base64, objects
 * and lists JSON.
 */
export type ResultFormat = 'csv' | 'jsonl' | 'json' | 'xlsx' | 'text';

/** One row: an object by column, or values in order. Anything else is a row with one column, `value`. */
export type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * Rows (an array, iterable or async iterable), a Node or web stream of bytes, text or rows, a string, bytes, or any JSON
 * value.
 */
export type ResultInput = unknown;

/** What the values of a column are; `mixed` for more than one. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'string' | 'date' | 'json' | 'mixed' | 'empty';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Rows in which it is null, undefined or not there. */
  readonly nulls: number;
  /** How many different values: exact up to 1000 (in the first 1000 columns), beyond it an estimate, mostly within 3 %. */
  readonly distinct: number;
}
