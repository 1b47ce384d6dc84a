// Walks the gaps of a view of XML, each byte once. A piece ends after whole child elements if they fit, else inside the
// deepest that is needed.

import {
  type Bytes,
  type Extent,
  type Next,
  type Position,
  type RequestFields,
  wholeLength,
} from '../../../src/contract/index.ts';
import { bytesOf, decodeUtf8 } from '../byte-window.ts';
import type { Gap } from '../elision.ts';
import { lineEnd, type Place, type Walk } from '../source-pages.ts';
import type { XmlDocument } from './document.ts';
import { Malformed, type Token } from './token-kinds.ts';

/** Maximum bytes read for one piece. */
const MOST_BYTES = 1024 * 1024;
/** Minimum share of the room a boundary below the first level must use to be preferred. */
const LEAST_SHARE = 0.5;
/** Below this share, text is cut in the middle instead of being left for the next page. */
const LEAST_BEFORE_TEXT = 0.25;

/** A place in the file, by its byte. */
export interface XmlPlace extends Place {
  /** What the gap counts, before the place: elements that started, or characters. */
  readonly seen: number;
  /** Elements of the gap that are open. */
  readonly depth: number;
  /** End of the token that the place is in; 0 between tokens. */
  readonly inside: Bytes;
}

export class XmlWalk implements Walk<XmlPlace> {
  readonly #document: XmlDocument;
  readonly #head: Position;

  constructor(document: XmlDocument, head: Position) {
    this.#document = document;
    this.#head = head;
  }

  start({ from, members }: Gap): XmlPlace {
    return { offset: from, seen: (members?.first ?? 1) - 1, depth: 0, inside: 0 };
  }

  async read({ to }: Gap, { offset }: XmlPlace, most: number): Promise<string> {
    const bytes = Math.min(MOST_BYTES, 3 * Math.max(0, most) + 3, to - offset);
    const read = await this.#document.window.slice(offset, offset + bytes);
    return decodeUtf8(offset + bytes < to ? read.subarray(0, wholeLength(read)) : read);
  }

  heading({ from, pointer, members }: Gap, { offset, seen, depth, inside }: XmlPlace): string {
    if (!members || (pointer === '' && offset === from)) return '';
    const { unit, of } = members;
    const isElement = unit === 'element';
    if (pointer === '' || (isElement && (depth > 0 || inside > 0 || seen >= of)))
      return `${pointer}${pointer !== '' && depth > 0 ? `/${seen}` : ''}${pointer === '' ? 'From' : ', from'} byte ${offset + 1}:\n`;
    return `${pointer}, from ${unit === 'key' ? 'attribute' : unit} ${seen + 1} of ${of}:\n`;
  }

  async end(gap: Gap, place: XmlPlace, text: string, fits: number): Promise<number> {
    if (gap.members?.unit !== 'element') return lineEnd(text, fits);
    const bytes = await this.#encoded(gap, place, text);
    const room = bytesOf(bytes, decodeUtf8(bytes), fits);
    if (fits === text.length && place.offset + room >= gap.to) return fits;
    const best = new Map<number, Bytes>();
    let last = 0;
    let inText = true;
    await this.#steps(place, place.offset + room, ({ depth, inside }, kind) => {
      inText = kind !== 'open' && kind !== 'close';
      if (inside > place.offset + room) return;
      last = inside - place.offset;
      best.set(depth, last);
    });
    const units = (end: Bytes): number => decodeUtf8(bytes.subarray(0, end)).length;
    for (const [level, found] of [...best].sort(([a], [b]) => a - b))
      if (level === 0 || found >= LEAST_SHARE * room) return units(found);
    return last === 0 || (inText && last < LEAST_BEFORE_TEXT * room) ? lineEnd(text, fits) : units(last);
  }

  async after(gap: Gap, place: XmlPlace, text: string): Promise<XmlPlace> {
    const bytes = await this.#encoded(gap, place, text);
    const offset = Math.min(gap.to, place.offset + bytesOf(bytes, decodeUtf8(bytes), text.length));
    if (gap.members?.unit !== 'element') return { ...place, offset, seen: place.seen + text.length };
    let { seen, depth, inside } = place;
    await this.#steps(place, offset, (step) => {
      ({ seen, depth, inside } = step);
    });
    return { offset, seen, depth, inside: inside > offset && offset < gap.to ? inside : 0 };
  }

  /** The bytes that `text`, which is at `place`, was decoded from; more if some are not valid. */
  async #encoded({ to }: Gap, { offset }: XmlPlace, text: string): Promise<Uint8Array> {
    if (!text.includes('\ufffd')) return Buffer.from(text);
    return (await this.#document.window.slice(offset, Math.min(to, offset + 3 * text.length))).slice();
  }

  /** Calls `see` with what is open after each token that starts before `stop`, up to one that is malformed. */
  async #steps(
    { offset, inside, ...before }: XmlPlace,
    stop: Bytes,
    see: (step: Omit<XmlPlace, 'offset'>, kind: Token['kind']) => void,
  ): Promise<void> {
    let { seen, depth } = before;
    for (let at = Math.max(offset, inside); at < stop; ) {
      const token = await this.#document.reader.at(at).catch(unlessMalformed);
      if (!token) return;
      if (token.kind === 'open' && depth === 0) seen++;
      if (token.kind === 'open' && !token.empty) depth++;
      if (token.kind === 'close') depth = Math.max(0, depth - 1);
      at = token.end;
      see({ seen, depth, inside: at }, token.kind);
    }
  }

  shown(
    { from: start, to: end, pointer: name, members }: Gap,
    from: XmlPlace,
    to: XmlPlace,
  ): readonly Extent[] {
    const { unit, first, of } = members ?? { unit: 'element', first: 1, of: 0 };
    if (unit === 'element' && to.seen > from.seen)
      return [{ unit, from: from.seen + 1, to: to.seen, of, name }];
    if (unit === 'character') return [{ unit, from: from.seen + 1, to: to.seen, of, name }];
    if (unit === 'key' && from.offset === start && to.offset === end)
      return [{ unit, from: first, to: of, of, name }];
    return [{ unit: 'byte', from: from.offset + 1, to: to.offset, of: this.#document.window.size, name: '' }];
  }

  next(gaps: readonly Gap[], place: XmlPlace): Next {
    const position = [...this.#head, place.offset, ...withoutZeros([place.seen, place.depth, place.inside])];
    const [gap] = gaps;
    const request = gap && requestFor(gap, place);
    if (gaps.length === 1) return { position, ...(request && { request }) };
    // A request covers only one gap, the largest that has one.
    const size = ({ from, to }: Gap): number => to - from;
    let skip: RequestFields | undefined;
    for (const other of gaps.toSorted((a, b) => size(b) - size(a)))
      skip ??= other === gap ? request : requestFor(other, this.start(other));
    return { position, ...(skip && { skip }) };
  }
}

function unlessMalformed(error: unknown): undefined {
  if (!(error instanceof Malformed)) throw error;
}

/** Drops trailing zeros; missing numbers decode as zero. */
const withoutZeros = (numbers: readonly number[]): readonly number[] =>
  numbers.slice(0, numbers.findLastIndex((number) => number !== 0) + 1);

/** The request for the rest of one element, if it can be expressed. */
function requestFor({ pointer, members }: Gap, { seen, depth, inside }: XmlPlace): RequestFields | undefined {
  if (members?.unit !== 'element' || depth > 0 || inside > 0) return undefined;
  if (seen >= members.of || pointer === '' || pointer.includes('…')) return undefined;
  return { pointer, rows: `${seen + 1}-${members.of}` };
}
