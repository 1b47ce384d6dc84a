// Archives originals in a storage: written and read back before anything is replaced, and restored byte for byte.
// Stateless: a new process with the same storage can restore what another saved.

import { ReaderError } from '../../contract/index.ts';
import { CheckedStorage } from './checked-storage.ts';
import { sha256Of } from './exact-text.ts';
import { findPointer, folderOf, OURS, OUTPUT_FOLDER, parsePointer, stemOf } from './pointer.ts';
import type { Restored } from './restored.ts';
import {
  type ArchivedMessage,
  CONVERSATION_FOLDER,
  ID_DIGITS,
  type Segment,
  segmentOf,
  stretchesOf,
} from './segment.ts';
import { SegmentReader } from './segment-reader.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './storage.ts';
import { type Offloaded, restoreOutput, slug, writeOutput } from './tool-output.ts';

export type { ArchivedMessage } from './segment.ts';

/** Archived messages: their first segment, and pointers into all. If there are several, each names the next at its end. */
export interface Kept extends Pick<Segment, 'markdownPath' | 'shownMarkdown' | 'pointer' | 'textPointer'> {
  /** The JSON files; the first names the `earlier` files. */
  readonly files: readonly string[];
}

export interface ArchiveOptions {
  /**
   * The conversation whose folders contain the files. Default: none; the files are then shared, and `prune` removes
   * nothing.
   */
  readonly owner?: string | null;
  /** Timeout for each storage operation. */
  readonly timeoutMs?: number;
}

/** Archives one conversation in its own folders, and restores from any. Files are named by content hash. */
export class Archive {
  readonly #storage: CheckedStorage;
  readonly #segments: SegmentReader;
  readonly #owner: string | null;

  constructor(
    storage: HistoryStorage,
    { owner = null, timeoutMs = STORAGE_TIMEOUT_MS }: ArchiveOptions = {},
  ) {
    this.#storage = new CheckedStorage(storage, timeoutMs);
    this.#segments = new SegmentReader(this.#storage);
    this.#owner = owner;
  }

  /**
   * Writes `messages` to files and reads them back, in one segment or several if they are large. When it returns, every
   * pointer can be restored. Deterministic. Also records the `earlier` files for a later `prune`.
   * @throws {ReaderError} BAD_INPUT for a message that is not JSON; LIMIT_EXCEEDED for one above the maximum string
   * length; QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT; INTERNAL if the storage fails or returns something else; ABORTED
   */
  async keep(
    messages: readonly ArchivedMessage[],
    codec: string | null = null,
    signal?: AbortSignal,
    earlier: readonly string[] = [],
  ): Promise<Kept> {
    const folder = this.#folder(CONVERSATION_FOLDER);
    const shownAs = (path: string): string => this.#storage.shown(path);
    let next: string | null = null;
    let kept: Kept | null = null;
    for (const stretch of stretchesOf(messages)) {
      const named = kept === null ? earlier : [];
      const segment: Segment = segmentOf(stretch, { codec, shownAs, next, folder, earlier: named });
      const { id, json, jsonPath, markdown, markdownPath } = segment;
      await this.#storage.write(markdownPath, markdown, () => false, signal);
      await this.#storage.write(jsonPath, json, (other) => sha256Of(other).startsWith(id), signal);
      next = id;
      kept = followedBy(segment, stretch.messages.length, kept);
    }
    if (kept) return kept;
    throw new ReaderError('INTERNAL', 'No segment was written for the messages.', 'Report this as a defect.');
  }

  #folder(folder: string): string {
    return folderOf(folder, this.#owner);
  }

  /** File for the result `text` of a tool. Its name is short, safe for any tool name, and unique to the content. */
  offloaded(toolName: string | null, text: string): Offloaded {
    const sha256 = sha256Of(text);
    const path = `${this.#folder(OUTPUT_FOLDER)}/${slug(toolName ?? '')}-${sha256.slice(0, ID_DIGITS)}.txt`;
    return { path, pointer: path, shown: this.#storage.shown(path), sha256 };
  }

  /**
   * Writes `text` to the file from `offloaded` and reads it back. A text that UTF-8 cannot represent is stored in
   * readable form in that file and exactly in a JSON file next to it.
   * @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT; INTERNAL if the storage fails or returns something
   * else; ABORTED
   */
  offload(offloaded: Offloaded, text: string, signal?: AbortSignal): Promise<void> {
    return writeOutput(this.#storage, offloaded, text, signal);
  }

  /**
   * Returns the original behind a pointer: from `Segment` or `Offloaded`, or in placeholder form (`PATH lines A-B`). A
   * path alone returns the whole file.
   * @throws {ReaderError} BAD_INPUT for an invalid pointer or one that names no text; FILE_NOT_FOUND; CORRUPT_FILE if
   * the file has changed since it was saved; ACCESS_DENIED, TIMED_OUT, or INTERNAL if the storage fails; ABORTED
   */
  async restore(pointer: string, signal?: AbortSignal): Promise<Restored> {
    const target = await parsePointer(pointer, this.#storage, this.#owner, signal);
    return target.folder === OUTPUT_FOLDER
      ? restoreOutput(this.#storage, target.path, signal)
      : this.#segments.restore(pointer, target, signal);
  }

  /**
   * Removes the owner's files that are referenced neither by `referenced` (paths and pointers; the first may name
   * earlier files) nor by the texts `given` and the files those name. Files of a segment stay or go together. Removes
   * nothing if the first referenced file cannot be read. Never touches files of other conversations, without an owner,
   * or with other names.
   * @returns removed paths, sorted
   * @throws {ReaderError} ACCESS_DENIED, TIMED_OUT or INTERNAL if the storage cannot list; ABORTED. A file that cannot
   * be removed stays
   */
  async prune(
    referenced: Iterable<string>,
    given: readonly string[] = [],
    signal?: AbortSignal,
  ): Promise<string[]> {
    if (this.#owner === null) return [];
    const keep = await this.#named(referenced, signal);
    if (keep === null) return [];
    const paths: string[] = [];
    for (const folder of [this.#folder(OUTPUT_FOLDER), this.#folder(CONVERSATION_FOLDER)])
      for (const path of await this.#storage.list(folder, signal))
        if (path.startsWith(`${folder}/`) && OURS.test(path) && !keep.has(stemOf(path))) paths.push(path);
    const removed: string[] = [];
    for (const path of (await this.#unnamed(paths, given, signal)).sort()) {
      try {
        await this.#storage.remove(path, signal);
        removed.push(path);
      } catch (error) {
        // Leave the file for the next prune. Retrying each file against a storage that hangs would take as long every
        // time.
        if (error instanceof ReaderError && error.code === 'ABORTED') throw error;
        if (error instanceof ReaderError && error.code === 'TIMED_OUT') break;
      }
    }
    return removed;
  }

  /**
   * Stems of the `referenced` files and of the files that the first of them names in turn; null if that is unreadable.
   */
  async #named(
    referenced: Iterable<string>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlySet<string> | null> {
    const keep = new Set<string>();
    for (let pointers = [...referenced]; pointers.length > 0; ) {
      const paths: string[] = [];
      for (const pointer of pointers) {
        const path = (await findPointer(pointer, this.#storage, this.#owner, signal))?.path;
        if (path !== undefined) paths.push(path);
      }
      const [first] = paths;
      const isNew = first !== undefined && !keep.has(stemOf(first));
      for (const path of paths) keep.add(stemOf(path));
      if (!isNew || !first.startsWith(`${CONVERSATION_FOLDER}/`)) return keep;
      const earlier = await this.#segments.earlier(first, signal);
      if (earlier === null) return null;
      pointers = [...earlier];
    }
    return keep;
  }

  /**
   * The `paths` named neither by `texts` nor by a file that a text names. The list may be newer than the state saved
   * with it.
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
        if (!text.includes(stemOf(this.#storage.shown(path)))) continue;
        rest.delete(path);
        const named = await this.#storage.readOnce(path, signal);
        if (named !== null) pending.push(named);
      }
    return [...rest];
  }
}

/** A segment of `count` messages followed by the segments after it. */
function followedBy(segment: Segment, count: number, rest: Kept | null): Kept {
  const { markdownPath, shownMarkdown, jsonPath, pointer, textPointer } = segment;
  return {
    markdownPath,
    shownMarkdown,
    files: [...(rest?.files ?? []), jsonPath],
    pointer: (message) =>
      rest === null || message < count ? pointer(message) : rest.pointer(message - count),
    textPointer: (message, item) =>
      rest === null || message < count ? textPointer(message, item) : rest.textPointer(message - count, item),
  };
}
