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
import { Malformed } from './token-kinds.ts';

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

  end({ to, members }: Gap, place: XmlPlace, text: string, fits: number): number {
    if (members?.unit !== 'element') return lineEnd(text, fits);
    if (fits === text.length && place.offset + Buffer.byteLength(text) >= to) return fits;
    const best = new Map<number, number>();
    let { depth } = place;
    let last = 0;
    let inText = true;
    for (const token of tokensIn(text, unitsInside(place, text))) {
      inText = token.kind === 'other';
      if (token.end < 0 || token.end > fits) break;
      depth = Math.max(0, depth + (token.kind === 'open' ? 1 : token.kind === 'close' ? -1 : 0));
      last = token.end;
      best.set(depth, last);
    }
    for (const level of [...best.keys()].sort((a, b) => a - b)) {
      const found = best.get(level) ?? 0;
      if (level === 0 || found >= LEAST_SHARE * fits) return found;
    }
    return last === 0 || (inText && last < LEAST_BEFORE_TEXT * fits) ? lineEnd(text, fits) : last;
  }

  async after(gap: Gap, place: XmlPlace, text: string): Promise<XmlPlace> {
    const { window, reader } = this.#document;
    const isDamaged = text.includes('\ufffd');
    const bytes = isDamaged
      ? await window.slice(place.offset, Math.min(gap.to, place.offset + 3 * text.length))
      : undefined;
    const length = (units: number): Bytes =>
      bytes ? bytesOf(bytes, decodeUtf8(bytes), units) : Buffer.byteLength(text.slice(0, units));
    const offset = Math.min(gap.to, place.offset + length(text.length));
    if (gap.members?.unit !== 'element') return { ...place, offset, seen: place.seen + text.length };
    if (place.inside >= offset) return { ...place, offset };
    let { seen, depth } = place;
    let cut = -1;
    for (const { start, end, kind } of tokensIn(text, unitsInside(place, text))) {
      if (depth === 0 && (kind === 'open' || kind === 'empty')) seen++;
      if (kind === 'open') depth++;
      else if (kind === 'close') depth = Math.max(0, depth - 1);
      if (end < 0) cut = place.offset + length(start);
    }
    if (cut < 0 || offset >= gap.to) return { offset, seen, depth, inside: 0 };
    try {
      const token = await reader.at(cut);
      if (token.end <= offset) return { offset, seen, depth, inside: 0 };
      // A tag that is cut counts where it starts.
      if (token.kind === 'open' && depth === 0) seen++;
      if (token.kind === 'open' && !token.empty) depth++;
      if (token.kind === 'close') depth = Math.max(0, depth - 1);
      return { offset, seen, depth, inside: token.end };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { offset, seen, depth, inside: 0 };
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

/** Drops trailing zeros; missing numbers decode as zero. */
const withoutZeros = (numbers: readonly number[]): readonly number[] =>
  numbers.slice(0, numbers.findLastIndex((number) => number !== 0) + 1);

/** The request for the rest of one element, if it can be expressed. */
function requestFor({ pointer, members }: Gap, { seen, depth, inside }: XmlPlace): RequestFields | undefined {
  if (members?.unit !== 'element' || depth > 0 || inside > 0) return undefined;
  if (seen >= members.of || pointer === '' || pointer.includes('…')) return undefined;
  return { pointer, rows: `${seen + 1}-${members.of}` };
}

/** Units of `text` that belong to the token that the place is in. */
function unitsInside({ offset, inside }: XmlPlace, text: string): number {
  if (inside <= offset) return 0;
  return decodeUtf8(Buffer.from(text).subarray(0, inside - offset)).length;
}

interface TokenIn {
  readonly start: number;
  /** -1 if it is not complete. */
  readonly end: number;
  readonly kind: 'open' | 'close' | 'empty' | 'other';
}

/** The tokens of `text` from `from` on; the last one may be cut off. Checks nothing. */
function* tokensIn(text: string, from: number): Generator<TokenIn> {
  for (let start = from; start < text.length; ) {
    const [closing, lead] = text.startsWith('<!--', start)
      ? ['-->', 4]
      : text.startsWith('<![CDATA[', start)
        ? [']]>', 9]
        : text.startsWith('<?', start)
          ? ['?>', 2]
          : text[start] === '<'
            ? ['', 1]
            : ['<', 0];
    const found = closing === '' ? tagEnd(text, start) : text.indexOf(closing, start + lead);
    const end = found < 0 ? -1 : closing === '<' ? found : found + Math.max(1, closing.length);
    const isTag = closing === '' && text[start + 1] !== '!';
    const isClose = text[start + 1] === '/';
    const isEmpty = end > 0 && text[end - 2] === '/';
    const kind = !isTag || end < 0 ? 'other' : isClose ? 'close' : isEmpty ? 'empty' : 'open';
    yield { start, end, kind };
    if (end < 0) return;
    start = end;
  }
}

/** Index of the `>` that ends the tag at `start`, outside quotes; -1 if there is none. */
function tagEnd(text: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}
