// Walks what a view of a JSON document left out, in document order. Each piece is yielded once and is itself a JSON
// value: array items, object members, the rest of a string. A piece larger than a page is entered and split.

import {
  type Budget,
  type Bytes,
  type Extent,
  type Next,
  type Source,
  type TextPart,
  type Unit,
  wholeLength,
} from '../../../src/contract/index.ts';
import { bytesOf } from '../byte-window.ts';
import { pointerTo } from '../tree/extents.ts';
import { MAX_KEY_LENGTH, MIN_LITERAL_LENGTH, membersAt, stringCut } from '../tree/shape.ts';
import { BYTE, closing, cutRaw, JsonCursor, type RawCut, unexpected } from './cursor.ts';
import { childrenIn, cutWhole, placeLine } from './piece.ts';
import { type Frame, type JsonPosition, MAX_FRAMES, writePosition } from './position.ts';

/** Remaining room on a page. */
interface Room {
  readonly tokens: number;
  readonly characters: number;
}

interface PageText {
  readonly text: string;
  readonly view: string;
  readonly shown: Extent;
  /** Extents that are complete with this piece. */
  readonly completed?: readonly Extent[];
}

/** Maximum bytes inspected for one piece. */
const MAX_PIECE_BYTES = 256 * 1024;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Start of a walk over a whole value at the cursor, under the limits of the position. */
export function startOf(limits: JsonPosition['limits'], at: Bytes): JsonPosition {
  return { limits, frames: [], stage: 'value', at, done: 0, of: 0 };
}

/** Start of a walk over array items. */
export function startOfItems(
  limits: JsonPosition['limits'],
  at: Bytes,
  { from, to, of }: { readonly from: number; readonly to: number; readonly of: number },
): JsonPosition {
  const frame: Frame = { array: true, rest: limits.items === 0, index: from, at, of, to, first: from };
  return { limits, frames: [frame], stage: 'start', at, done: 0, of: 0 };
}

/** One walk: `seek` finds the next omitted piece, `take` yields it, or as much of it as fits. */
export class JsonWalk {
  readonly #source: Source;
  readonly #cursor: JsonCursor;
  readonly #budget: Budget;
  readonly #place: JsonPosition;
  /** Pointer of the walked value. */
  readonly #pointer: string;
  readonly #counts: ReadonlyMap<Bytes, number> | undefined;
  #ended = false;
  #completed: Extent[] = [];

  constructor(
    source: Source,
    place: JsonPosition,
    options: {
      readonly budget: Budget;
      readonly signal: AbortSignal;
      readonly pointer: string;
      /** Known numbers of children, by the offset of the opening bracket. */
      readonly counts?: ReadonlyMap<Bytes, number>;
    },
  ) {
    this.#source = source;
    this.#place = place;
    this.#budget = options.budget;
    this.#pointer = options.pointer;
    this.#counts = options.counts;
    this.#cursor = new JsonCursor(source, options.signal);
  }

  /** Yields one page of what was left out, until the budget is spent or nothing is left. */
  async *page(): AsyncGenerator<TextPart> {
    const { tokensBesideNotes, charactersBesideNotes } = this.#budget;
    let tokens = tokensBesideNotes;
    let characters = charactersBesideNotes;
    let pending: PageText | undefined;
    while (await this.seek()) {
      if (pending) yield part(pending, await this.next());
      const piece = await this.take({ tokens, characters }, pending === undefined);
      pending = undefined;
      if (!piece) return;
      if (tokens !== Number.POSITIVE_INFINITY) tokens -= this.#budget.count(piece.view);
      characters -= piece.view.length;
      pending = piece;
    }
    if (pending) yield part(pending);
  }

  /** How to continue from here, once `seek` has found a place. */
  async next(): Promise<Next> {
    const place = this.#place;
    const position = writePosition(place);
    const frame = place.frames.at(-1);
    if (!frame?.array || !frame.rest || place.stage !== 'start') return { position };
    const pointer = await this.#containerName();
    const rows = `${frame.index}-${await this.#last(frame)}`;
    return { position, request: pointer === '' ? { rows } : { pointer, rows } };
  }

  /** Moves to the next omitted place. @returns false if there is none */
  async seek(): Promise<boolean> {
    const place = this.#place;
    while (!this.#ended) {
      const frame = place.frames.at(-1);
      if (place.stage === 'start') {
        if (!frame || frame.rest) return frame !== undefined;
        if (!(await this.#enterChild(frame))) return true;
      } else if (place.stage !== 'value' || frame?.rest) return true;
      if (await this.#enterValue()) return true;
    }
    return false;
  }

  /** In a view: moves past the key of a child, or stops inside it at the cut. */
  async #enterChild(frame: Frame): Promise<boolean> {
    const place = this.#place;
    this.#cursor.at = frame.at;
    if (!frame.array) {
      await this.#cursor.peek();
      const key = await this.#cursor.string(MAX_KEY_LENGTH);
      frame.key = key.text;
      const shown = stringCut(key.text, key.of, MAX_KEY_LENGTH);
      if (key.of > MAX_KEY_LENGTH) {
        await this.#stopInside('key', frame.at + 1, shown, key.of);
        return false;
      }
      await this.#cursor.colon();
    }
    await this.#cursor.peek();
    place.stage = 'value';
    place.at = this.#cursor.at;
    return true;
  }

  /** In a view: moves past a value that is shown or into a container, or stops at a cut. */
  async #enterValue(): Promise<boolean> {
    const place = this.#place;
    const cursor = this.#cursor;
    cursor.at = place.at;
    const byte = await cursor.expect('a value');
    const start = cursor.at;
    if (byte === BYTE.quote) {
      const { text, of } = await cursor.string(place.limits.string);
      if (of <= place.limits.string) return this.#leave();
      await this.#stopInside('string', start + 1, stringCut(text, of, place.limits.string), of);
      return true;
    }
    if (byte === BYTE.openArray || byte === BYTE.openObject) {
      if (!(await this.#open(byte, false))) return this.#leave();
      const frame = place.frames.at(-1);
      if (frame) frame.rest = place.frames.length > place.limits.depth || this.#shown(frame) === 0;
      return false;
    }
    const most = Math.max(place.limits.string, MIN_LITERAL_LENGTH);
    const { text, of } = await cursor.literal(most);
    if (of <= most) return this.#leave();
    const shown = stringCut(text, of, place.limits.string);
    Object.assign(place, { stage: 'raw', at: start + shown, done: start, of: start + of });
    return true;
  }

  /** Stops `units` units into the raw string bytes that start at `at`. */
  async #stopInside(stage: 'key' | 'string', at: Bytes, units: number, of: number): Promise<void> {
    const bytes = await this.#source.read(at, units * 6 + 12);
    const { end } = cutRaw(bytes, 0, bytes.length, units);
    Object.assign(this.#place, { stage, at: at + end, done: units, of });
  }

  /** How many children of the innermost container are shown. */
  #shown({ array }: Frame): number {
    const { limits, frames } = this.#place;
    return membersAt(limits, array ? 'array' : 'object', frames.length);
  }

  /** Opens the container at the cursor. @returns false, after it, if it is empty */
  async #open(byte: number, rest: boolean): Promise<boolean> {
    const place = this.#place;
    const cursor = this.#cursor;
    const of = this.#counts?.get(cursor.at) ?? 0;
    cursor.at++;
    if ((await cursor.expect(closing(byte))) === byte + 2) {
      cursor.at++;
      return false;
    }
    const array = byte === BYTE.openArray;
    place.frames.push({ array, rest, index: 1, at: cursor.at, of, to: 0, first: 1 });
    place.stage = 'start';
    place.at = cursor.at;
    return true;
  }

  /** Records the current child of the innermost container as complete, if it was omitted. */
  async #complete(): Promise<void> {
    const frame = this.#place.frames.at(-1);
    if (!frame?.rest) return;
    const { at } = this.#cursor;
    const of = await this.#last(frame, true);
    const name = await this.#containerName();
    this.#cursor.at = at;
    const unit: Unit = frame.array ? 'item' : 'key';
    this.#completed.push({ unit, name, from: frame.index, to: frame.index, of });
  }

  /** Moves on after a value: to its next sibling, or out of the containers that end there. Always returns false. */
  async #leave(): Promise<false> {
    const place = this.#place;
    const cursor = this.#cursor;
    for (;;) {
      const frame = place.frames.at(-1);
      if (!frame || (frame.to > 0 && frame.index >= frame.to)) {
        this.#ended = true;
        return false;
      }
      const open = frame.array ? BYTE.openArray : BYTE.openObject;
      const expected = `\`,\` or ${closing(open)}`;
      const byte = await cursor.expect(expected);
      cursor.at++;
      if (byte === BYTE.comma) {
        await cursor.expect('a value');
        frame.index++;
        frame.at = cursor.at;
        delete frame.key;
        frame.rest ||= frame.index - frame.first >= this.#shown(frame);
        place.stage = 'start';
        place.at = cursor.at;
        return false;
      }
      if (byte !== open + 2) throw unexpected(byte, expected, cursor.at - 1);
      place.frames.pop();
      await this.#complete();
    }
  }

  /** The next piece, or as much of it as fits; undefined if none of it fits. Call after `seek` returned true. */
  async take(room: Room, fresh: boolean): Promise<PageText | undefined> {
    this.#completed = [];
    const piece = await this.#takePiece(room, fresh);
    return piece && this.#completed.length > 0 ? { ...piece, completed: this.#completed } : piece;
  }

  async #takePiece(room: Room, fresh: boolean): Promise<PageText | undefined> {
    const place = this.#place;
    for (;;) {
      const frame = place.frames.at(-1);
      let piece: PageText | undefined;
      switch (place.stage) {
        case 'raw':
          return this.#takeRaw(room);
        case 'key':
        case 'string':
          piece = await this.#takeText(room, place.stage, fresh);
          break;
        case 'bare':
          piece = await this.#takeBare(room);
          break;
        case 'start': {
          if (!frame) return undefined;
          const taken = await this.#takeChildren(frame, room, fresh);
          if (taken === 'enter' || (taken === 'full' && fresh)) {
            await this.#enterRest(frame);
            continue;
          }
          if (taken === 'full') return undefined;
          piece = taken;
          break;
        }
        case 'value': {
          if (await this.#splitValue()) continue;
          break;
        }
      }
      if (piece) return piece;
      if (!fresh) return undefined;
      await this.#toRaw();
    }
  }

  /** Takes children from the current one on. `full`: none fits here; `enter`: the first fits no page. */
  async #takeChildren(frame: Frame, room: Room, fresh: boolean): Promise<PageText | 'full' | 'enter'> {
    const of = await this.#last(frame, true);
    const page = this.#budget;
    const most = Math.min(MAX_PIECE_BYTES, Math.max(64, page.charactersBesideNotes * 4));
    const bytes = await this.#source.read(frame.at, most);
    const children = childrenIn(bytes, frame.to > 0 ? frame.to - frame.index + 1 : Number.POSITIVE_INFINITY);
    const [open, close] = frame.array ? ['[', ']'] : ['{', '}'];
    const name = await this.#containerName();
    const unit: Unit = frame.array ? 'item' : 'key';
    const make = (count: number): PageText => {
      const raw = decoder.decode(bytes.subarray(0, children[count - 1]));
      const to = frame.index + count - 1;
      const shown: Extent = { unit, name, from: frame.index, to, of };
      const text = `${open}${raw}${close}\n`;
      return { text, view: `${placeLine(shown, of)}${text}`, shown };
    };
    let found: PageText | undefined;
    let count = 0;
    for (let low = 1, high = children.length; low <= high; ) {
      const middle = (low + high) >> 1;
      const tried = make(middle);
      if (this.#budget.fits(tried.view, room.tokens, room.characters)) {
        found = tried;
        count = middle;
        low = middle + 1;
      } else high = middle - 1;
    }
    if (!found && children.length > 0) {
      const tried = make(1);
      if (!this.#fits(tried.text, { tokens: page.tokensBesideNotes, characters: page.charactersBesideNotes }))
        return 'enter';
      if (!fresh || !this.#fits(tried.text, room)) return 'full';
      found = { ...tried, view: tried.text };
      count = 1;
    }
    if (!found) return 'enter';
    this.#cursor.at = frame.at + (children[count - 1] ?? 0);
    frame.index += count - 1;
    await this.#leave();
    return found;
  }

  #fits(text: string, room: Room): boolean {
    return this.#budget.fits(text, room.tokens, room.characters);
  }

  /** Enters an omitted child that is too large for a page: its key, if it is long, then its value. */
  async #enterRest(frame: Frame): Promise<void> {
    const place = this.#place;
    const cursor = this.#cursor;
    cursor.at = frame.at;
    await cursor.peek();
    if (!frame.array) {
      const key = await cursor.string(MAX_KEY_LENGTH);
      frame.key = key.text;
      await cursor.colon();
      const byte = await cursor.expect('a value');
      const isText = byte === BYTE.quote;
      const isOpen = byte === BYTE.openArray || byte === BYTE.openObject;
      // The place name includes only short keys, and only entered values are labelled with it.
      if (key.of > MAX_KEY_LENGTH || !(isText || (isOpen && !(await this.#isEmpty(byte))))) {
        Object.assign(place, { stage: 'key', at: frame.at + 1, done: 0, of: key.of });
        return;
      }
    }
    Object.assign(place, { stage: 'value', at: cursor.at, done: 0, of: 0 });
  }

  async #isEmpty(open: number): Promise<boolean> {
    const { at } = this.#cursor;
    this.#cursor.at++;
    const empty = (await this.#cursor.expect(closing(open))) === open + 2;
    this.#cursor.at = at;
    await this.#cursor.peek();
    return empty;
  }

  /** Enters the value of an omitted child. @returns false if it is not a container or string */
  async #splitValue(): Promise<boolean> {
    const place = this.#place;
    const cursor = this.#cursor;
    cursor.at = place.at;
    const byte = await cursor.expect('a value');
    if (byte === BYTE.quote) {
      const start = cursor.at;
      const { of } = await cursor.string(0);
      if (of === 0) return false;
      Object.assign(place, { stage: 'string', at: start + 1, done: 0, of });
      return true;
    }
    if (byte !== BYTE.openArray && byte !== BYTE.openObject) return false;
    if (place.frames.length >= MAX_FRAMES || (await this.#isEmpty(byte))) return false;
    return this.#open(byte, true);
  }

  /** A piece of a string or key. */
  async #takeText(room: Room, stage: 'key' | 'string', fresh: boolean): Promise<PageText | undefined> {
    const place = this.#place;
    const most = Math.min(MAX_PIECE_BYTES, Math.max(64, room.characters * 6));
    const bytes = await this.#source.read(place.at, most);
    const whole = cutRaw(bytes, 0, bytes.length);
    const name = stage === 'key' ? await this.#keyName() : await this.#childName();
    const raw = decoder.decode(bytes.subarray(0, whole.end));
    const last = place.of;
    const make = (cut: { readonly end: number; readonly units: number }): PageText => {
      const to = Math.max(place.done + 1, place.done + cut.units);
      const shown: Extent = { unit: 'character', name, from: place.done + 1, to, of: Math.max(last, to) };
      const text = `"${decoder.decode(bytes.subarray(0, cut.end))}"\n`;
      return { text, view: `${placeLine(shown, shown.of)}${text}`, shown };
    };
    const attempt = (headed: boolean): { readonly cut: RawCut; readonly piece: PageText } | undefined => {
      const header = headed
        ? placeLine({ unit: 'character', name, from: place.done + 1, to: last }, last)
        : '';
      const tokens = room.tokens - this.#budget.count(header) - 3;
      const characters = room.characters - header.length - 3;
      if (tokens <= 0 || characters <= 0) return undefined;
      let length = this.#budget.prefix(raw.slice(0, characters), tokens);
      for (; length > 0; length = Math.floor(length * 0.8) - 1) {
        const cut = cutWhole(bytes, raw, length);
        if (cut.end === 0) return undefined;
        const piece = make(cut);
        const view = headed ? piece.view : piece.text;
        if (this.#fits(view, room)) return { cut, piece: { ...piece, view } };
      }
      return undefined;
    };
    const all = make(whole);
    const made = this.#fits(all.view, room)
      ? { cut: whole, piece: all }
      : (attempt(true) ?? (fresh ? attempt(false) : undefined));
    if (!made) return undefined;
    const { cut, piece } = made;
    if (cut.end === 0 && !cut.closed) return undefined;
    place.at += cut.end;
    place.done += cut.units;
    if (cut.closed || bytes[cut.end] === BYTE.quote) await this.#finishText(stage);
    return piece;
  }

  async #finishText(stage: 'key' | 'string'): Promise<void> {
    const place = this.#place;
    const cursor = this.#cursor;
    cursor.at = place.at + 1;
    if (stage === 'string') {
      await this.#complete();
      await this.#leave();
      return;
    }
    await cursor.colon();
    const byte = await cursor.expect('a value');
    const isOpen = byte === BYTE.openArray || byte === BYTE.openObject;
    const inside = byte === BYTE.quote || (isOpen && !(await this.#isEmpty(byte)));
    const stageAfter = place.frames.at(-1)?.rest && !inside ? 'bare' : 'value';
    Object.assign(place, { stage: stageAfter, at: cursor.at, done: 0, of: 0 });
  }

  /** A number, name or empty container whose long key was already shown. */
  async #takeBare(room: Room): Promise<PageText | undefined> {
    const place = this.#place;
    const frame = place.frames.at(-1);
    if (!frame) return undefined;
    const cursor = this.#cursor;
    cursor.at = place.at;
    await cursor.skip();
    const length = cursor.at - place.at;
    if (length > MAX_PIECE_BYTES) return undefined;
    const of = await this.#last(frame, true);
    cursor.at = place.at + length;
    const text = `${decoder.decode(await this.#source.read(place.at, length))}\n`;
    const shown: Extent = {
      unit: 'key',
      name: await this.#containerName(),
      from: frame.index,
      to: frame.index,
      of,
    };
    const full = { text, view: `${placeLine(shown, of)}${text}`, shown };
    const piece = this.#fits(full.view, room)
      ? full
      : this.#fits(text, room)
        ? { ...full, view: text }
        : undefined;
    if (!piece) return undefined;
    cursor.at = place.at + length;
    await this.#leave();
    return piece;
  }

  /** Continues with raw bytes from here to the end of the enclosing value. */
  async #toRaw(): Promise<void> {
    const place = this.#place;
    const cursor = this.#cursor;
    const frame = place.frames.at(-1);
    const start = place.stage === 'start' && frame ? frame.at : place.at;
    cursor.at = start;
    if (place.stage === 'key' || place.stage === 'string') {
      // The rest of a string is parsed as a string that opens one byte earlier.
      cursor.at = start - 1;
      await cursor.string(0);
    }
    if (place.stage === 'start' && frame && !frame.array) {
      await cursor.string(0);
      await cursor.colon();
      await cursor.skip();
    } else if (place.stage === 'key') {
      await cursor.colon();
      await cursor.skip();
    } else if (place.stage !== 'string') await cursor.skip();
    Object.assign(place, { stage: 'raw', at: start, done: start, of: cursor.at });
  }

  async #takeRaw(room: Room): Promise<PageText | undefined> {
    const place = this.#place;
    const bytes = await this.#source.read(
      place.at,
      Math.min(place.of - place.at, MAX_PIECE_BYTES, Math.max(8, room.characters * 4)),
    );
    const name = await this.#childName();
    const isLast = place.at + bytes.length >= place.of;
    const whole = isLast ? bytes : bytes.subarray(0, wholeLength(bytes));
    const text = decoder.decode(whole);
    const make = (units: number): PageText => {
      const kept = text.slice(0, units);
      const from = place.at - place.done + 1;
      const to = from + Math.max(1, bytesOf(whole, text, units)) - 1;
      const shown: Extent = { unit: 'byte', name, from, to, of: place.of - place.done };
      return { text: kept, view: `${placeLine(shown, place.of - place.done)}${kept}\n`, shown };
    };
    let units = text.length;
    let piece = make(units);
    if (!this.#fits(piece.view, room)) {
      const header = piece.view.slice(0, piece.view.length - text.length - 1);
      const left = room.tokens - this.#budget.count(header) - 4;
      units = Math.min(units, room.characters - header.length - 1);
      if (left > 0 && units > 0) units = this.#budget.prefix(text.slice(0, units), left);
      piece = make(Math.max(0, units));
      if (left <= 0 || units <= 0 || !this.#fits(piece.view, room)) {
        units = this.#budget.prefix(text.slice(0, Math.max(0, room.characters)), room.tokens);
        piece = make(units);
        piece = { ...piece, view: piece.text };
      }
      if (units <= 0) return undefined;
    }
    place.at += bytesOf(whole, text, units);
    if (place.at >= place.of) {
      this.#cursor.at = place.of;
      await this.#complete();
      await this.#leave();
    }
    return piece;
  }

  /** Total number of children of a frame, counted once; for a stretch, of the whole array or its last item. */
  async #last(frame: Frame, whole = false): Promise<number> {
    if (frame.of === 0) {
      const { at } = this.#cursor;
      this.#cursor.at = frame.at;
      const open = frame.array ? BYTE.openArray : BYTE.openObject;
      frame.of = frame.index - 1 + (await this.#cursor.rest(open, frame.at)).items;
      this.#cursor.at = at;
    }
    return whole || frame.to === 0 ? frame.of : frame.to;
  }

  async #token(frame: Frame): Promise<string | number> {
    if (frame.array) return frame.index - 1;
    if (frame.key === undefined) {
      const { at } = this.#cursor;
      this.#cursor.at = frame.at;
      frame.key = (await this.#cursor.string(MAX_KEY_LENGTH)).text;
      this.#cursor.at = at;
    }
    return frame.key;
  }

  async #nameOf(levels: number): Promise<string> {
    let name = this.#pointer;
    for (const frame of this.#place.frames.slice(0, levels)) name = pointerTo(name, await this.#token(frame));
    return name;
  }

  #containerName(): Promise<string> {
    return this.#nameOf(this.#place.frames.length - 1);
  }

  #childName(): Promise<string> {
    return this.#nameOf(this.#place.frames.length);
  }

  async #keyName(): Promise<string> {
    const container = await this.#containerName();
    return `${container === '' ? '' : `${container}, `}key ${this.#place.frames.at(-1)?.index ?? 1}`;
  }
}

function part({ text, view, shown, completed = [] }: PageText, next?: Next): TextPart {
  return { kind: 'text', text, view, shown: [shown, ...completed], ...(next && { next }) };
}
