// The outline of a table: every column with its number, its name and the type its sampled cells suggest.

import { type OutlineLine, type ProcessContext, plural, quoted } from '../contract/index.ts';
import { Columns } from './columns.ts';
import type { Cell, Table } from './table.ts';

/** The apparent type of a cell's text. */
export type CellType = 'integer' | 'number' | 'date' | 'boolean' | 'address' | 'text' | 'empty';

const INTEGER = /^[-+]?\d{1,400}$/;
const NUMBER = /^[-+]?(?:\d{1,3}(?:[ ,']\d{3})+|\d{1,400})?(?:[.,]\d{1,400})?(?:[eE][-+]?\d{1,6})?\s?%?$/;
const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[-+]\d{2}:?\d{2})?)?$/;
const ADDRESS = /^(?:[^\s@]{1,100}@[^\s@]{1,100}\.[^\s@.]{2,20}|https?:\/\/\S{1,400})$/;
const BOOLEAN = /^(?:true|false|yes|no)$/i;

/** The apparent type of a cell. Looks only at the text; nothing is converted. */
export function cellType(cell: string): CellType {
  if (cell.length > 500) return 'text';
  const text = cell.trim();
  if (text === '') return 'empty';
  if (INTEGER.test(text)) return 'integer';
  if (/\d/.test(text) && NUMBER.test(text)) return 'number';
  if (DATE.test(text)) return 'date';
  if (ADDRESS.test(text)) return 'address';
  return BOOLEAN.test(text) ? 'boolean' : 'text';
}

/** The type of a column: the one shared by all its non-empty cells. */
export function columnType(cells: Iterable<string>): CellType {
  let found: CellType = 'empty';
  for (const cell of cells) {
    const type = cellType(cell);
    if (type === 'empty' || type === found) continue;
    const numeric = (type === 'integer' || type === 'number') && (found === 'integer' || found === 'number');
    if (found === 'empty') found = type;
    else if (numeric) found = 'number';
    else return 'text';
  }
  return found;
}

/** The size of the table, then one line per column. Types come from the rows a read would sample. */
export async function* tableOutline(table: Table, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { selection, limits } = context;
  const columns = new Columns(table, selection.columns);
  const sampled = Math.min(table.rows, Math.max(1, limits.rowsHead));
  const header = table.header ? '' : ', no header';
  const types = sampled < table.rows ? `; types of the first ${plural(sampled, 'row')}` : '';
  yield { text: `${plural(table.rows, 'row')}, ${plural(table.columns, 'column')}${header}${types}` };
  const seen: (readonly Cell[])[] = [];
  for await (const row of table.read(1, sampled)) if (row.number !== table.headerRow) seen.push(row.cells);
  for (let at = 0; at < columns.count(); at += 1) {
    const [called = ''] = columns.names(at, at + 1);
    const type = columnType(seen.map((cells) => columns.cells(cells, at, at + 1)[0] ?? ''));
    const number = columns.chosen?.[at] ?? at + 1;
    yield { text: `${number}. ${called === '' ? '(no name)' : quoted(called)}: ${type}` };
  }
}
