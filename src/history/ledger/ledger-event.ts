// Decisions about a conversation as data: what a state holds, and what a ledger is made from again.

import type { Edit, OpenCall } from '../codecs/message.ts';
import type { Run } from './number-ranges.ts';

/** A message of ours: a notice, or error results for calls that never got one. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** One decision. Entries are named by their number, given in the order they come up and never again. */
export type LedgerEvent =
  /**
   * Messages seen for the first time, by their marks. `notice`: which of them is a notice of another compactor. `folds`: which
   * of the marks are of so many messages in a row, as `foldOf`: these are gone, and no list held them any more.
   */
  | {
      readonly type: 'seen';
      readonly marks: readonly string[];
      readonly notice?: number;
      readonly folds?: readonly (readonly [at: number, count: number])[];
    }
  /** A list holds the messages of a fold again, by their marks. */
  | { readonly type: 'unfolded'; readonly entry: number; readonly marks: readonly string[] }
  /**
   * The caller's list no longer holds the entries from this position on. `shows`: entries that are newest now, and were
   * taken away when they were not. `holds`: notices that the list itself holds, by entry and its layers.
   */
  | {
      readonly type: 'rewound';
      readonly position: number;
      readonly shows?: readonly number[];
      readonly holds?: readonly (readonly [entry: number, layers: number])[];
    }
  /** The message is shown with these edits, after those it had. Null: nothing of it was left. */
  | {
      readonly type: 'edited';
      readonly entry: number;
      readonly edits: readonly Edit[];
      readonly mark: string | null;
      /** Entries that a notice in this message stands for. */
      readonly covers?: readonly Run[];
    }
  | { readonly type: 'gone'; readonly entries: readonly number[] }
  /**
   * A message of ours stands before `before`, and for what is gone of the entries of `covers`. Null: at the end. `joins`: it
   * is there for the sake of the notice that came up last, and goes when that is taken back.
   */
  | {
      readonly type: 'made';
      readonly before: number | null;
      readonly made: Made;
      readonly mark: string;
      readonly covers: readonly Run[];
      readonly joins?: true;
    };
