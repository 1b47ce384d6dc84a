// The position of a walk through a table: what the first answer sampled, and the next character to show. Only numbers,
// to fit in a cursor; each is validated when it comes back.

import { type Position, PositionReader } from '../contract/index.ts';
import type { Table } from './table.ts';

/** Number of values in the position of a fixed table; a table that may grow has more between its rows. */
export const POSITION_LENGTH = 11;

/** Phases of the walk, in order. */
export const PHASE = { rows: 0, columns: 1, cells: 2 } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** What the first answer showed: two ranges of rows, their first columns, and a limited length of each cell. */
export interface Sample {
  /** First and last row of the upper range; empty when `to` is `from - 1`. */
  readonly from: number;
  readonly to: number;
  /** First row of the lower range; one more than the table's last row if there is none. */
  readonly tailFrom: number;
  /** The table's last row at the time, which is the end of the lower range. */
  readonly tailTo: number;
  /** Number of columns shown. */
  readonly columns: number;
  /** UTF-16 units a cell was cut to, including the mark. */
  readonly cellLength: number;
  /** True if those rows have more columns. */
  readonly wider: boolean;
  /** True if one of their cells was cut. */
  readonly cut: boolean;
}

/** The next character of a walk, and the sample it completes. */
export interface TablePosition extends Sample {
  readonly phase: Phase;
  /** 0 is the header. */
  readonly row: number;
  /** 0-based, among the columns of the answer. */
  readonly column: number;
  /** 0-based UTF-16 unit inside the cell. */
  readonly character: number;
}

/** Between two rows: a request can express it, and a walk can continue with rows added since. */
export const isBetweenRows = ({ phase, row, column, character }: TablePosition): boolean =>
  phase === PHASE.rows && row > 0 && column === 0 && character === 0;

/** As cursor entries: `POSITION_LENGTH` numbers, plus two entries between the rows of a table that may grow. */
export function encodePosition(position: TablePosition, { form }: Table): Position {
  const follows = form !== undefined && isBetweenRows(position);
  return [
    position.phase,
    position.row,
    position.column,
    position.character,
    position.from,
    position.to,
    position.tailFrom,
    position.columns,
    position.cellLength,
    position.wider ? 1 : 0,
    position.cut ? 1 : 0,
    ...(follows ? [position.tailTo, form] : []),
  ];
}

const MOST_COLUMNS = 2 ** 26;

/** @throws {ReaderError} STALE_CURSOR if a number is outside the table, or rows are delimited differently now */
export function decodePosition(position: Position, table: Table): TablePosition {
  const fields = new PositionReader(position, 'The cursor does not point into this table.');
  const end = table.rows + 1;
  const phase = fields.oneOf(Object.values(PHASE));
  const row = fields.count(end);
  const column = fields.count(MOST_COLUMNS);
  const character = fields.count(2 ** 30);
  const from = fields.count(end, 1);
  const to = fields.count(end, from - 1);
  const tailFrom = fields.count(end, to + 1);
  const columns = fields.count(MOST_COLUMNS);
  const cellLength = fields.count();
  const wider = fields.count(1) === 1;
  const cut = fields.count(1) === 1;
  const follows = table.form !== undefined && fields.more;
  const rows = follows ? fields.count(table.rows, Math.max(to, tailFrom - 1)) : table.rows;
  if (follows) fields.check(fields.word() === table.form);
  fields.end();
  // Rows added since follow the others if no lower range was shown.
  const lower = tailFrom <= rows ? { tailFrom, tailTo: rows } : { tailFrom: end, tailTo: table.rows };
  return { phase, row, column, character, from, to, ...lower, columns, cellLength, wider, cut };
}
