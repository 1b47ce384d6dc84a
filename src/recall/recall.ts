// The archive as a caller holds it: everything an agent has seen goes in, and what it needs again comes out.

import { hash } from 'node:crypto';
import { checkOptions, type OptionNames, oneLine, quoted, ReaderError } from '../contract/index.ts';
import { passagesOf } from './passages.ts';
import { search } from './search.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { EntryKind, RecallStore } from './store.ts';

/** Something an agent said, was given or read. */
export interface RecallEntry {
  readonly text: string;
  readonly kind: EntryKind;
  /** Where it came from, in a few words: a role, a tool, a path. Up to 200 characters. */
  readonly source: string;
  /** Names the entry. Default: a digest of the other fields. What has a name that is there already is not added again. */
  readonly id?: string;
}

/** A passage that was found. */
export interface RecallHit {
  /** Of its entry. */
  readonly id: string;
  readonly kind: EntryKind;
  readonly source: string;
  /** Of its first line in the entry, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface RecallSearchOptions {
  /** Passages at most. Default 5, at most 50. */
  readonly limit?: number;
  readonly kind?: EntryKind;
}

/** Turns texts into vectors of one length, in their order. Called with up to 64 texts. */
export type Embedder = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export interface OpenRecallOptions {
  /** A folder, by convention `.agent_context`, where the archive is one SQLite file; or a store of your own. */
  readonly storage: string | RecallStore;
  /** Finds what is said in other words as well. Default: words alone. */
  readonly embedder?: Embedder;
}

/** An append-only archive and its index. Several processes may have it open. */
export interface Recall {
  /**
   * Adds entries; they are durable when the promise resolves.
   * @throws {ReaderError} BAD_INPUT, QUOTA_EXCEEDED, BUSY, INTERNAL
   */
  add(entries: readonly RecallEntry[]): Promise<void>;
  /** Passages that hold what `query` asks for, best first. Empty when there are none. */
  search(query: string, options?: RecallSearchOptions): Promise<RecallHit[]>;
  /** The text of an entry; undefined if no entry has that name. */
  text(id: string): Promise<string | undefined>;
  close(): Promise<void>;
}

const OPTIONS: OptionNames<OpenRecallOptions> = { storage: true, embedder: true };
const SEARCH_OPTIONS: OptionNames<RecallSearchOptions> = { limit: true, kind: true };
export const ENTRY_KINDS: readonly EntryKind[] = ['message', 'result', 'document'];

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;
const MAX_SOURCE = 200;
const ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
/** UTF-16 units of one entry. */
const MAX_TEXT = 20_000_000;
/** What more a query says is not read. */
const MAX_QUERY = 4000;
const EMBEDDED_AT_ONCE = 64;
const ID_DIGITS = 24;
/** Passages written in one transaction, so that other processes get their turn. */
const WRITTEN_AT_ONCE = 500;

/**
 * Opens or makes an archive.
 * @throws {ReaderError} BAD_INPUT, BUSY, CORRUPT_FILE, INTERNAL
 */
export async function openRecall(options: OpenRecallOptions): Promise<Recall> {
  checkOptions('openRecall', options, OPTIONS);
  const { storage, embedder } = options;
  const store = typeof storage === 'string' ? await openSqliteStore(storage) : storage;
  return {
    add: async (entries) => {
      const passages = entries
        .map(checkedEntry)
        .flatMap(({ text, kind, source, id }) =>
          passagesOf(text).map((passage) => ({ id, kind, source, ...passage })),
        );
      for (let at = 0; at < passages.length; at += WRITTEN_AT_ONCE)
        await store.add(passages.slice(at, at + WRITTEN_AT_ONCE));
      if (embedder) await embedAll(store, embedder);
    },
    search: async (query, searchOptions = {}) => {
      const { limit = DEFAULT_LIMIT, kind } = checkedSearch(query, searchOptions);
      const text = query.slice(0, MAX_QUERY);
      const [vector] = embedder ? await embedder([text]) : [];
      const found = await search(store, {
        query: text,
        most: Math.min(MAX_LIMIT, limit),
        ...(kind !== undefined && { kind }),
        ...(vector && { vector }),
      });
      return found.map(({ position: _, ...hit }) => hit);
    },
    text: async (id) => {
      const passages = await store.entry(id);
      return passages.length === 0 ? undefined : passages.map(({ text }) => text).join('');
    },
    close: () => store.close(),
  };
}

/** @throws {ReaderError} BAD_INPUT */
function checkedSearch(query: unknown, options: RecallSearchOptions): RecallSearchOptions {
  checkOptions('recall.search', options, SEARCH_OPTIONS);
  const { limit = DEFAULT_LIMIT, kind } = options;
  if (typeof query !== 'string')
    throw bad(`The query is a value of type ${quoted(typeof query)}.`, 'Pass a text.');
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw bad(
      `\`limit\` is ${quoted(String(limit))}; expected a whole number of 1 or more.`,
      'Set `limit` to a whole number, or leave it out.',
    );
  if (kind !== undefined) checkKind(kind);
  return options;
}

function checkKind(kind: EntryKind): void {
  if (!ENTRY_KINDS.includes(kind))
    throw bad(
      `The \`kind\` of an entry is ${quoted(String(kind))}.`,
      `Choose from ${ENTRY_KINDS.join(', ')}.`,
    );
}

/** Also what an earlier call could not embed. */
async function embedAll(store: RecallStore, embedder: Embedder): Promise<void> {
  for (;;) {
    const passages = await store.unembedded(EMBEDDED_AT_ONCE);
    if (passages.length === 0) return;
    const vectors = await embedder(passages.map(({ text }) => text));
    await store.embed(
      passages.map(({ position }, at) => {
        const vector = vectors[at];
        if (vector instanceof Float32Array) return { position, vector };
        throw new ReaderError(
          'BAD_INPUT',
          `The embedder gave ${vectors.length} vectors for ${passages.length} texts.`,
          'Return one `Float32Array` for each text.',
        );
      }),
    );
  }
}

/** @throws {ReaderError} BAD_INPUT */
function checkedEntry({ text, kind, source, id }: RecallEntry): Required<RecallEntry> {
  if (typeof text !== 'string' || text.length > MAX_TEXT)
    throw bad(
      `The \`text\` of an entry is not a text of at most ${MAX_TEXT} characters.`,
      'Shorten it, or add it in parts.',
    );
  checkKind(kind);
  if (typeof source !== 'string' || source === '' || source.length > MAX_SOURCE)
    throw bad(
      `The \`source\` of an entry is not a text of 1 to ${MAX_SOURCE} characters.`,
      'Name where the entry came from, in a few words.',
    );
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id)))
    throw bad(
      'The `id` of an entry is not a text of 1 to 200 characters on one line.',
      'Shorten it, or leave it out.',
    );
  const digest = (): string =>
    hash('sha256', JSON.stringify([kind, source, text]), 'hex').slice(0, ID_DIGITS);
  return { text, kind, source: oneLine(source), id: id ?? digest() };
}

const bad = (message: string, hint: string): ReaderError => new ReaderError('BAD_INPUT', message, hint);
