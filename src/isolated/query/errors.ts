// Turns errors of DuckDB into errors with a code, the place in the query, and the tables and columns there are. Host
// paths in messages are removed.

import { nearNames, quoted, ReaderError } from '../../contract/index.ts';
import { type TableSchema, tablesHint } from './schema.ts';

const MAX_MESSAGE = 400;
/** `Binder Error: Referenced column ...`. */
const KIND = /^(?:Failed to extract statements: |TransactionContext Error: )*([A-Z][\w ]*?) Error: /;

/** @returns the error for a failed query */
export async function sqlError(
  error: unknown,
  sql: string,
  tables: readonly TableSchema[],
): Promise<ReaderError> {
  const text = error instanceof Error ? error.message : String(error);
  const kind = KIND.exec(text)?.[1] ?? '';
  if (kind === 'Out of Memory' || /std::bad_alloc|Allocation failure|could not allocate/i.test(text))
    return new ReaderError(
      'OUT_OF_MEMORY',
      'The query needed more memory than allowed (limit `maxQueryProcessBytes`).',
      'Filter rows and select columns before joining, sorting or grouping.',
      error,
    );
  if (/(?:CSV Error on Line|Malformed JSON|JSON transform error in file|Invalid unicode)/.test(text))
    return new ReaderError(
      'CORRUPT_FILE',
      'A value of a table does not have the type of its column.',
      'Read the file to see what it contains.',
      error,
    );
  if (kind === 'Permission')
    return new ReaderError(
      'BAD_INPUT',
      'The query reads or writes a file; a query can only read its tables.',
      tablesHint(tables),
      error,
    );
  const message = withoutPaths(text.replace(KIND, '').split('\n')[0] ?? '').slice(0, MAX_MESSAGE);
  const place = placeIn(text, sql);
  const near = await suggestion(text, tables);
  return new ReaderError(
    'BAD_INPUT',
    `${kind === '' ? 'SQL' : `SQL ${kind.toLowerCase()}`} error${place}: ${/[.!?]$/.test(message) ? message : `${message}.`}`,
    `${near}${tablesHint(tables)}`,
    error,
  );
}

/** ` (line 1, column 8)`, from the excerpt with a caret below it. */
function placeIn(text: string, sql: string): string {
  const [, number = '', excerpt = '', caret = ''] = /\nLINE (\d+): ([^\n]*)\n( *)\^/.exec(text) ?? [];
  if (number === '') return '';
  const line = sql.split('\n')[Number(number) - 1] ?? '';
  const shown = excerpt.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
  const start = line.indexOf(shown);
  const cut = excerpt.startsWith('...') ? 3 : 0;
  const column = start + caret.length - `LINE ${number}: `.length - cut + 1;
  return start < 0 || column < 1 ? ` (line ${number})` : ` (line ${number}, column ${column})`;
}

/** Names like the one that was not found. */
async function suggestion(text: string, tables: readonly TableSchema[]): Promise<string> {
  const column = /(?:Referenced column|column named?) "([^"]{1,200})"/.exec(text)?.[1];
  const table = /Table with name (\S{1,200}) does not exist/.exec(text)?.[1];
  const names = new Set(
    column === undefined
      ? tables.map(({ name }) => name)
      : tables.flatMap(({ columns }) => columns.map(({ name }) => name)),
  );
  const wanted = column ?? table;
  if (wanted === undefined) return '';
  const near = await nearNames(wanted, names);
  return near.length === 0 ? '' : `Did you mean ${near.map((name) => quoted(name)).join(' or ')}? `;
}

const withoutPaths = (text: string): string =>
  text
    .replace(/(?:\/proc\/(?:self|\d+)\/fd\/|\/dev\/fd\/)\d+/g, 'the file')
    .replace(/\/[\w.-]+(?:\/[\w.-]+)+/g, '…');
