// The shape of a table in place of its content: every column with its number, its name and the type its sampled cells
// suggest.

import {
  isCount,
  type Part,
  type Position,
  type ProcessContext,
  plural,
  quoted,
  staleCursor,
} from '../../src/contract/index.ts';
import type { Table } from './table.ts';
import { Columns } from './table-columns.ts';

const KIND = 'outline';

/** True for a cursor that an outline gave. */
export function isOutlineCursor(resume: Position | undefined): boolean {
  return resume?.[0] === KIND;
}

/** What the text of a cell looks like. */
export type CellType = 'integer' | 'number' | 'date' | 'boolean' | 'address' | 'text' | 'empty';

const INTEGER = /^[-+]?\d{1,400}$/;
const NUMBER = /^[-+]?(?:\d{1,3}(?:[ ,']\d{3})+|\d{1,400})?(?:[.,]\d{1,400})?(?:[eE][-+]?\d{1,6})?\s?%?$/;
const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[-+]\d{2}:?\d{2})?)?$/;
const ADDRESS = /^(?:[^\s@]{1,100}@[^\s@]{1,100}\.[^\s@.]{2,20}|https?:\/\/\S{1,400})$/;
const BOOLEAN = /^(?:true|false|yes|no)$/i;

/** What a cell looks like; only its text is judged, nothing is converted. */
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

/** The type of a column: the one all its cells share, empty ones aside. */
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

/** As many columns as fit; the cursor goes on with the next. Types come from the rows a read would sample. */
export async function* tableOutline(table: Table, context: ProcessContext): AsyncGenerator<Part> {
  const { selection, budget, limits } = context;
  const columns = new Columns(table, selection.columns);
  const count = columns.count();
  const [kind, start = 0] = selection.resume ?? [KIND];
  if (kind !== KIND || !isCount(start, count))
    throw staleCursor('The cursor does not point into this outline.');
  const name = table.name === undefined ? {} : { name: table.name };
  context.whole({ unit: 'column', of: columns.chosen ? table.columns : count, ...name });
  let text = '';
  if (start === 0) {
    const header = table.header ? '' : ', no header';
    text = `${plural(table.rows, 'row')}, ${plural(table.columns, 'column')}${header}\n`;
  }
  let tokens = budget.tokensBesideNotes - budget.count(text);
  let characters = budget.charactersBesideNotes - text.length;
  if (tokens < 0 || characters < 0) return;
  const seen: (readonly string[])[] = [];
  for await (const row of table.read(1, Math.min(table.rows, Math.max(1, limits.rowsHead))))
    if (row.number !== table.headerRow) seen.push(row.cells);
  let at = start;
  for (; at < count; at += 1) {
    const [called = ''] = columns.names(at, at + 1);
    const type = columnType(seen.map((cells) => columns.cells(cells, at, at + 1)[0] ?? ''));
    const number = columns.chosen?.[at] ?? at + 1;
    const line = `${number}. ${called === '' ? '(no name)' : quoted(called)}: ${type}\n`;
    const cost = budget.count(line);
    if (cost > tokens || line.length > characters) break;
    tokens -= cost;
    characters -= line.length;
    text += line;
  }
  if (text === '') return;
  yield {
    kind: 'text',
    text,
    shown: at > start ? columns.extents(start, at) : [],
    ...(at > start && at < count && { next: { position: [KIND, at] } }),
  };
}
