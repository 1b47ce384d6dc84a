// The cells of a sheet in SheetJS's representation.

export type SheetJS = typeof import('@e965/xlsx');

export type WorkSheet = import('@e965/xlsx').WorkSheet;

export type CellObject = import('@e965/xlsx').CellObject;

export type Grid = readonly (readonly (CellObject | undefined)[] | undefined)[];

/** What is read of a sheet; SheetJS's types lack the first two. */
export interface SheetCells {
  readonly '!data'?: Grid;
  /** The size of a sheet that was read in part. */
  readonly '!fullref'?: string;
  readonly '!merges'?: WorkSheet['!merges'];
  readonly '!rows'?: readonly ({ readonly hidden?: boolean } | undefined)[];
  readonly '!cols'?: readonly ({ readonly hidden?: boolean } | undefined)[];
}

/** Maximum rows read per sheet; Excel 97 to 2003 had 65 536. Bounds the expansion of repeated ODS rows. */
export const MAX_ROWS_READ = 200_000;
