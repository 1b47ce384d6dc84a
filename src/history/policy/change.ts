// A change to one item of a draft, made with a pointer to its original.

import type { Edit } from '../codecs/message.ts';
import type { Tier } from '../report.ts';

/** Where the original will be stored, as shown in placeholders; null if the model cannot reach the storage. */
export type Pointer = string | null;

/** As long as any transcript pointer can be. Used for estimates before the transcript exists. */
export const LONGEST_POINTER: string =
  '/workspace/conversation_history/0123456789ab/0123456789abcdef.md lines 1000000-1000000';

/** A change to one item. `edit` is called again once the pointer to the original is known. */
export interface Change {
  /** `note`: the item stays whole and a line is added below it. */
  readonly tier: Tier | 'repair' | 'note';
  /** The original has its own file. */
  readonly hasFile: boolean;
  edit(pointer: Pointer): Edit;
}
