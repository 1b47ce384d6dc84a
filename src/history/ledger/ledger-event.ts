// Decisions about a conversation as data: the content of a state, from which a ledger is rebuilt.

import type { Edit, OpenCall } from '../codecs/message.ts';
import type { Run } from './number-ranges.ts';

/** A message of our own: a notice, or error results for unanswered calls. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** One decision. Entries have unique numbers, assigned in order of appearance. */
export type LedgerEvent =
  /**
   * Messages seen for the first time, by mark. `notice`: index of a notice by another compactor. `folds`: marks that
   * represent several consecutive messages, as in `foldOf`; these are removed, and no list held them any more.
   */
  | {
      readonly type: 'seen';
      readonly marks: readonly string[];
      readonly notice?: number;
      readonly folds?: readonly (readonly [at: number, count: number])[];
    }
  /** A list holds the messages of a fold again; contains their marks. */
  | { readonly type: 'unfolded'; readonly entry: number; readonly marks: readonly string[] }
  /**
   * The caller's list no longer holds the entries from this position on. `shows`: entries that are the newest now and
   * were removed when they were not. `holds`: notices that the list itself holds, by entry and number of layers.
   */
  | {
      readonly type: 'rewound';
      readonly position: number;
      readonly shows?: readonly number[];
      readonly holds?: readonly (readonly [entry: number, layers: number])[];
    }
  /** The message is shown with these edits after its earlier ones. Null: nothing is left of it. */
  | {
      readonly type: 'edited';
      readonly entry: number;
      readonly edits: readonly Edit[];
      readonly mark: string | null;
      /** Entries covered by a notice in this message. */
      readonly covers?: readonly Run[];
    }
  | { readonly type: 'gone'; readonly entries: readonly number[] }
  /**
   * A message of ours before the entry `before`, or at the end if null. It replaces the removed entries of `covers`.
   * `joins`: it belongs to the most recent notice and is removed if that is reverted.
   */
  | {
      readonly type: 'made';
      readonly before: number | null;
      readonly made: Made;
      readonly mark: string;
      readonly covers: readonly Run[];
      readonly joins?: true;
    };
