// Writes the rows of an answer as CSV to an open file, up to a limit.

// biome-ignore lint/plugin: the process inherited the number, and closes it by ending
import { ftruncateSync, writeSync } from 'node:fs';
import { ReaderError } from '../../contract/index.ts';
import type { Result } from './duckdb.ts';
import { textOfValue } from './value.ts';

const PIECE_CHARACTERS = 256 * 1024;
/** What any reader might take for a delimiter or a quote. */
const NEEDS_QUOTES = /["',;\t|\r\n]|^[ \t]|[ \t]$|^$/;

/** The columns and the size of an answer. */
export interface Written {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: number;
  readonly bytes: number;
}

/** @throws {ReaderError} LIMIT_EXCEEDED, and the errors of the query */
export async function writeRows(result: Result, descriptor: number, maxBytes: number): Promise<Written> {
  const types = result.columnTypes().map(String);
  const names = uniqueNames(result.columnNames());
  let bytes = 0;
  let rows = 0;
  // A child that was killed while it wrote has left its rows here.
  ftruncateSync(descriptor);
  let piece = recordOf(names.map((name) => field(name)));
  const flush = (): void => {
    const buffer = Buffer.from(piece);
    piece = '';
    if (bytes + buffer.length > maxBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The answer has more than ${maxBytes} bytes (limit \`maxQueryResultBytes\`).`,
        'Aggregate, select fewer columns, or add a `LIMIT`.',
      );
    for (let at = 0; at < buffer.length; )
      at += writeSync(descriptor, buffer, at, buffer.length - at, bytes + at);
    bytes += buffer.length;
  };
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    const columns = chunk.getColumns();
    for (let row = 0; row < chunk.rowCount; row += 1) {
      piece += recordOf(columns.map((values, at) => cell(values[row], types[at] ?? '')));
      if (piece.length >= PIECE_CHARACTERS) flush();
    }
    rows += chunk.rowCount;
  }
  flush();
  return { columns: names.map((name, at) => ({ name, type: types[at] ?? '' })), rows, bytes };
}

/** A missing value is an empty field, an empty text is `""`. */
const cell = (value: unknown, type: string): string =>
  value === null || value === undefined ? '' : field(textOfValue(value, type));

const field = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A record with one empty field is `""`, because a blank line is not a record. */
const recordOf = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '' ? '""\n' : `${fields.join(',')}\n`;

/** Unique, and names that a reader takes for a header: `SELECT 1` has a column named `1`. */
function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  const words = names.some((name) => /\p{L}/u.test(name));
  return names.map((given, at) => {
    const name = words && given.trim() !== '' ? given : `column_${at + 1}`;
    let unique = name;
    for (let number = 2; used.has(unique); number += 1) unique = `${name}_${number}`;
    used.add(unique);
    return unique;
  });
}
