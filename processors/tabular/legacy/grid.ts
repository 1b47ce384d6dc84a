// The cells of a sheet in SheetJS's representation.

export type SheetJS = typeof import('@e965/xlsx');

export type WorkSheet = import('@e965/xlsx').WorkSheet;

export type CellObject = import('@e965/xlsx').CellObject;

export type Grid = readonly (readonly (CellObject | undefined)[] | undefined)[];

export type DenseSheet = WorkSheet & { readonly '!data'?: Grid; readonly '!fullref'?: string };

/** Maximum rows read per sheet; Excel 97 to 2003 had 65 536. Bounds the expansion of repeated ODS rows. */
export const MAX_ROWS_READ = 200_000;
