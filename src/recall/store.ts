// Where an archive keeps its passages: the few operations that search needs, so that SQLite, PostgreSQL or a Map can
// implement it. A store ranks by BM25 or a similar measure; `search.ts` interprets the query.

/** What an entry is. */
export type EntryKind = 'message' | 'result' | 'document';

/** A section of an entry: the unit that a search returns. */
export interface Passage {
  /** Of the entry. */
  readonly id: string;
  readonly kind: EntryKind;
  /** Where it came from: a role, a tool, a path. */
  readonly source: string;
  /** Its place among the passages of the entry, from 0. A long line takes several passages. */
  readonly part: number;
  /** Number of its first line in the entry, from 1. */
  readonly line: number;
  readonly text: string;
}

/** A passage in a store. */
export interface StoredPassage extends Passage {
  /** Increases with every passage added. */
  readonly position: number;
}

/** One alternative of a query. */
export interface Term {
  /**
   * `word`: the word, or a part of a compound. `prefix`: words that start with the text. `phrase`: its words in this order, adjacent.
   */
  readonly kind: 'word' | 'prefix' | 'phrase';
  readonly text: string;
}

/** Every group must match; a group matches when one of its terms does. */
export type Match = readonly (readonly Term[])[];

/** Stores and finds passages. Methods may be called concurrently. */
export interface RecallStore {
  /**
   * Appends passages, durably and all or none. Skips those whose `id` and `part` it already has.
   * @throws {ReaderError} QUOTA_EXCEEDED, BUSY, INTERNAL
   */
  add(passages: readonly Passage[]): Promise<void>;
  /** Number of passages. */
  size(): Promise<number>;
  /** Number of passages that contain each of `words`, in their order. */
  frequencies(words: readonly string[]): Promise<readonly number[]>;
  /** The most frequent words that start with `prefix`. */
  startingWith(prefix: string, most: number): Promise<readonly string[]>;
  /** Words that contain `word` or share trigrams with it, most similar first. */
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
  /** Passages by the cosine similarity of their vectors, most similar first. */
  nearest(
    vector: Float32Array,
    options: { readonly most: number; readonly kind?: EntryKind },
  ): Promise<StoredPassage[]>;
  close(): Promise<void>;
}
