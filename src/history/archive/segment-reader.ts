// Archived messages and texts out of segments: the JSON file checked and parsed, the text checked against it.

import { plural, ReaderError } from '../../contract/index.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { sha256Of } from './exact-text.ts';
import { stemOf, type Target } from './pointer.ts';
import { corrupt, notFound, type Restored } from './restored.ts';
import {
  ID_DIGITS,
  MOST_CHARACTERS,
  parseSegment,
  refuseMissing,
  type SegmentFile,
  type SegmentText,
} from './segment.ts';

/** A larger segment, of one message that is longer, is parsed again for every pointer: it would hold too much memory. */
const MOST_HELD = 4 * MOST_CHARACTERS;

/** A segment's JSON file, checked and parsed. */
interface OpenSegment {
  readonly jsonPath: string;
  readonly json: string;
  readonly content: SegmentFile;
  /** By `FIRST-LAST`. */
  readonly texts: ReadonlyMap<string, SegmentText>;
}

/** Reads what `segmentOf` made and the archive saved. */
export class SegmentReader {
  readonly #storage: CheckedStorage;
  /** The segment parsed last: pointers are mostly restored one after another. The file is read and compared all the same. */
  #held: OpenSegment | null = null;

  constructor(storage: CheckedStorage) {
    this.#storage = storage;
  }

  /**
   * What `target`, given as `pointer`, names: a message, a text, or a whole file.
   * @throws {ReaderError} BAD_INPUT where it names nothing in its file; FILE_NOT_FOUND; CORRUPT_FILE; as `CheckedStorage.read`
   */
  async restore(pointer: string, target: Target, signal: AbortSignal | undefined): Promise<Restored> {
    const segment = await this.#opened(target, signal);
    if (target.message !== null) return restoredMessage(pointer, segment.content, target);
    if (target.lines === null && target.path.endsWith('.json'))
      return { kind: 'text', sha256: sha256Of(segment.json), text: segment.json };
    return this.#restoreText(pointer, target, segment, signal);
  }

  /** The earlier files that the segment of `path` names; null where there is no such segment, or a damaged one. */
  async earlier(path: string, signal: AbortSignal | undefined): Promise<readonly string[] | null> {
    try {
      return (await this.#opened({ path }, signal)).content.earlier;
    } catch (error) {
      if (error instanceof ReaderError && ['FILE_NOT_FOUND', 'CORRUPT_FILE'].includes(error.code))
        return null;
      throw error;
    }
  }

  async #opened({ path }: Pick<Target, 'path'>, signal: AbortSignal | undefined): Promise<OpenSegment> {
    const jsonPath = `${stemOf(path)}.json`;
    const json = await this.#storage.readOnce(jsonPath, signal);
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
    const markdown = await this.#storage.readOnce(path, signal);
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
  // A copy of its own: the next to restore it finds it as it was.
  return { kind: 'message', sha256: entry.sha256, text, message: JSON.parse(text) };
}
