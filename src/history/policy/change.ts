// A change to one item of a draft, and the pointer to its original that it is made with.

import type { Edit } from '../codecs/message.ts';
import type { Tier } from '../report.ts';

/** Where an original will lie: as placeholders show it, or null while a model cannot reach the storage. */
export type Pointer = string | null;

/** A text as long as any pointer into a transcript, for estimates made before the transcript is. */
export const LONGEST_POINTER: string =
  '/workspace/conversation_history/0123456789ab/0123456789abcdef.md lines 1000000-1000000';

/** A change to one item; `edit` is asked for again once the pointer to the original is known. */
export interface Change {
  /** `note`: all of the item stays, and a line of ours stands below it. */
  readonly tier: Tier | 'repair' | 'note';
  /** The original has a file of its own. */
  readonly hasFile: boolean;
  edit(pointer: Pointer): Edit;
}
