// Tables within a budget: turns rows of any format into head and tail, a selection or a page of a walk. Knows no file
// format.

export { cutCell } from './cell-cut.ts';
export { Columns } from './columns.ts';
export { noTable, tableOf } from './numbered.ts';
export { type CellType, cellType, tableOutline } from './outline.ts';
export { POSITION_LENGTH } from './position.ts';
export { type Cell, type Table, type TableRow, tableParts } from './table.ts';
