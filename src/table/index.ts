// Tables within a budget: rows of any format become head and tail, a selection or a page of a walk. It knows no file format.

export { cutCell } from './cell-cut.ts';
export { cellType, tableOutline } from './outline.ts';
export { POSITION_LENGTH } from './position.ts';
export { type Table, type TableRow, tableParts } from './table.ts';
