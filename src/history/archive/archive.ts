// Originals in a storage: written and read back before anything is replaced, and given back byte for byte. It keeps no state
// of its own: a new process with the same storage restores what another one saved.

import { type ErrorCode, errnoOf, plural, quoted, ReaderError, within } from '../../contract/index.ts';
import { refuseAborted } from '../problem.ts';
import { CONVERSATION_ID_PATTERN } from './conversation-id.ts';
import { sha256Of, survivesUtf8, wellFormed } from './exact-text.ts';
import {
  type ArchivedMessage,
  CONVERSATION_FOLDER,
  ID_DIGITS,
  MOST_CHARACTERS,
  parseSegment,
  refuseMissing,
  type Segment,
  type SegmentFile,
  type SegmentText,
  segmentOf,
  stretchesOf,
  type TextPointer,
} from './segment.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './storage.ts';

export type { ArchivedMessage } from './segment.ts';

/** Folder of single tool results in a storage. */
export const OUTPUT_FOLDER = 'tool_outputs';
/** Characters of a tool's name in a file name. */
const MAX_SLUG = 40;
/** A pointer is a path of ours, a place in it, and what a storage's `shownAs` puts before it. */
const MAX_POINTER = 4096;
/** A larger segment, of one message that is longer, is parsed again for every pointer: it would hold too much memory. */
const MOST_HELD = 4 * MOST_CHARACTERS;

/** Messages that were archived. */
export interface Kept {
  /** Of the first of them; where they are parted, it names where it goes on at its end. */
  readonly markdownPath: string;
  /** Of a message, counted from 0. */
  pointer(message: number): string;
  /** Of a text by message and item of its view, both from 0; of the whole message where the item has no text. */
  textPointer(message: number, item: number): TextPointer;
}

/** A tool result kept as a file of its own. */
export interface Offloaded {
  readonly path: string;
  /** As `restore` takes it. */
  readonly pointer: string;
  /** As a placeholder shows it. */
  readonly shown: string;
  /** Of the text, in hex. */
  readonly sha256: string;
}

/** An original. */
export interface Restored {
  readonly kind: 'text' | 'message';
  /** Of `text`, in hex; checked. */
  readonly sha256: string;
  /** The text, or the message as JSON. */
  readonly text: string;
  /** Of a message: its JSON values, as `codec.encode` gave them. */
  readonly message?: unknown;
}

export interface ArchiveOptions {
  /** The conversation whose folders take the files. Default: none; the files are then shared, and `prune` removes nothing. */
  readonly owner?: string | null;
  /** For one operation of the storage. */
  readonly timeoutMs?: number;
}

/** A segment's JSON file, checked and parsed. */
interface OpenSegment {
  readonly jsonPath: string;
  readonly json: string;
  readonly content: SegmentFile;
  /** By `FIRST-LAST`. */
  readonly texts: ReadonlyMap<string, SegmentText>;
}

/** A read that several restores wait for. The last of them to leave ends it. */
interface SharedRead {
  readonly text: Promise<string | null>;
  readonly unwanted: AbortController;
  waiting: number;
}

/** Originals of one conversation, in folders of its own; it restores those of any. Files are named by content. */
export class Archive {
  readonly #storage: HistoryStorage;
  readonly #owner: string | null;
  readonly #timeoutMs: number;
  /** The segment parsed last: pointers are mostly restored one after another. The file is read and compared all the same. */
  #held: OpenSegment | null = null;
  /** Files being read: many pointers restored at once into one file read it once. */
  readonly #reading = new Map<string, SharedRead>();
  /** Removals that have not ended: one that ends late must not take what was written since. */
  readonly #removing = new Map<string, Promise<void>>();

  constructor(
    storage: HistoryStorage,
    { owner = null, timeoutMs = STORAGE_TIMEOUT_MS }: ArchiveOptions = {},
  ) {
    this.#storage = storage;
    this.#owner = owner;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Keeps `messages` in files and reads those back: in one segment, or several where they are many. Once it returns, every
   * pointer restores. Same messages, same files.
   * @throws {ReaderError} BAD_INPUT for a message that is no JSON; LIMIT_EXCEEDED for one longer than a string can be;
   * QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT, or INTERNAL where the storage fails or gives back something else; ABORTED
   */
  async keep(
    messages: readonly ArchivedMessage[],
    codec: string | null = null,
    signal?: AbortSignal,
  ): Promise<Kept> {
    let next: string | null = null;
    let kept: Kept | null = null;
    for (const stretch of stretchesOf(messages)) {
      const folder = this.#folder(CONVERSATION_FOLDER);
      const segment: Segment = segmentOf(stretch, codec, (path) => this.#shown(path), next, folder);
      await this.#save(segment, signal);
      next = segment.id;
      kept = followedBy(segment, stretch.messages.length, kept);
    }
    if (kept) return kept;
    throw new ReaderError('INTERNAL', 'Messages went into no segment.', 'Report this as a defect.');
  }

  async #save(
    { id, json, jsonPath, markdown, markdownPath }: Segment,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#write(markdownPath, markdown, () => false, signal);
    await this.#write(jsonPath, json, (other) => sha256Of(other).startsWith(id), signal);
  }

  #folder(folder: string): string {
    return this.#owner === null ? folder : `${folder}/${this.#owner}`;
  }

  /** Where the result `text` of a tool goes. The tool may be called anything: the name is short, safe and its content's own. */
  offloaded(toolName: string | null, text: string): Offloaded {
    const sha256 = sha256Of(text);
    const name = `${slug(toolName ?? '')}-${sha256.slice(0, ID_DIGITS)}.txt`;
    const path = `${this.#folder(OUTPUT_FOLDER)}/${name}`;
    return { path, pointer: path, shown: this.#shown(path), sha256 };
  }

  /**
   * Keeps `text` where `offloaded` said, and reads it back. A text that a file of UTF-8 cannot hold lies readable in that
   * file and exact in a JSON file beside it.
   * @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT, or INTERNAL where the storage fails or gives back
   * something else; ABORTED
   */
  async offload({ path, sha256 }: Offloaded, text: string, signal?: AbortSignal): Promise<void> {
    const isOther = (other: string): boolean => sha256Of(other).startsWith(sha256.slice(0, ID_DIGITS));
    await this.#write(path, readable(text), isOther, signal);
    if (!survivesUtf8(text)) await this.#write(besideOf(path), exactFile(text), () => false, signal);
  }

  /**
   * The original that a pointer names: one of `Segment`, of `Offloaded`, or as a placeholder shows it (`PATH lines A-B`).
   * A path alone gives its whole file.
   * @throws {ReaderError} BAD_INPUT for what is no pointer or names no text; FILE_NOT_FOUND; CORRUPT_FILE where the file is
   * not what was saved; ACCESS_DENIED, TIMED_OUT or INTERNAL where the storage fails; ABORTED
   */
  async restore(pointer: string, signal?: AbortSignal): Promise<Restored> {
    const target = await this.#parsed(pointer, signal);
    if (target.folder === OUTPUT_FOLDER) return this.#restoreOutput(target.path, signal);
    const segment = await this.#opened(target, signal);
    if (target.message !== null) return restoredMessage(pointer, segment.content, target);
    if (target.lines === null && target.path.endsWith('.json'))
      return { kind: 'text', sha256: sha256Of(segment.json), text: segment.json };
    return this.#restoreText(pointer, target, segment, signal);
  }

  /**
   * Removes files of the owner that neither `referenced` (paths and pointers into them) nor the texts `given`, and the files
   * these name, refer to; the files of a segment stay or go together. Files of other conversations, of no owner, and of other names are left alone.
   * @returns paths removed, sorted
   * @throws {ReaderError} ACCESS_DENIED, TIMED_OUT or INTERNAL where the storage cannot list; a file it cannot remove stays;
   * ABORTED
   */
  async prune(
    referenced: ReadonlySet<string>,
    given: readonly string[] = [],
    signal?: AbortSignal,
  ): Promise<string[]> {
    if (this.#owner === null) return [];
    const keep = new Set<string>();
    for (const pointer of referenced) {
      const path = (await this.#found(pointer, signal))?.path;
      if (path !== undefined) keep.add(stemOf(path));
    }
    const paths: string[] = [];
    for (const folder of [this.#folder(OUTPUT_FOLDER), this.#folder(CONVERSATION_FOLDER)])
      for (const path of await this.#list(folder, signal))
        if (path.startsWith(`${folder}/`) && OURS.test(path) && !keep.has(stemOf(path))) paths.push(path);
    const removed: string[] = [];
    for (const path of (await this.#unnamed(paths, given, signal)).sort()) {
      try {
        await this.#ask(`${quoted(path)} could not be removed`, () => this.#remove(path), signal);
        removed.push(path);
      } catch (error) {
        // The file stays, and the next prune finds it again. A storage that hangs would make every other file wait as long.
        if (error instanceof ReaderError && error.code === 'ABORTED') throw error;
        if (error instanceof ReaderError && error.code === 'TIMED_OUT') break;
      }
    }
    return removed;
  }

  async #remove(path: string): Promise<void> {
    const removal = (async () => this.#storage.remove(path))();
    const ended = removal
      .catch(() => undefined)
      .finally(() => {
        if (this.#removing.get(path) === ended) this.#removing.delete(path);
      });
    this.#removing.set(path, ended);
    return removal;
  }

  /**
   * One operation of the storage, waited for as long as it may take.
   * @throws {ReaderError} as `storageError`; ABORTED
   */
  async #ask<T>(
    failing: string,
    work: () => T | PromiseLike<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await within(work, { signal, timeoutMs: this.#timeoutMs });
    } catch (error) {
      refuseAborted(signal);
      throw storageError(error, failing);
    }
  }

  async #write(
    path: string,
    text: string,
    isOther: (found: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const removal = this.#removing.get(path);
    if (removal) await this.#ask(`${quoted(path)} is still being removed`, () => removal, signal);
    const before = await this.#read(path, signal);
    if (before === text) return;
    if (before !== null && isOther(before))
      throw new ReaderError(
        'INTERNAL',
        `${quoted(path)} holds another original whose name is the same.`,
        'Give the compactor a storage of its own.',
      );
    await this.#ask(`${quoted(path)} could not be written`, () => this.#storage.write(path, text), signal);
    const after = await this.#read(path, signal);
    if (after === text) return;
    throw new ReaderError(
      'INTERNAL',
      after === null
        ? `${quoted(path)} was written, and is not there when read back.`
        : `${quoted(path)} reads back as another text than was written (${after.length} of ${text.length} characters).`,
      'Check the storage: it must keep texts as they are.',
    );
  }

  /**
   * The `paths` that no text names, neither of `texts` nor of a file that a text names: a list may be newer than the state
   * that was saved beside it.
   */
  async #unnamed(
    paths: readonly string[],
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const rest = new Set(paths);
    const pending = [...texts];
    for (let text = pending.pop(); text !== undefined && rest.size > 0; text = pending.pop())
      for (const path of [...rest]) {
        if (!text.includes(stemOf(this.#shown(path)))) continue;
        rest.delete(path);
        const named = await this.#readOnce(path, signal);
        if (named !== null) pending.push(named);
      }
    return [...rest];
  }

  async #readOnce(path: string, signal: AbortSignal | undefined): Promise<string | null> {
    const shared = this.#reading.get(path) ?? this.#startReading(path);
    shared.waiting += 1;
    try {
      // Others may wait for the same file: the signal of one ends its own wait alone.
      return await within(() => shared.text, { signal });
    } catch (error) {
      refuseAborted(signal);
      throw error;
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (this.#reading.get(path) === shared) this.#reading.delete(path);
        shared.unwanted.abort();
      }
    }
  }

  #startReading(path: string): SharedRead {
    const unwanted = new AbortController();
    const shared = { text: this.#read(path, unwanted.signal), unwanted, waiting: 0 };
    this.#reading.set(path, shared);
    return shared;
  }

  async #read(path: string, signal?: AbortSignal): Promise<string | null> {
    const text: unknown = await this.#ask(
      `${quoted(path)} could not be read`,
      () => this.#storage.read(path),
      signal,
    );
    if (text === null || text === undefined) return null;
    if (typeof text === 'string') return text;
    throw new ReaderError(
      'INTERNAL',
      `The storage gives ${quoted(path)} as ${typeof text}; expected a text or null.`,
      'Decode files as UTF-8 in `read`.',
    );
  }

  #list(folder: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    return this.#ask(`${quoted(folder)} could not be listed`, () => this.#storage.list(folder), signal);
  }

  #shown(path: string): string {
    return this.#storage.shownAs?.(path) ?? path;
  }

  async #parsed(pointer: unknown, signal: AbortSignal | undefined): Promise<Target> {
    const target = typeof pointer === 'string' ? await this.#found(pointer, signal) : null;
    if (target) return target;
    throw new ReaderError(
      'BAD_INPUT',
      `${typeof pointer === 'string' ? quoted(pointer) : `\`${typeof pointer}\``} is no pointer; expected one like \`${CONVERSATION_FOLDER}/3f9a1c2b7d0e4a55.md lines 120-420\`.`,
      'Copy the pointer as the placeholder or the report has it.',
    );
  }

  /** Where a pointer leads; null for what is none. */
  async #found(given: string, signal: AbortSignal | undefined): Promise<Target | null> {
    if (given.length > MAX_POINTER) return null;
    const pointer = given.trim();
    const place = PLACE.exec(pointer);
    const name = place ? pointer.slice(0, place.index) : pointer;
    const path = OURS_AT_END.exec(name)?.[0];
    if (path !== undefined && (name === path || name === `./${path}` || name === this.#shown(path)))
      return targetOf(path, place);
    if (this.#storage.shownAs === undefined) return null;
    // A storage may show a path as something that does not hold it.
    const folders = new Set([OUTPUT_FOLDER, CONVERSATION_FOLDER].flatMap((one) => [one, this.#folder(one)]));
    for (const folder of folders)
      for (const one of await this.#list(folder, signal))
        if (OURS.test(one) && this.#shown(one) === name) return targetOf(one, place);
    return null;
  }

  async #restoreOutput(path: string, signal: AbortSignal | undefined): Promise<Restored> {
    const id = stemOf(path).slice(-ID_DIGITS);
    const text = path.endsWith('.json') ? null : await this.#read(path, signal);
    const sha256 = text === null ? '' : sha256Of(text);
    if (text !== null && sha256.startsWith(id)) return { kind: 'text', sha256, text };
    const beside = await this.#read(besideOf(path), signal);
    const exact = beside === null ? null : exactIn(beside);
    if (exact !== null && sha256Of(exact).startsWith(id))
      return { kind: 'text', sha256: sha256Of(exact), text: exact };
    throw text === null && beside === null ? notFound(path) : corrupt(path);
  }

  async #opened({ path }: Target, signal: AbortSignal | undefined): Promise<OpenSegment> {
    const jsonPath = `${stemOf(path)}.json`;
    const json = await this.#readOnce(jsonPath, signal);
    if (json === null) throw notFound(jsonPath);
    if (this.#held?.jsonPath === jsonPath && this.#held.json === json) return this.#held;
    const id = stemOf(path).slice(-ID_DIGITS);
    const content = sha256Of(json).startsWith(id) ? parseSegment(json) : null;
    if (content === null) throw corrupt(jsonPath);
    const texts = new Map<string, SegmentText>();
    for (const text of content.texts) {
      const lines = text.lines.join('-');
      if (!texts.has(lines)) texts.set(lines, text);
    }
    const segment = { jsonPath, json, content, texts };
    this.#held = json.length <= MOST_HELD ? segment : null;
    return segment;
  }

  async #restoreText(
    pointer: string,
    { path, lines }: Target,
    segment: OpenSegment,
    signal: AbortSignal | undefined,
  ): Promise<Restored> {
    const { content, texts } = segment;
    const entry = lines && texts.get(lines.join('-'));
    if (lines && !entry)
      refuseMissing(pointer, `${plural(content.texts.length, 'text')}, none on these lines alone`);
    if (entry?.exact !== undefined && sha256Of(entry.exact) === entry.sha256)
      return { kind: 'text', sha256: entry.sha256, text: entry.exact };
    const markdown = await this.#readOnce(path, signal);
    if (markdown === null) throw notFound(path);
    const text = entry ? markdown.slice(entry.from, entry.to) : markdown;
    const sha256 = sha256Of(text);
    if (sha256 === (entry ? entry.sha256 : content.markdown)) return { kind: 'text', sha256, text };
    throw corrupt(
      path,
      entry ? `Restore \`${stemOf(path)}.json#${entry.message + 1}\`: the whole message as JSON.` : undefined,
    );
  }
}

/** A segment of `count` messages, and what was kept of those after them. */
function followedBy({ markdownPath, pointer, textPointer }: Segment, count: number, rest: Kept | null): Kept {
  return {
    markdownPath,
    pointer: (message) =>
      rest !== null && message >= count ? rest.pointer(message - count) : pointer(message),
    textPointer: (message, item) =>
      rest !== null && message >= count
        ? rest.textPointer(message - count, item)
        : textPointer(message, item),
  };
}

/** What a pointer names. */
interface Target {
  readonly path: string;
  readonly folder: string;
  /** From 1. */
  readonly message: number | null;
  readonly lines: readonly [first: number, last: number] | null;
}

const OWNER = `(?:${CONVERSATION_ID_PATTERN}/)?`;
const NAME = String.raw`(?:tool_outputs/${OWNER}[a-z0-9-]{1,40}-[0-9a-f]{16}\.(?:txt|json)|conversation_history/${OWNER}[0-9a-f]{16}\.(?:json|md))`;
const OURS = new RegExp(`^${NAME}$`);
const OURS_AT_END = new RegExp(`${NAME}$`);
const PLACE = /(?:#(?<message>[1-9]\d{0,8})|(?::| lines? )(?<first>[1-9]\d{0,9})-(?<last>[1-9]\d{0,9}))$/;

/** Null where the place is none of that kind of file. */
function targetOf(path: string, place: RegExpExecArray | null): Target | null {
  const folder = path.slice(0, path.indexOf('/'));
  const { message, first, last } = place?.groups ?? {};
  if (message !== undefined && (folder !== CONVERSATION_FOLDER || !path.endsWith('.json'))) return null;
  if (first !== undefined && !path.endsWith('.md')) return null;
  return {
    path,
    folder,
    message: message === undefined ? null : Number(message),
    lines: first === undefined || last === undefined ? null : [Number(first), Number(last)],
  };
}

const stemOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
const besideOf = (path: string): string => `${stemOf(path)}.json`;

/** At most 40 of `a-z`, `0-9` and `-`. */
function slug(toolName: string): string {
  const words = toolName
    .slice(0, 200)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, MAX_SLUG).replace(/-$/, '') || 'tool';
}

/** `text` as a file of UTF-8 shows it. */
function readable(text: string): string {
  return wellFormed(text.replace(/^\ufeff+/, ''));
}

function exactFile(text: string): string {
  return `${JSON.stringify({ version: 1, text })}\n`;
}

function exactIn(file: string): string | null {
  try {
    const value: unknown = JSON.parse(file);
    // A property of whatever it is; looked at before it is used.
    const text = typeof value === 'object' && value !== null ? (value as { text?: unknown }).text : null;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}

function restoredMessage(pointer: string, content: SegmentFile, { path, message }: Target): Restored {
  const entry = content.messages[(message ?? 0) - 1];
  if (entry === undefined) return refuseMissing(pointer, plural(content.messages.length, 'message'));
  const text = JSON.stringify(entry.message);
  if (sha256Of(text) !== entry.sha256) throw corrupt(path);
  // A copy of its own: the next to restore it finds it as it was.
  return { kind: 'message', sha256: entry.sha256, text, message: JSON.parse(text) };
}

function notFound(path: string): ReaderError {
  return new ReaderError(
    'FILE_NOT_FOUND',
    `There is no archived file ${quoted(path)}.`,
    'Open the archive over the storage it was saved in.',
  );
}

function corrupt(
  path: string,
  hint: string = 'Take the file back from a backup of the storage.',
): ReaderError {
  return new ReaderError('CORRUPT_FILE', `${quoted(path)} is not what was saved: its SHA-256 differs.`, hint);
}

type StorageFault = Extract<ErrorCode, 'QUOTA_EXCEEDED' | 'ACCESS_DENIED' | 'TIMED_OUT' | 'INTERNAL'>;

const FAULTS: Readonly<Record<string, StorageFault>> = {
  ENOSPC: 'QUOTA_EXCEEDED',
  EDQUOT: 'QUOTA_EXCEEDED',
  EFBIG: 'QUOTA_EXCEEDED',
  EROFS: 'ACCESS_DENIED',
  EACCES: 'ACCESS_DENIED',
  EPERM: 'ACCESS_DENIED',
  QUOTA_EXCEEDED: 'QUOTA_EXCEEDED',
  LIMIT_EXCEEDED: 'QUOTA_EXCEEDED',
  ACCESS_DENIED: 'ACCESS_DENIED',
  PATH_ESCAPES_WORKSPACE: 'ACCESS_DENIED',
  TIMED_OUT: 'TIMED_OUT',
  ETIMEDOUT: 'TIMED_OUT',
};

const REASONS: Readonly<Record<StorageFault, readonly [reason: string, hint: string]>> = {
  QUOTA_EXCEEDED: ['there is no room left', 'Remove files from the storage, or raise its quota.'],
  ACCESS_DENIED: ['the storage does not allow it', 'Give the compactor a storage it may write to.'],
  TIMED_OUT: ['the storage did not answer in time', 'Check the storage, or raise `storageTimeoutMs`.'],
  INTERNAL: ['the storage failed', 'Check the storage; the cause is attached to this error.'],
};

/** Whatever a storage threw, without its words: they may name places of the host. */
function storageError(error: unknown, what: string): ReaderError {
  const code = FAULTS[(error instanceof ReaderError ? error.code : errnoOf(error)) ?? ''] ?? 'INTERNAL';
  const [reason, hint] = REASONS[code];
  return new ReaderError(code, `${what}: ${reason}.`, hint, error);
}
