// The sheets of a workbook: finds a requested sheet, writes its heading, and warns about hidden cells.

import {
  type Extent,
  editDistance,
  oneLine,
  plural,
  quoted,
  ReaderError,
  shortName,
  type Warning,
} from '../../../src/contract/index.ts';
import type { Table } from '../../../src/table/index.ts';
import type { Note } from './note.ts';
import type { Comment } from './remarks.ts';

/** A sheet that has been measured. */
export interface OpenSheet {
  readonly table: Table;
  /** Its entry in `metadata.sheets`, besides name and state. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Comments on its cells, in file order. */
  readonly comments?: readonly Comment[];
  /** Lines below the table if these rows and columns of it are shown; most useful first. */
  notes(shown: readonly Extent[]): readonly Note[];
  warnings(): readonly Warning[];
}

/** A sheet as listed in a book, before it is opened. */
export interface BookSheet {
  readonly name: string;
  readonly state: 'visible' | 'hidden' | 'veryHidden';
  readonly kind:
    | 'worksheet'
    | 'chartsheet'
    | 'dialogsheet'
    | 'macrosheet'
    // Of a database.
    | 'table'
    | 'view'
    | 'virtual table';
  /** Estimated bytes to read to find its exact size. */
  readonly cost: number;
  /** Undefined for a sheet without content to show. */
  open?(): Promise<OpenSheet>;
}

/** Maximum UTF-16 units of names compared for suggestions. */
const MAX_COMPARED = 64;
export const MAX_LISTED = 1000;

/** The line above a sheet or a table in it: `Sheet "Data", B4:C10: 7 rows x 2 columns`. */
export function headingOf(
  { name, state, kind }: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  opened?: {
    readonly table: Pick<Table, 'rows' | 'columns'>;
    readonly firstRow?: number;
    readonly range?: string;
  },
): string {
  const flat = shortName(name);
  const range = opened?.range === undefined ? '' : `, ${opened.range}`;
  const hidden = state === 'visible' ? '' : state === 'hidden' ? ' (hidden)' : ' (very hidden)';
  const from = opened?.firstRow !== undefined && opened.firstRow > 1 ? `, from row ${opened.firstRow}` : '';
  const size =
    kind === 'worksheet' || kind === 'table'
      ? opened
        ? opened.table.rows === 0 && kind === 'worksheet'
          ? ': empty'
          : `: ${plural(opened.table.rows, 'row')} x ${plural(opened.table.columns, 'column')}${from}`
        : ''
      : kind === 'view' || kind === 'virtual table'
        ? ': not read'
        : `: ${kind}, no cells`;
  return `${nounOf(kind)} "${flat}"${hidden}${range}${size}`;
}

/** Facts of a sheet that its heading does not have, by name in the singular. */
const DETAILS: readonly (readonly [fact: string, noun: string])[] = [
  ['formulas', 'formula'],
  ['mergedCount', 'merged range'],
  ['commentCount', 'comment'],
  ['hiddenRows', 'hidden row'],
  ['hiddenColumns', 'hidden column'],
];

/** `; 400 formulas, 1 comment`, to follow the heading of a sheet; `''` without such. */
export function detailsOf(facts: OpenSheet['facts']): string {
  const details = DETAILS.flatMap(([fact, noun]) => {
    const count = facts[fact];
    return typeof count === 'number' && count > 0 ? [plural(count, noun)] : [];
  });
  return details.length === 0 ? '' : `; ${details.join(', ')}`;
}

function nounOf(kind: BookSheet['kind']): string {
  if (kind === 'table') return 'Table';
  if (kind === 'view') return 'View';
  return kind === 'virtual table' ? 'Virtual table' : 'Sheet';
}

/** The warning about rows and columns hidden in the workbook; empty if there are none. */
export function hiddenCells(sheet: string, rows: number, columns: number): Warning[] {
  if (rows === 0 && columns === 0) return [];
  const counts = [
    ...(rows > 0 ? [plural(rows, 'row')] : []),
    ...(columns > 0 ? [plural(columns, 'column')] : []),
  ];
  const verb = rows + columns === 1 ? 'is' : 'are';
  return [
    {
      code: 'HIDDEN_CONTENT',
      message: `Sheet ${quoted(sheet)}: ${counts.join(' and ')} ${verb} hidden in the workbook; shown here.`,
    },
  ];
}

/** The warning about cells whose number format shows nothing, or only `#`; empty if there are none. */
export function hiddenValues(sheet: string, cells: number): Warning[] {
  if (cells === 0) return [];
  return [
    {
      code: 'HIDDEN_CONTENT',
      message: `Sheet ${quoted(sheet)}: the number format of ${plural(cells, 'cell')} hides the value; shown here.`,
    },
  ];
}

/** Finds a sheet by exact name, by name ignoring case, or by 1-based index. */
export function findSheet(sheets: readonly BookSheet[], wanted: string): BookSheet {
  const folded = wanted.trim().toLowerCase().slice(0, MAX_COMPARED);
  const found =
    sheets.find(({ name }) => name === wanted) ??
    sheets.find(({ name }) => oneLine(name) === wanted) ??
    sheets.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase()) ??
    (/^\d{1,6}$/.test(folded) ? sheets[Number(folded) - 1] : undefined);
  if (found) return found;
  const near = [...sheets]
    .slice(0, MAX_LISTED)
    .map((sheet) => ({
      sheet,
      distance: editDistance(folded, sheet.name.toLowerCase().slice(0, MAX_COMPARED)),
    }))
    .sort((a, b) => a.distance - b.distance)[0];
  const names = sheets.slice(0, 10).map(({ name }) => quoted(name));
  const meant =
    near && near.distance <= Math.max(2, folded.length / 3)
      ? ` Did you mean ${quoted(near.sheet.name)}?`
      : '';
  const [whole, part] = sheets.some(({ kind }) => kind === 'table')
    ? ['database', 'table']
    : ['workbook', 'sheet'];
  throw new ReaderError(
    'BAD_INPUT',
    `The ${whole} has no ${part} ${quoted(wanted)}.${meant}`,
    sheets.length === 0
      ? `The ${whole} has no ${part}s.`
      : `Use one of its ${plural(sheets.length, part)}: ${names.join(', ')}${sheets.length > names.length ? ', ...' : ''}; or a number from 1 to ${sheets.length}.`,
  );
}

export function withoutHeading(table: Table): Table {
  return {
    header: table.header,
    headerRow: table.headerRow,
    rows: table.rows,
    columns: table.columns,
    ...(table.name !== undefined && { name: table.name }),
    columnName: (column) => table.columnName?.(column) ?? `column_${column}`,
    read: (from, to) => table.read(from, to),
  };
}
