// The archive as callers use it: adds what an agent has seen, and finds it again.

import { hash } from 'node:crypto';
import {
  checkOptions,
  type OptionNames,
  oneLine,
  plural,
  quoted,
  ReaderError,
  within,
} from '../contract/index.ts';
import { passagesOf } from './passages.ts';
import { search } from './search.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { EntryKind, Passage, RecallStore } from './store.ts';

/** Something an agent said, was given or read. */
export interface RecallEntry {
  readonly text: string;
  readonly kind: EntryKind;
  /** Where it came from: a role, a tool, a path. Up to 200 characters. */
  readonly source: string;
  /** Default: a digest of the other fields. An entry whose `id` is already in the archive is skipped. */
  readonly id?: string;
}

/** A passage found by a search. */
export interface RecallHit {
  /** Id of its entry. */
  readonly id: string;
  readonly kind: EntryKind;
  readonly source: string;
  /** Number of its first line in the entry, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface RecallSearchOptions {
  /** Maximum number of passages. Default 5; values above 50 count as 50. */
  readonly limit?: number;
  readonly kind?: EntryKind;
}

/** Turns up to 64 texts into vectors of finite numbers, all of one length, in the order of the texts. */
export type Embedder = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export interface OpenRecallOptions {
  /** A folder, by convention `.agent_context`, for one SQLite file; or a store of your own. */
  readonly storage: string | RecallStore;
  /**
   * Also finds passages that use other words. Default: words alone. `add` rejects when it fails, with the entries stored; a
   * search then uses words alone, also when it has not answered within 10 seconds.
   */
  readonly embedder?: Embedder;
}

/** An append-only archive and its index. Several processes may open it at the same time. */
export interface Recall {
  /**
   * Adds entries; they are durable when the promise resolves.
   * @throws {ReaderError} BAD_INPUT, QUOTA_EXCEEDED, BUSY, INTERNAL
   */
  add(entries: readonly RecallEntry[]): Promise<void>;
  /**
   * Passages that match `query`, best first. Empty when none does.
   * @throws {ReaderError} BAD_INPUT, BUSY, CORRUPT_FILE, INTERNAL
   */
  search(query: string, options?: RecallSearchOptions): Promise<RecallHit[]>;
  /** The text of an entry; undefined if there is no entry with that id. */
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
/** UTF-16 units in one entry. */
const MAX_TEXT = 20_000_000;
/** UTF-16 units of a query that are read. */
const MAX_QUERY = 4000;
const EMBEDDED_AT_ONCE = 64;
/** How long a search waits for the vector of its query. */
const EMBEDDER_MS = 10_000;
const ID_DIGITS = 24;
/** Passages written in one transaction. Between transactions other processes may write. */
const WRITTEN_AT_ONCE = 500;

/**
 * Opens or makes an archive.
 * @throws {ReaderError} BAD_INPUT, BUSY, CORRUPT_FILE, INTERNAL
 */
export async function openRecall(options: OpenRecallOptions): Promise<Recall> {
  checkOptions('openRecall', options, OPTIONS);
  const { storage, embedder } = options;
  checkStorage(storage);
  if (embedder !== undefined && typeof embedder !== 'function')
    throw bad('`embedder` must be a function.', 'Pass a function from texts to vectors, or leave it out.');
  const store = typeof storage === 'string' ? await openSqliteStore(storage) : storage;
  let closed = false;
  const refuseClosed = (): void => {
    if (closed) throw bad('The archive is closed.', 'Open it again.');
  };
  return {
    add: async (entries) => {
      refuseClosed();
      const passages = await newPassages(store, entries);
      for (let at = 0; at < passages.length; at += WRITTEN_AT_ONCE)
        await store.add(passages.slice(at, at + WRITTEN_AT_ONCE));
      if (embedder) await embedAll(store, embedder);
    },
    search: async (query, searchOptions = {}) => {
      refuseClosed();
      const { limit = DEFAULT_LIMIT, kind } = checkedSearch(query, searchOptions);
      const text = query.slice(0, MAX_QUERY);
      const vector = embedder && (await vectorOf(embedder, text));
      const found = await search(store, {
        query: text,
        most: Math.min(MAX_LIMIT, limit),
        ...(kind !== undefined && { kind }),
        ...(vector && { vector }),
      });
      return found.map(({ id, kind: one, source, line, text: passage }) => ({
        id,
        kind: one,
        source,
        line,
        text: passage,
      }));
    },
    text: async (id) => {
      refuseClosed();
      const passages = await store.entry(id);
      return passages.length === 0 ? undefined : passages.map(({ text }) => text).join('');
    },
    close: async () => {
      closed = true;
      await store.close();
    },
  };
}

/** @throws {ReaderError} BAD_INPUT */
function checkStorage(storage: unknown): void {
  if (typeof storage === 'string' ? storage !== '' : typeof storage === 'object' && storage !== null) return;
  throw bad('`storage` must be the path of a folder, or a store.', 'Pass a path such as `.agent_context`.');
}

/**
 * The passages of those entries that are not in the archive, or only in part.
 * @throws {ReaderError} BAD_INPUT
 */
async function newPassages(store: RecallStore, entries: readonly RecallEntry[]): Promise<Passage[]> {
  if (!Array.isArray(entries)) throw bad('The entries must be an array.', 'Pass the entry in an array.');
  const passages: Passage[] = [];
  const ids = new Set<string>();
  for (const { text, kind, source, id } of entries.map(checkedEntry)) {
    if (ids.has(id)) continue;
    ids.add(id);
    const own = passagesOf(text);
    // The store keeps the passages of an `id` that it has. Those of another text must not be appended to them.
    const stored = own.length > 1 ? await store.entry(id) : [];
    if (stored.every((one) => own[one.part]?.text === one.text))
      for (const one of own) passages.push({ id, kind, source, ...one });
  }
  return passages;
}

/** @throws {ReaderError} BAD_INPUT */
function checkedSearch(query: unknown, options: RecallSearchOptions): RecallSearchOptions {
  checkOptions('recall.search', options, SEARCH_OPTIONS);
  const { limit = DEFAULT_LIMIT, kind } = options;
  if (typeof query !== 'string')
    throw bad(`The query is a value of type ${quoted(typeof query)}; expected a string.`, 'Pass a string.');
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
      `The \`kind\` of an entry is ${quoted(String(kind))}; expected ${ENTRY_KINDS.join(', ')}.`,
      'Choose one of them.',
    );
}

/** The vector of a query; undefined when the embedder fails or does not answer in time: words still find something. */
async function vectorOf(embedder: Embedder, text: string): Promise<Float32Array | undefined> {
  try {
    const [vector] = await within(async () => embedded(embedder, [text]), { timeoutMs: EMBEDDER_MS });
    return vector;
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'BAD_INPUT') throw error;
    return undefined;
  }
}

/** @throws {ReaderError} BAD_INPUT; what the embedder throws */
async function embedded(embedder: Embedder, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const vectors = await embedder(texts);
  const isVector = (one: unknown): boolean =>
    one instanceof Float32Array &&
    one.length > 0 &&
    one.length === vectors[0]?.length &&
    one.every(Number.isFinite);
  if (Array.isArray(vectors) && vectors.length === texts.length && vectors.every(isVector)) return vectors;
  throw bad(
    `The embedder did not return ${plural(texts.length, 'vector')} of finite numbers for ${plural(texts.length, 'text')}.`,
    'Return one `Float32Array` for each text, all of one length.',
  );
}

/** Includes passages that an earlier call could not embed. */
async function embedAll(store: RecallStore, embedder: Embedder): Promise<void> {
  for (;;) {
    const passages = await store.unembedded(EMBEDDED_AT_ONCE);
    if (passages.length === 0) return;
    const vectors = await embedded(
      embedder,
      passages.map(({ text }) => text),
    );
    await store.embed(
      passages.flatMap(({ position }, at) => {
        const vector = vectors[at];
        return vector ? [{ position, vector }] : [];
      }),
    );
  }
}

/** @throws {ReaderError} BAD_INPUT */
function checkedEntry(entry: RecallEntry): Required<RecallEntry> {
  if (typeof entry !== 'object' || entry === null)
    throw bad('An entry must be an object.', 'Pass `text`, `kind` and `source`.');
  const { text, kind, source, id } = entry;
  if (typeof text !== 'string' || text.length > MAX_TEXT)
    throw bad(
      `The \`text\` of an entry must be a string of at most ${MAX_TEXT} characters.`,
      'Shorten it, or add it in parts.',
    );
  checkKind(kind);
  if (typeof source !== 'string' || source === '' || source.length > MAX_SOURCE)
    throw bad(
      `The \`source\` of an entry must be a string of 1 to ${MAX_SOURCE} characters.`,
      'Name the role, tool or path that the entry came from.',
    );
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id)))
    throw bad(
      'The `id` of an entry must be a string of 1 to 200 characters on one line.',
      'Shorten it, or leave it out.',
    );
  const digest = (): string =>
    hash('sha256', JSON.stringify([kind, source, text]), 'hex').slice(0, ID_DIGITS);
  return { text, kind, source: oneLine(source), id: id ?? digest() };
}

const bad = (message: string, hint: string): ReaderError => new ReaderError('BAD_INPUT', message, hint);
