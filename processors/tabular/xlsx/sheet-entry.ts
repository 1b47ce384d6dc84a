// A sheet as listed in a workbook, and the size limit of small parts.

import type { Bytes } from '../../../src/contract/index.ts';
import type { BookSheet } from '../book/sheets.ts';

/** A sheet as listed in the workbook. */
export interface SheetEntry {
  readonly name: string;
  readonly state: BookSheet['state'];
  /** Only a `worksheet` has cells. */
  readonly kind: BookSheet['kind'];
  /** Undefined if the package lacks the part. */
  readonly part: string | undefined;
}

/** Maximum inflated size of parts that are read whole (workbook, relationships, styles, comments). */
export const MAX_PART_BYTES: Bytes = 32 * 1024 * 1024;
export const MAX_SHEETS = 10_000;
export const MAX_NAME_LENGTH = 255;
