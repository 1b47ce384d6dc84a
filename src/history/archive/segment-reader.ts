// Reads archived messages and texts from segments: verifies and parses the JSON file, and verifies the text against it.

import { plural } from '../../contract/index.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { sha256Of } from './exact-text.ts';
import { stemOf, type Target } from './pointer.ts';
import { corrupt, notFound, type Restored } from './restored.ts';
import { ID_DIGITS, parseSegment, refuseMissing, type SegmentFile, type SegmentText } from './segment.ts';

/** A longer segment is not cached, to save memory; each pointer parses it again. */
const MOST_HELD = 16 * 1024 * 1024;

/** A verified and parsed JSON file of a segment. */
interface OpenSegment {
  readonly jsonPath: string;
  readonly json: string;
  readonly content: SegmentFile;
  /** Keyed by `FIRST-LAST`. */
  readonly texts: ReadonlyMap<string, SegmentText>;
}

/** Reads what `segmentOf` created and the archive saved. */
export class SegmentReader {
  readonly #storage: CheckedStorage;
  /** The last parsed segment, because pointers are often restored in sequence. The file is still read and compared. */
  #held: OpenSegment | null = null;

  constructor(storage: CheckedStorage) {
    this.#storage = storage;
  }

  /**
   * Restores what `target`, given as `pointer`, names: a message, a text, or a whole file.
   * @throws {ReaderError} BAD_INPUT if the file has no such part; FILE_NOT_FOUND; CORRUPT_FILE; see
   * `CheckedStorage.read`
   */
  async restore(pointer: string, target: Target, signal: AbortSignal | undefined): Promise<Restored> {
    const segment = await this.#opened(target, signal);
    if (target.message !== null) return restoredMessage(pointer, segment.content, target);
    if (target.lines === null && target.path.endsWith('.json'))
      return { kind: 'text', sha256: sha256Of(segment.json), text: segment.json };
    return this.#restoreText(pointer, target, segment, signal);
  }

  async #opened({ path }: Pick<Target, 'path'>, signal: AbortSignal | undefined): Promise<OpenSegment> {
    const jsonPath = `${stemOf(path)}.json`;
    const json = await this.#storage.read(jsonPath, signal);
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
      refuseMissing(pointer, `${plural(content.texts.length, 'text')}, none with exactly these lines`);
    if (entry?.exact !== undefined && sha256Of(entry.exact) === entry.sha256)
      return { kind: 'text', sha256: entry.sha256, text: entry.exact };
    const markdown = await this.#storage.read(path, signal);
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

function restoredMessage(pointer: string, content: SegmentFile, { path, message }: Target): Restored {
  const entry = content.messages[(message ?? 0) - 1];
  if (entry === undefined) return refuseMissing(pointer, plural(content.messages.length, 'message'));
  const text = JSON.stringify(entry.message);
  if (sha256Of(text) !== entry.sha256) throw corrupt(path);
  // A fresh copy, which the caller may modify.
  return { kind: 'message', sha256: entry.sha256, text, message: JSON.parse(text) };
}
