// Where an archive keeps its passages: the few operations that search needs, so that SQLite, PostgreSQL or a Map can be one.
// A store ranks by BM25 or what comes near it; what a query means is decided before.

/** What an entry is. */
export type EntryKind = 'message' | 'result' | 'document';

/** A stretch of an entry, the unit that is found. */
export interface Passage {
  /** Of the entry. */
  readonly id: string;
  readonly kind: EntryKind;
  /** Where it came from: a role, a tool, a path. */
  readonly source: string;
  /** Of its first line in the entry, from 1. */
  readonly line: number;
  readonly text: string;
}

/** A passage in a store. */
export interface StoredPassage extends Passage {
  /** Rises with every passage added. */
  readonly position: number;
}

/** What one alternative of a query looks for. */
export interface Term {
  /**
   * `word`: the word, or a part of a compound. `prefix`: words that start so. `phrase`: these words in a row.
   */
  readonly kind: 'word' | 'prefix' | 'phrase';
  readonly text: string;
}

/** All of these, where each is one of several terms. */
export type Match = readonly (readonly Term[])[];

/** Passages and where they are looked for. Methods may be called at the same time. */
export interface RecallStore {
  /**
   * Appends passages, durably and all or none; those whose `id` and `line` it has stay as they are.
   * @throws {ReaderError} QUOTA_EXCEEDED, BUSY, INTERNAL
   */
  add(passages: readonly Passage[]): Promise<void>;
  /** How many passages there are. */
  size(): Promise<number>;
  /** In how many passages each of `words` occurs; 0 for none. In their order. */
  frequencies(words: readonly string[]): Promise<readonly number[]>;
  /** The most frequent words that start with `prefix`. */
  startingWith(prefix: string, most: number): Promise<readonly string[]>;
  /** Words that contain `word` or share trigrams with it, nearest first. */
  resembling(word: string, most: number): Promise<readonly string[]>;
  /** Passages that match, best first. */
  match(
    match: Match,
    options: { readonly most: number; readonly kind?: EntryKind },
  ): Promise<StoredPassage[]>;
  /** The passages of an entry, in order. */
  entry(id: string): Promise<readonly StoredPassage[]>;
  /** Passages without a vector, oldest first. */
  unembedded(most: number): Promise<readonly StoredPassage[]>;
  embed(vectors: readonly { readonly position: number; readonly vector: Float32Array }[]): Promise<void>;
  /** Passages by the cosine of their vectors, nearest first. */
  nearest(
    vector: Float32Array,
    options: { readonly most: number; readonly kind?: EntryKind },
  ): Promise<StoredPassage[]>;
  close(): Promise<void>;
}
