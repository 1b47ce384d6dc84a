// A sheet as the list of a workbook names it, and how much of the list is read.

import type { Bytes } from '../../../src/contract/index.ts';
import type { BookSheet } from '../book/sheets.ts';

/** A sheet as the workbook lists it. */
export interface SheetEntry {
  readonly name: string;
  readonly state: BookSheet['state'];
  /** Only a `worksheet` holds cells. */
  readonly kind: BookSheet['kind'];
  /** Undefined when the package lacks the part. */
  readonly part: string | undefined;
}

/** Parts read as a whole (workbook, relations, styles, comments) may inflate to this. */
export const MAX_PART_BYTES: Bytes = 32 * 1024 * 1024;
export const MAX_SHEETS = 10_000;
export const MAX_NAME_LENGTH = 255;
