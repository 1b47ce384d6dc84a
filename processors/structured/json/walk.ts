// Pages of what a view of a JSON document left out. Each piece is given once, below a line that names its place, and is
// itself a JSON value: array items, object members, a part of a string. Only what is neither is cut into raw bytes.

import {
  type Budget,
  type Bytes,
  type Extent,
  largestFitting,
  safeCut,
  type TextPart,
  wholeLength,
} from '../../../src/contract/index.ts';
import { bytesOf, decodeUtf8 } from '../byte-window.ts';
import { childrenIn, cutWhole, placeLine, rowsIn } from './piece.ts';
import type { JsonPlace } from './place.ts';
import type { Frame } from './position.ts';
import { BYTE, cutRaw } from './raw.ts';

/** Remaining room on a page. */
interface Room {
  readonly tokens: number;
  readonly characters: number;
}

interface Piece {
  readonly text: string;
  readonly view: string;
  readonly shown: Extent;
}

/** A part of a string or of raw bytes. */
interface Slice {
  readonly text: string;
  readonly shown: Extent;
  readonly bytes: Bytes;
  readonly units: number;
}

/** Maximum bytes inspected for one piece. */
const MAX_PIECE_BYTES = 256 * 1024;
/** One page from `place` on, until the budget is spent or nothing is left. */
export async function* jsonPage(place: JsonPlace, budget: Budget): AsyncGenerator<TextPart> {
  let room: Room = { tokens: budget.tokensBesideNotes, characters: budget.charactersBesideNotes };
  const maker = new PieceMaker(place, budget);
  let pending: TextPart | undefined;
  while (await place.seek()) {
    if (pending) yield { ...pending, next: await place.next() };
    const piece = await maker.take(room, pending === undefined);
    if (!piece) return;
    const { text, view, shown } = piece;
    const tokens = room.tokens === Number.POSITIVE_INFINITY ? room.tokens : room.tokens - budget.count(view);
    room = { tokens, characters: room.characters - view.length };
    pending = { kind: 'text', text, view, shown: [shown, ...place.completed()] };
  }
  if (pending) yield pending;
}

const lineOf = ({ text, shown }: { readonly text: string; readonly shown: Extent }): string =>
  `${placeLine(shown, shown.of)}${text}${text.endsWith('\n') ? '' : '\n'}`;

class PieceMaker {
  readonly #place: JsonPlace;
  readonly #budget: Budget;

  constructor(place: JsonPlace, budget: Budget) {
    this.#place = place;
    this.#budget = budget;
  }

  /** The piece at the place, or as much of it as fits; undefined if none of it fits here. `fresh`: on an empty page. */
  async take(room: Room, fresh: boolean): Promise<Piece | undefined> {
    for (;;)
      try {
        return await this.#take(room, fresh);
      } catch (error) {
        await this.#place.asBytes(error);
      }
  }

  async #take(room: Room, fresh: boolean): Promise<Piece | undefined> {
    const { here } = this.#place;
    for (;;) {
      const frame = here.frames.at(-1);
      if (here.stage === 'raw') return this.#raw(room, fresh);
      if (here.stage === 'string') {
        const piece = await this.#string(room, fresh);
        if (piece || !fresh) return piece;
        await this.#place.toRaw();
      } else {
        if (!frame) return undefined;
        const taken = await this.#children(frame, room, fresh);
        if (typeof taken === 'object') return taken;
        if (taken === 'full' && !fresh) return undefined;
        await this.#place.enterOmitted(frame);
      }
    }
  }

  #fits(text: string, room: Room): boolean {
    return this.#budget.fits(text, room.tokens, room.characters);
  }

  /** Takes children from the current one on. `full`: none fits here; `enter`: the first fits no page. */
  async #children(frame: Frame, room: Room, fresh: boolean): Promise<Piece | 'full' | 'enter'> {
    const page = {
      tokens: this.#budget.tokensBesideNotes,
      characters: this.#budget.charactersBesideNotes,
    };
    const end = await this.#place.endOf(frame);
    const most = Math.min(MAX_PIECE_BYTES, Math.max(64, page.characters * 4), end - frame.at);
    const bytes = await this.#place.source.read(frame.at, most);
    const left = frame.to > 0 ? frame.to - frame.index + 1 : Number.POSITIVE_INFINITY;
    const isRow = this.#place.isRow(frame);
    const children =
      isRow && this.#place.rows
        ? rowsIn(bytes, this.#place.rows.newline, frame.at + bytes.length >= end)
        : childrenIn(bytes, left);
    if (children.length === 0) return 'enter';
    const [open, close] = isRow ? ['', ''] : frame.array ? ['[', ']\n'] : ['{', '}\n'];
    const first = await this.#place.extentOf(frame, 1);
    const make = (count: number): Piece => {
      const text = `${open}${decodeUtf8(bytes.subarray(0, children[count - 1]))}${close}`;
      const shown = { ...first, to: first.from + count - 1 };
      return { text, shown, view: isRow ? text : lineOf({ text, shown }) };
    };
    const count = largestFitting(children.length, (tried) => this.#fits(make(tried).view, room));
    const taken = Math.max(1, count);
    const piece = make(taken);
    if (count === 0) {
      // Only children of the outermost container are found again without the line.
      const least = this.#place.here.frames.length > 1 ? piece.view : piece.text;
      if (!this.#fits(least, page)) return 'enter';
      if (!fresh || !this.#fits(least, room)) return 'full';
    }
    await this.#place.pass(frame, taken, frame.at + (children[taken - 1] ?? 0));
    return count === 0 ? { ...piece, view: piece.text } : piece;
  }

  /** A part of a string, in quotes. */
  async #string(room: Room, fresh: boolean): Promise<Piece | undefined> {
    const { source, here } = this.#place;
    const { done } = here;
    const bytes = await source.read(here.at, Math.min(MAX_PIECE_BYTES, Math.max(64, room.characters * 6)));
    const whole = cutRaw(bytes, 0, bytes.length);
    const raw = decodeUtf8(bytes.subarray(0, whole.end));
    const name = await this.#place.childName();
    const slice = (length: number): Slice => {
      const { end, units } = length < raw.length ? cutWhole(bytes, raw, length) : whole;
      const to = done + Math.max(1, units);
      const shown: Extent = { unit: 'character', name, from: done + 1, to, of: Math.max(here.of, to) };
      return { text: `"${decodeUtf8(bytes.subarray(0, end))}"\n`, shown, bytes: end, units };
    };
    const found = this.#fitting(raw, slice, room, fresh);
    if (!found || (found.bytes === 0 && !whole.closed)) return undefined;
    here.at += found.bytes;
    here.done += found.units;
    if (bytes[found.bytes] === BYTE.quote) await this.#place.finish(here.at + 1);
    return found;
  }

  async #raw(room: Room, fresh: boolean): Promise<Piece | undefined> {
    const { source, here } = this.#place;
    const { at, done, of } = here;
    const most = Math.min(of - at, MAX_PIECE_BYTES, Math.max(8, room.characters * 4));
    const read = await source.read(at, most);
    const bytes = at + read.length >= of ? read : read.subarray(0, wholeLength(read));
    const raw = decodeUtf8(bytes);
    const name = await this.#place.childName();
    const slice = (most: number): Slice => {
      const units = safeCut(raw, most);
      const length = bytesOf(bytes, raw, units);
      const from = at - done + 1;
      const shown: Extent = { unit: 'byte', name, from, to: from + Math.max(1, length) - 1, of: of - done };
      return { text: raw.slice(0, units), shown, bytes: length, units };
    };
    const found = this.#fitting(raw, slice, room, fresh);
    if (!found) return undefined;
    here.at += found.bytes;
    if (here.at >= of) await this.#place.finish(of);
    return found;
  }

  /** The longest slice of `raw` that fits below the line that names it; on an empty page, if none does, without. */
  #fitting(
    raw: string,
    slice: (length: number) => Slice,
    room: Room,
    fresh: boolean,
  ): (Slice & Piece) | undefined {
    const whole = slice(raw.length);
    if (this.#fits(lineOf(whole), room)) return { ...whole, view: lineOf(whole) };
    const line = placeLine(whole.shown, whole.shown.of);
    for (const { beside, view } of [
      { beside: `${line}""\n`, view: lineOf },
      ...(fresh ? [{ beside: '', view: ({ text }: Slice) => text }] : []),
    ]) {
      const tokens = room.tokens - this.#budget.count(beside);
      const characters = room.characters - beside.length;
      if (tokens <= 0 || characters <= 0) continue;
      let length = this.#budget.prefix(raw.slice(0, characters), tokens);
      for (; length > 0; length = Math.floor(length * 0.8) - 1) {
        const tried = slice(length);
        if (tried.bytes === 0) break;
        if (this.#fits(view(tried), room)) return { ...tried, view: view(tried) };
      }
    }
    return undefined;
  }
}
