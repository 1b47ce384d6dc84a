// Moves through a JSON document to what a view of it left out, in document order. Names places and counts children, but
// yields no text.

import type { Bytes, Extent, Next, Source } from '../../../src/contract/index.ts';
import { pointerTo } from '../tree/extents.ts';
import { MIN_LITERAL_LENGTH, membersAt, stringCut, type TreeLimits } from '../tree/shape.ts';
import { closing, JsonCursor, JsonSyntaxError, unexpected } from './cursor.ts';
import { type Frame, type JsonPosition, MAX_FRAMES, writePosition } from './position.ts';
import { BYTE, cutRaw } from './raw.ts';
import { knownChildren, MAX_KEY_LENGTH, type Stretch } from './tree.ts';

const isOpen = (byte: number): boolean => byte === BYTE.openArray || byte === BYTE.openObject;

/** Start of a walk over array items, of which `shown` are in the view; `at` is the start of the first. */
export function startOfItems(
  limits: TreeLimits,
  at: Bytes,
  { from, to, of }: Stretch,
  shown: number,
): JsonPosition {
  const frame: Frame = { array: true, rest: shown === 0, index: from, at, of, to, seen: from - 1 + shown };
  return { limits, frames: [frame], stage: 'start', at, done: 0, of: 0 };
}

/** The records of JSON Lines, which take the place of the items of an array. */
export interface Rows {
  readonly count: number;
  readonly newline: number;
  /** Start of the record of this 1-based number, or of the blank lines before it; past the last, the end. */
  start(number: number): Promise<Bytes>;
  /** True if the record of this number, which starts at `at`, is a JSON value. */
  isValue(number: number, at: Bytes): Promise<boolean>;
}

export interface PlaceOptions {
  readonly signal: AbortSignal;
  /** Pointer of the walked value. */
  readonly pointer: string;
  /** The outermost container is a text of JSON Lines. */
  readonly rows?: Rows;
}

export class JsonPlace {
  readonly source: Source;
  readonly here: JsonPosition;
  readonly rows: Rows | undefined;
  readonly #cursor: JsonCursor;
  readonly #pointer: string;
  /** The value where the walk starts was not entered yet. */
  #isBefore: boolean;
  #ended = false;
  #completed: Extent[] = [];

  /** A position without containers, and not inside a string, is before the value at its offset. */
  constructor(source: Source, here: JsonPosition, { signal, pointer, rows }: PlaceOptions) {
    this.source = source;
    this.here = here;
    this.#pointer = pointer;
    this.rows = rows;
    this.#cursor = new JsonCursor(source, signal, here.at);
    this.#isBefore = here.stage === 'start' && here.frames.length === 0;
  }

  /** Moves to the next omitted place. @returns false if there is none */
  async seek(): Promise<boolean> {
    for (;;)
      try {
        return await this.#seek();
      } catch (error) {
        await this.asBytes(error);
      }
  }

  async #seek(): Promise<boolean> {
    const { here } = this;
    if (this.#isBefore && (await this.#enterShown())) return true;
    while (!this.#ended) {
      const frame = here.frames.at(-1);
      if (here.stage !== 'start' || !frame) return true;
      this.#cursor.at = frame.at;
      if (!frame.array && !frame.rest) {
        const { isShort } = await this.#key(frame);
        frame.rest = !isShort;
      }
      if (frame.rest) return true;
      if (this.isRow(frame) && !(await this.rows?.isValue(frame.index, frame.at))) await this.#leave();
      else if (await this.#enterShown()) return true;
    }
    return false;
  }

  /** True if the children of `frame` are records of JSON Lines. */
  isRow(frame: Frame): boolean {
    return this.rows !== undefined && this.here.frames[0] === frame;
  }

  /** The byte after the last child to walk, if it is known. */
  async endOf(frame: Frame): Promise<Bytes> {
    const { rows } = this;
    return rows && this.isRow(frame) ? rows.start((frame.to || rows.count) + 1) : this.source.size;
  }

  /** How to continue from here, once `seek` has found a place. */
  async next(): Promise<Next> {
    const position = writePosition(this.here);
    const frame = this.here.frames.at(-1);
    if (!frame?.array || !frame.rest || this.here.stage !== 'start') return { position };
    // In JSON Lines, `rows` always selects records.
    if (this.rows)
      return this.isRow(frame)
        ? { position, request: { rows: `${frame.index}-${frame.to || this.rows.count}` } }
        : { position };
    const pointer = await this.containerName();
    const rows = `${frame.index}-${frame.to || (await this.childrenOf(frame))}`;
    return { position, request: pointer === '' ? { rows } : { pointer, rows } };
  }

  /**
   * Gives up reading the current record of JSON Lines, which is not JSON further on: its rest is given as bytes, from
   * `end` on, up to which all was given, or from the start of the innermost value of which nothing was.
   * @throws the error itself unless it is one of syntax in such a record
   */
  async asBytes(error: unknown, end?: Bytes): Promise<void> {
    const { here, rows } = this;
    const [row] = here.frames;
    if (!(error instanceof JsonSyntaxError) || !rows || !row) throw error;
    const begun = here.frames.findLast((frame) => frame === row || frame.index > 1) ?? row;
    const from = Math.max(row.at, end ?? begun.at);
    const of = await rows.start(row.index + 1);
    here.frames.splice(1);
    if (from < of) Object.assign(here, { stage: 'raw', at: from, done: row.at, of });
    else await this.#leave();
  }

  /** In a view: moves past the value at the cursor or into it. @returns true at a cut of a string or number */
  async #enterShown(): Promise<boolean> {
    const { here } = this;
    const cursor = this.#cursor;
    const { string } = here.limits;
    this.#isBefore = false;
    const byte = await cursor.expect('a value');
    const start = cursor.at;
    if (isOpen(byte)) {
      if (!(await this.#open(byte, false))) await this.#leave();
      return false;
    }
    if (byte === BYTE.quote) {
      const { text, of } = await cursor.string(string);
      if (of > string) {
        const done = stringCut(text, of, string);
        const bytes = await this.source.read(start + 1, done * 6 + 12);
        const { end } = cutRaw(bytes, 0, bytes.length, done);
        Object.assign(here, { stage: 'string', at: start + 1 + end, done, of });
        return true;
      }
    } else {
      const most = Math.max(string, MIN_LITERAL_LENGTH);
      const { text, of } = await cursor.literal(most);
      if (of > most) {
        const at = start + stringCut(text, of, string);
        Object.assign(here, { stage: 'raw', at, done: start, of: start + of });
        return true;
      }
    }
    await this.#leave();
    return false;
  }

  /** Enters an omitted child that is too large for a page: a string, a container, or anything as its bytes. */
  async enterOmitted(frame: Frame): Promise<void> {
    const cursor = this.#cursor;
    if (this.rows && this.isRow(frame)) {
      const of = await this.rows.start(frame.index + 1);
      Object.assign(this.here, { stage: 'raw', at: frame.at, done: frame.at, of });
      return;
    }
    cursor.at = frame.at;
    await cursor.peek();
    const { isShort } = frame.array ? { isShort: true } : await this.#key(frame);
    const byte = await cursor.expect('a value');
    const start = cursor.at;
    if (isShort && byte === BYTE.quote) {
      const { of } = await cursor.string(0);
      if (of > 0) {
        Object.assign(this.here, { stage: 'string', at: start + 1, done: 0, of });
        return;
      }
    } else if (isShort && isOpen(byte) && this.here.frames.length < MAX_FRAMES) {
      if (await this.#open(byte, true)) return;
    } else await cursor.skip();
    Object.assign(this.here, { stage: 'raw', at: frame.at, done: frame.at, of: cursor.at });
  }

  /** Continues with the raw bytes of the rest of a string, its closing quote included. */
  async toRaw(): Promise<void> {
    const { at } = this.here;
    // The rest of a string is parsed as a string that opens one byte earlier.
    this.#cursor.at = at - 1;
    await this.#cursor.string(0);
    Object.assign(this.here, { stage: 'raw', at, done: at, of: this.#cursor.at });
  }

  /** Opens the container at the cursor. @returns false, after it, if it is empty */
  async #open(byte: number, rest: boolean): Promise<boolean> {
    const { here } = this;
    const cursor = this.#cursor;
    const of = knownChildren(this.source, cursor.at) ?? 0;
    cursor.at++;
    if ((await cursor.expect(closing(byte))) === byte + 2) {
      cursor.at++;
      return false;
    }
    const frame = { array: byte === BYTE.openArray, rest, index: 1, at: cursor.at, of, to: 0, seen: 0 };
    here.frames.push(frame);
    here.stage = 'start';
    frame.rest ||= here.frames.length > here.limits.depth || this.#shown(frame) === 0;
    return true;
  }

  /** The number of the last child of the innermost container that is shown. */
  #shown({ array, seen }: Frame): number {
    return seen || membersAt(this.here.limits, array ? 'array' : 'object', this.here.frames.length);
  }

  /** Moves on after `count` omitted children, of which the last ends at `end`. */
  async pass(frame: Frame, count: number, end: Bytes): Promise<void> {
    frame.index += count - 1;
    await this.#after(end, () => this.#leave());
  }

  /** Moves on after a value that was entered and ends at `end`. */
  async finish(end: Bytes): Promise<void> {
    await this.#after(end, async () => {
      await this.#complete();
      await this.#leave();
    });
  }

  async #after(end: Bytes, move: () => Promise<void>): Promise<void> {
    this.#cursor.at = end;
    try {
      await move();
    } catch (error) {
      await this.asBytes(error, end);
    }
  }

  /** The extents that are complete since the last call. */
  completed(): readonly Extent[] {
    const completed = this.#completed;
    this.#completed = [];
    return completed;
  }

  /** Records the current child of the innermost container as complete, if it was omitted. */
  async #complete(): Promise<void> {
    const frame = this.here.frames.at(-1);
    if (frame?.rest) this.#completed.push(await this.extentOf(frame, 1));
  }

  /** `count` children of the innermost container from the current one on. */
  async extentOf(frame: Frame, count: number): Promise<Extent> {
    const { index } = frame;
    if (this.rows && this.isRow(frame))
      return { unit: 'row', from: index, to: index + count - 1, of: this.rows.count };
    const of = await this.childrenOf(frame);
    const name = await this.containerName();
    return { unit: frame.array ? 'item' : 'key', name, from: index, to: index + count - 1, of };
  }

  /** Moves on after a value: to its next sibling, or out of the containers that end there. */
  async #leave(): Promise<void> {
    const { here } = this;
    const cursor = this.#cursor;
    for (;;) {
      const frame = here.frames.at(-1);
      if (!frame || (frame.to > 0 && frame.index >= frame.to)) {
        this.#ended = true;
        return;
      }
      if (this.rows && this.isRow(frame)) {
        if (frame.index >= this.rows.count) this.#ended = true;
        else this.#toChild(frame, await this.rows.start(frame.index + 1));
        return;
      }
      const open = frame.array ? BYTE.openArray : BYTE.openObject;
      const expected = `\`,\` or ${closing(open)}`;
      const byte = await cursor.expect(expected);
      cursor.at++;
      if (byte === BYTE.comma) {
        await cursor.expect('a value');
        this.#toChild(frame, cursor.at);
        return;
      }
      if (byte !== open + 2) throw unexpected(byte, expected, cursor.at - 1);
      here.frames.pop();
      await this.#complete();
    }
  }

  /** Moves to the next child of a container. */
  #toChild(frame: Frame, at: Bytes): void {
    frame.index++;
    frame.at = at;
    delete frame.key;
    frame.rest ||= frame.index > this.#shown(frame);
    this.here.stage = 'start';
  }

  /** Total number of children of a container, counted once. */
  async childrenOf(frame: Frame): Promise<number> {
    if (frame.of === 0)
      await this.#aside(frame.at, async (cursor) => {
        const open = frame.array ? BYTE.openArray : BYTE.openObject;
        frame.of = frame.index - 1 + (await cursor.rest(open, frame.at)).items;
      });
    return frame.of;
  }

  /** Reads the key at the cursor and its colon. */
  async #key(frame: Frame): Promise<{ readonly isShort: boolean }> {
    const { text, of } = await this.#cursor.string(MAX_KEY_LENGTH);
    frame.key = text;
    await this.#cursor.colon();
    return { isShort: of <= MAX_KEY_LENGTH };
  }

  async #nameOf(levels: number): Promise<string> {
    let name = this.#pointer;
    for (const frame of this.here.frames.slice(0, levels)) {
      if (!frame.array && frame.key === undefined) await this.#aside(frame.at, () => this.#key(frame));
      name = pointerTo(name, frame.array ? frame.index - 1 : (frame.key ?? ''));
    }
    return name;
  }

  /** Reads elsewhere and comes back. */
  async #aside(at: Bytes, read: (cursor: JsonCursor) => Promise<unknown>): Promise<void> {
    const { at: before } = this.#cursor;
    this.#cursor.at = at;
    await read(this.#cursor);
    this.#cursor.at = before;
  }

  containerName(): Promise<string> {
    return this.#nameOf(this.here.frames.length - 1);
  }

  /** The name of the current child; of a member as its bytes, by its number. */
  async childName(): Promise<string> {
    const { frames, stage, done } = this.here;
    const frame = frames.at(-1);
    if (stage === 'raw' && frame && this.isRow(frame)) return `row ${frame.index}`;
    if (stage !== 'raw' || !frame || frame.array || done !== frame.at) return this.#nameOf(frames.length);
    const container = await this.containerName();
    return `${container === '' ? '' : `${container}, `}key ${frame.index}`;
  }
}
