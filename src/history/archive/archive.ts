// Archives originals in a storage: written and read back before anything is replaced, and restored byte for byte.
// Stateless: a new process with the same storage can restore what another saved.

import { CheckedStorage } from './checked-storage.ts';
import { sha256Of } from './exact-text.ts';
import { folderOf, OUTPUT_FOLDER, parsePointer } from './pointer.ts';
import type { Restored } from './restored.ts';
import { type ArchivedMessage, CONVERSATION_FOLDER, ID_DIGITS, type Segment, segmentOf } from './segment.ts';
import { SegmentReader } from './segment-reader.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './storage.ts';
import { type Offloaded, restoreOutput, slug, writeOutput } from './tool-output.ts';

export type { ArchivedMessage } from './segment.ts';

/** Where archived messages are. */
export type Kept = Pick<Segment, 'shownMarkdown' | 'pointer' | 'textPointer'>;

export interface ArchiveOptions {
  /** The conversation whose folders contain the files. Default: none; the files are then shared. */
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
   * Writes `messages` to files and reads them back. When it returns, every pointer can be restored. Deterministic.
   * @throws {ReaderError} BAD_INPUT for a message that is not JSON; LIMIT_EXCEEDED above the maximum string length;
   * QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT; INTERNAL if the storage fails or returns something else; ABORTED
   */
  async keep(
    messages: readonly ArchivedMessage[],
    codec: string | null = null,
    signal?: AbortSignal,
  ): Promise<Kept> {
    const folder = this.#folder(CONVERSATION_FOLDER);
    const shownAs = (path: string): string => this.#storage.shown(path);
    const segment = segmentOf(messages, { codec, shownAs, folder });
    const { id, json, jsonPath, markdown, markdownPath } = segment;
    await this.#storage.write(markdownPath, markdown, () => false, signal);
    await this.#storage.write(jsonPath, json, (other) => sha256Of(other).startsWith(id), signal);
    return segment;
  }

  #folder(folder: string): string {
    return folderOf(folder, this.#owner);
  }

  /** File for the result `text` of a tool. Its name is short, safe for any tool name, and unique to the content. */
  offloaded(toolName: string | null, text: string): Offloaded {
    const sha256 = sha256Of(text);
    const path = `${this.#folder(OUTPUT_FOLDER)}/${slug(toolName ?? '')}-${sha256.slice(0, ID_DIGITS)}.txt`;
    return { path, shown: this.#storage.shown(path), sha256 };
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
    const target = parsePointer(pointer, (path) => this.#storage.shown(path));
    return target.folder === OUTPUT_FOLDER
      ? restoreOutput(this.#storage, target.path, signal)
      : this.#segments.restore(pointer, target, signal);
  }
}
