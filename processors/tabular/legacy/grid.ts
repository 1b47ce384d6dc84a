// The cells of a sheet as SheetJS holds them.

export type SheetJS = typeof import('@e965/xlsx');

export type WorkSheet = import('@e965/xlsx').WorkSheet;

export type CellObject = import('@e965/xlsx').CellObject;

export type Grid = readonly (readonly (CellObject | undefined)[] | undefined)[];

export type DenseSheet = WorkSheet & { readonly '!data'?: Grid; readonly '!fullref'?: string };

/** Rows a sheet is read to; Excel 97 to 2003 had 65 536. A bound on what repeated rows of ODS unfold to. */
export const MAX_ROWS_READ = 200_000;
