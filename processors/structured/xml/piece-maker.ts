// Cuts the content reached by a walk over XML into labelled pieces.

import { type Budget, type Bytes, type Extent, safeCut, wholeLength } from '../../../src/contract/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { indexAfterUnits } from '../text-window.ts';
import type { XmlDocument } from './document.ts';
import { extendPath } from './node-test.ts';
import { type Level, MAX_LEVELS, type XmlPosition } from './position.ts';
import { Malformed, type Token } from './token-kinds.ts';
import type { Cut } from './view.ts';

/** Maximum bytes read for one piece. */
const MOST_BYTES = 1024 * 1024;

/** Makes the pieces of one range. */
export class PieceMaker {
  readonly #document: XmlDocument;
  readonly #cut: Cut;
  readonly #budget: Budget;

  constructor(document: XmlDocument, cut: Cut, budget: Budget) {
    this.#document = document;
    this.#cut = cut;
    this.#budget = budget;
  }

  /**
   * The longest suitable piece from `place` to at most `end` that fits. `bare`: drop the label if it would not fit
   * otherwise.
   */
  async make(
    place: XmlPosition,
    end: Bytes,
    room: Room,
    plain: boolean,
    bare: boolean,
  ): Promise<PageText | undefined> {
    const { window } = this.#document;
    const most = Math.min(MOST_BYTES, Math.max(0, room.characters) * 3);
    const held = await window.slice(place.offset, Math.min(end, place.offset + most));
    const bytes = held.slice(0, wholeLength(held));
    if (bytes.length === 0) return undefined;
    const text = decodeUtf8(bytes);
    let reserve = 0;
    for (let attempt = plain ? 4 : 0; attempt < 4; attempt++) {
      const tokens = room.tokens - reserve;
      const characters = room.characters - reserve * 6;
      const length = this.#fitting(text, tokens, characters);
      if (length <= 0) break;
      const limit = place.offset + (length === text.length ? bytes.length : indexAfterUnits(bytes, length));
      const made = limit > place.offset ? await this.#upTo(place, limit, end, bytes) : undefined;
      if (!made) break;
      const view = labelOf(made.shown) + closed(made.text);
      if (this.#budget.fits(view, room.tokens, room.characters)) return { ...made, view };
      reserve = Math.max(reserve * 2, this.#budget.count(labelOf(made.shown)) + 4);
    }
    if (!bare && !plain) return undefined;
    for (let tokens = room.tokens; tokens > 0; tokens = Math.floor(tokens * 0.75)) {
      const length = this.#fitting(text, tokens, room.characters);
      const limit = place.offset + (length === text.length ? bytes.length : indexAfterUnits(bytes, length));
      const made = limit > place.offset ? await this.#upTo(place, limit, end, bytes) : undefined;
      if (!made) return undefined;
      if (this.#budget.fits(made.text, room.tokens, room.characters)) return { ...made, view: made.text };
    }
    return undefined;
  }

  #fitting(text: string, tokens: number, characters: number): number {
    if (tokens <= 0 || characters <= 0) return 0;
    const most = characters >= text.length ? text : text.slice(0, safeCut(text, characters));
    return this.#budget.fits(most, tokens, characters) ? most.length : this.#budget.prefix(most, tokens);
  }

  async #upTo(
    place: XmlPosition,
    limit: Bytes,
    end: Bytes,
    bytes: Uint8Array,
  ): Promise<Omit<PageText, 'view'> | undefined> {
    const found =
      this.#cut.unit === 'element' ? await this.#boundary(place, limit, end) : this.#inside(place, limit);
    if (found.place.offset <= place.offset) return undefined;
    const text = decodeUtf8(bytes.subarray(0, found.place.offset - place.offset));
    const after = await this.#counted(found.place);
    const shown =
      this.#cut.unit === 'element'
        ? await this.#elements(place, after, found.top)
        : await this.#characters(place, after);
    const parted = after.offset < end && (found.depth > found.top || after.anchor < after.offset);
    return { text, shown, after, parted };
  }

  #inside(place: XmlPosition, limit: Bytes): Boundary {
    const offset = Math.min(limit, this.#cut.end);
    return { place: { ...place, offset, anchor: offset }, depth: 0, top: 0 };
  }

  /** The best end of a piece that starts at `place` and may reach `limit`. */
  async #boundary(place: XmlPosition, limit: Bytes, end: Bytes): Promise<Boundary> {
    const { reader, window } = this.#document;
    const best = new Map<number, Boundary>();
    const levels = [...place.levels];
    let hidden = place.hidden;
    let top = levels.length - 1;
    let last: Boundary | undefined;
    let position = place.anchor;
    let stopped: Token | undefined;
    try {
      while (position < end) {
        const token = await reader.at(position);
        if (token.kind === 'end') break;
        if (token.end > limit) {
          stopped = token;
          break;
        }
        if (token.kind === 'close' && hidden === 0 && levels.length === 1) break;
        position = token.end;
        const blank = token.kind === 'text' && (await window.skipBlank(token.start, token.end)) === token.end;
        if (token.kind === 'open') {
          const level = levels.at(-1);
          if (hidden === 0 && level) levels[levels.length - 1] = { ...level, seen: level.seen + 1 };
          if (!token.empty) {
            if (hidden > 0 || levels.length >= MAX_LEVELS) hidden++;
            else levels.push({ seen: 0, of: undefined, open: token });
          }
        } else if (token.kind === 'close') {
          if (hidden > 0) hidden--;
          else levels.pop();
          top = Math.min(top, levels.length - 1);
        } else if (blank && !last && position < end) continue;
        last = {
          place: { offset: position, anchor: position, levels: [...levels], hidden },
          depth: levels.length - 1 + hidden,
          top,
        };
        best.set(last.depth, last);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    if (last && position >= end) return last;
    const inText = stopped !== undefined && stopped.kind !== 'open' && stopped.kind !== 'close';
    return (
      chosen(best, last, place.offset, limit, inText) ?? {
        place: {
          offset: limit,
          anchor: stopped && stopped.start < limit ? stopped.start : limit,
          levels,
          hidden,
        },
        depth: levels.length - 1 + hidden,
        top,
      }
    );
  }

  /** Counts the children of the elements around a place, if not yet known. */
  async #counted(place: XmlPosition): Promise<XmlPosition> {
    if (!place.levels.some((level) => level.open)) return place;
    const levels: Level[] = [];
    for (const { seen, of, open } of place.levels) {
      if (!open) levels.push({ seen, of });
      else {
        try {
          levels.push({ seen, of: (await this.#document.contents.of(open)).children });
        } catch (error) {
          if (!(error instanceof Malformed)) throw error;
          levels.push({ seen, of: undefined });
        }
      }
    }
    return { ...place, levels };
  }

  /** The elements started between two places: on the levels left, the common one, and those entered. */
  async #elements(from: XmlPosition, to: XmlPosition, top: number): Promise<readonly Extent[]> {
    const shown: Extent[] = [];
    const { window } = this.#document;
    const add = (levels: readonly Level[], depth: number, first: number, last: number): void => {
      if (last < first) return;
      const of = depth === 0 ? this.#cut.of : levels[depth]?.of;
      const name = pathOf(this.#cut, levels, depth);
      shown.push({ unit: 'element', from: first, to: last, ...(of !== undefined && { of }), name });
    };
    if (from.anchor < from.offset) {
      const token = await this.#document.reader.at(from.anchor);
      shown.push(
        await this.#within(from, from.anchor, from.offset, Math.min(to.offset, token.end), token.end),
      );
    }
    for (let depth = from.levels.length - 1; depth > top; depth--) {
      const { seen = 0, of } = from.levels[depth] ?? {};
      if (of !== undefined) add(from.levels, depth, seen + 1, of);
    }
    add(to.levels, top, (from.levels[top]?.seen ?? 0) + 1, to.levels[top]?.seen ?? 0);
    for (let depth = top + 1; depth < to.levels.length; depth++)
      add(to.levels, depth, 1, to.levels[depth]?.seen ?? 0);
    if (to.anchor < to.offset && to.anchor >= from.offset) {
      const token = await this.#document.reader.at(to.anchor);
      shown.push(await this.#within(to, to.anchor, to.anchor, to.offset, token.end));
    }
    if (shown.length === 0)
      shown.push({ unit: 'byte', from: from.offset + 1, to: to.offset, of: window.size, name: '' });
    return shown;
  }

  /** Characters of one long token, counted from its start. */
  async #within(place: XmlPosition, start: Bytes, from: Bytes, to: Bytes, end: Bytes): Promise<Extent> {
    const { window } = this.#document;
    const before = await window.units(start, from);
    const here = await window.units(from, to);
    const path = pathOf(this.#cut, place.levels, place.levels.length - 1);
    return {
      unit: 'character',
      from: before + 1,
      to: before + here,
      of: before + here + (await window.units(to, end)),
      name: `${path}, from byte ${start + 1}`,
    };
  }

  async #characters(from: XmlPosition, to: XmlPosition): Promise<readonly Extent[]> {
    const { window } = this.#document;
    const { start, end, unit, path, first, of } = this.#cut;
    if (unit === 'attribute') {
      if (from.offset === start && to.offset === end)
        return [{ unit: 'key', from: first, to: of, of, name: path }];
      const before = await window.units(start, from.offset);
      const here = await window.units(from.offset, to.offset);
      const all = before + here + (await window.units(to.offset, end));
      const name = `${path}, attributes ${first}-${of}`;
      return [{ unit: 'character', from: before + 1, to: before + here, of: all, name }];
    }
    const before = first - 1 + (await window.units(start, from.offset));
    const here = await window.units(from.offset, to.offset);
    return [{ unit: 'character', from: before + 1, to: before + here, of, name: path }];
  }
}

/** Prefers whole children, then the shallowest place that uses the room; undefined to cut inside a token. */
function chosen(
  best: ReadonlyMap<number, Boundary>,
  last: Boundary | undefined,
  from: Bytes,
  limit: Bytes,
  inText: boolean,
): Boundary | undefined {
  if (!last) return undefined;
  for (const depth of [...best.keys()].sort((a, b) => a - b)) {
    const boundary = best.get(depth);
    if (boundary && (depth === 0 || boundary.place.offset - from >= LEAST_SHARE * (limit - from)))
      return boundary;
  }
  return inText && last.place.offset - from < LEAST_BEFORE_TEXT * (limit - from) ? undefined : last;
}

function labelOf(shown: readonly Extent[]): string {
  const named = shown.slice(0, MAX_NAMED).map(({ unit, from, to, of, name }) => {
    const range = from === to ? String(from) : `${from}-${to}`;
    return `${name ? `${name}, ` : ''}${UNIT_WORDS[unit] ?? unit} ${range}${of === undefined ? '' : ` of ${of}`}`;
  });
  return `${named.join('; ')}${shown.length > MAX_NAMED ? '; …' : ''}:\n`;
}

const UNIT_WORDS: Readonly<Partial<Record<Extent['unit'], string>>> = {
  element: 'elements',
  key: 'attributes',
  character: 'characters',
  byte: 'bytes',
};

function closed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function pathOf(cut: Cut, levels: readonly Level[], depth: number): string {
  let path = cut.path;
  for (let level = 0; level < depth; level++) path = extendPath(path, String(levels[level]?.seen ?? 0));
  return path === '' ? '/' : path;
}

export interface Room {
  readonly tokens: number;
  readonly characters: number;
}

interface PageText {
  readonly text: string;
  readonly view: string;
  readonly shown: readonly Extent[];
  readonly after: XmlPosition;
  /** True if the piece ends inside an element it entered, or inside a token. */
  readonly parted: boolean;
}

/** A possible end of a piece. `top` is the shallowest level crossed on the way. */
interface Boundary {
  readonly place: XmlPosition;
  readonly depth: number;
  readonly top: number;
}

/** Maximum stretches named in the line above a piece. */
const MAX_NAMED = 4;
/** Minimum share of the room a boundary below the first level must use to be preferred. */
const LEAST_SHARE = 0.5;
/** Below this share, text is cut in the middle instead of being left for the next page. */
const LEAST_BEFORE_TEXT = 0.25;
