// Originals in a storage: written and read back before anything is replaced, and given back byte for byte. It keeps no state
// of its own: a new process with the same storage restores what another one saved.

import { ReaderError } from '../../contract/index.ts';
import { CheckedStorage } from './checked-storage.ts';
import { sha256Of } from './exact-text.ts';
import { findPointer, folderOf, OURS, OUTPUT_FOLDER, parsePointer, stemOf } from './pointer.ts';
import type { Restored } from './restored.ts';
import {
  type ArchivedMessage,
  CONVERSATION_FOLDER,
  type Segment,
  segmentOf,
  stretchesOf,
  type TextPointer,
} from './segment.ts';
import { SegmentReader } from './segment-reader.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './storage.ts';
import { type Offloaded, offloadedIn, restoreOutput, writeOutput } from './tool-output.ts';

export type { ArchivedMessage } from './segment.ts';

/** Messages that were archived. */
export interface Kept {
  /** Of the first of them; where they are parted, it names where it goes on at its end. */
  readonly markdownPath: string;
  /** As a model's own tools name that path. */
  readonly shownMarkdown: string;
  /** Its JSON files; the first names the `earlier` ones. */
  readonly files: readonly string[];
  /** Of a message, counted from 0. */
  pointer(message: number): string;
  /** Of a text by message and item of its view, both from 0; of the whole message where the item has no text. */
  textPointer(message: number, item: number): TextPointer;
}

export interface ArchiveOptions {
  /** The conversation whose folders take the files. Default: none; the files are then shared, and `prune` removes nothing. */
  readonly owner?: string | null;
  /** For one operation of the storage. */
  readonly timeoutMs?: number;
}

/** Originals of one conversation, in folders of its own; it restores those of any. Files are named by content. */
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
   * Keeps `messages` in files and reads those back: in one segment, or several where they are many. Once it returns, every
   * pointer restores. Same messages, same files. `earlier` files are named there, for a later `prune`.
   * @throws {ReaderError} BAD_INPUT for a message that is no JSON; LIMIT_EXCEEDED for one longer than a string can be;
   * QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT, or INTERNAL where the storage fails or gives back something else; ABORTED
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
    await this.#storage.write(markdownPath, markdown, () => false, signal);
    await this.#storage.write(jsonPath, json, (other) => sha256Of(other).startsWith(id), signal);
  }

  #folder(folder: string): string {
    return folderOf(folder, this.#owner);
  }

  /** Where the result `text` of a tool goes. The tool may be called anything: the name is short, safe and its content's own. */
  offloaded(toolName: string | null, text: string): Offloaded {
    return offloadedIn(this.#folder(OUTPUT_FOLDER), this.#storage, toolName, text);
  }

  /**
   * Keeps `text` where `offloaded` said, and reads it back. A text that a file of UTF-8 cannot hold lies readable in that
   * file and exact in a JSON file beside it.
   * @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, TIMED_OUT, or INTERNAL where the storage fails or gives back
   * something else; ABORTED
   */
  offload(offloaded: Offloaded, text: string, signal?: AbortSignal): Promise<void> {
    return writeOutput(this.#storage, offloaded, text, signal);
  }

  /**
   * The original that a pointer names: one of `Segment`, of `Offloaded`, or as a placeholder shows it (`PATH lines A-B`).
   * A path alone gives its whole file.
   * @throws {ReaderError} BAD_INPUT for what is no pointer or names no text; FILE_NOT_FOUND; CORRUPT_FILE where the file is
   * not what was saved; ACCESS_DENIED, TIMED_OUT or INTERNAL where the storage fails; ABORTED
   */
  async restore(pointer: string, signal?: AbortSignal): Promise<Restored> {
    const target = await parsePointer(pointer, this.#storage, this.#owner, signal);
    return target.folder === OUTPUT_FOLDER
      ? restoreOutput(this.#storage, target.path, signal)
      : this.#segments.restore(pointer, target, signal);
  }

  /**
   * Removes files of the owner that neither `referenced` (paths and pointers into them; the first may name earlier files) nor
   * the texts `given`, and the files these name, refer to; the files of a segment stay or go together. Nothing goes where the
   * first cannot be read. Files of other conversations, of no owner, and of other names are left alone.
   * @returns paths removed, sorted
   * @throws {ReaderError} ACCESS_DENIED, TIMED_OUT or INTERNAL where the storage cannot list; a file it cannot remove stays;
   * ABORTED
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
        // The file stays, and the next prune finds it again. A storage that hangs would make every other file wait as long.
        if (error instanceof ReaderError && error.code === 'ABORTED') throw error;
        if (error instanceof ReaderError && error.code === 'TIMED_OUT') break;
      }
    }
    return removed;
  }

  /** Stems of the `referenced` files, and of those that the first of them names in turn; null where that cannot be told. */
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
        if (!text.includes(stemOf(this.#storage.shown(path)))) continue;
        rest.delete(path);
        const named = await this.#storage.readOnce(path, signal);
        if (named !== null) pending.push(named);
      }
    return [...rest];
  }
}

/** A segment of `count` messages, and what was kept of those after them. */
function followedBy(
  { markdownPath, shownMarkdown, jsonPath, pointer, textPointer }: Segment,
  count: number,
  rest: Kept | null,
): Kept {
  return {
    markdownPath,
    shownMarkdown,
    files: [...(rest?.files ?? []), jsonPath],
    pointer: (message) =>
      rest !== null && message >= count ? rest.pointer(message - count) : pointer(message),
    textPointer: (message, item) =>
      rest !== null && message >= count
        ? rest.textPointer(message - count, item)
        : textPointer(message, item),
  };
}
