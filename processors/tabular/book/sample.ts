// Which sheets of a workbook a first response shows, and what each asks of its budget, estimated from numbers of cells.

import type { ProcessContext } from '../../../src/contract/index.ts';
import type { BookSheet, OpenSheet } from './sheets.ts';
import { MAX_PENDING } from './walk-position.ts';

/** Sheets that are not shown are still measured if all of them together cost less than this. */
export const MEASURED_BYTES: number = 16 * 1024 * 1024;
/** Number of sheets the first response always shows. */
const FEW_SHEETS = 3;
/** Minimum tokens left for a response to continue with another sheet. */
export const LEAST_TOKENS = 120;
/** Estimates of what a sheet costs: a title line, and a cell with its comma. */
const TITLE_TOKENS = 20;
const TOKENS_A_CELL = 4;

/** Opened sheets. */
type Opened = ReadonlyMap<BookSheet, OpenSheet>;

/** The sheets of a first response, of those in `order`. */
export function sampleOf(
  order: readonly BookSheet[],
  opened: Opened,
  { budget, limits }: Pick<ProcessContext, 'budget' | 'limits'>,
): readonly BookSheet[] {
  const visible = order.filter(({ state }) => state === 'visible');
  // Include hidden sheets if everything fits.
  const fits = order.reduce((sum, sheet) => sum + costOf(sheet, opened), 0) <= budget.tokensBesideNotes;
  const sheets = visible.length === 0 || fits ? order : visible;
  const shares = Math.floor(budget.tokensBesideNotes / LEAST_TOKENS);
  const affordable = fits ? sheets.length : Math.max(FEW_SHEETS, shares);
  const most = Math.max(1, Math.min(limits.maxSheets, affordable, MAX_PENDING));
  let left = MEASURED_BYTES;
  const costly = sheets.findIndex(({ cost }, index) => {
    left -= cost;
    return index >= FEW_SHEETS && left < 0;
  });
  return sheets.slice(0, costly < 0 ? most : Math.min(most, costly));
}

/** Estimated tokens of a sheet. */
function costOf(sheet: BookSheet, opened: Opened): number {
  const table = opened.get(sheet)?.table;
  return TITLE_TOKENS + (table ? table.rows * table.columns * TOKENS_A_CELL : 0);
}

/** Estimated tokens of a sheet's sample. */
export function wishOf(
  sheet: BookSheet,
  opened: Opened,
  { rowsHead, rowsTail, maxColumns }: ProcessContext['limits'],
): number {
  const columns = Math.min(opened.get(sheet)?.table.columns ?? 0, maxColumns);
  return Math.min(costOf(sheet, opened), TITLE_TOKENS + (rowsHead + rowsTail) * columns * TOKENS_A_CELL);
}
