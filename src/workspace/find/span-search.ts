// Searches one text for matches that may span lines: one window at a time, in constant memory, resumable after every
// window.

import type { Bytes } from '../../contract/index.ts';
import { type LineMatch, type LinePlace, shownLine } from './line-search.ts';
import type { Found, SpanPattern } from './pattern.ts';
import { decodeText, type SearchedText } from './searched-text.ts';

/** Lines shown of a match after its first. */
const MAX_LINES = 20;

/** Like `LineSearch`, for matches across lines. May miss a match longer than half a window. */
/** Of a line without a match. */
const NOWHERE = { start: 0, end: 0 };

export class SpanSearch {
  hasLongLines = false;
  readonly lacksContext = false;
  ended = false;
  readonly #text: SearchedText;
  readonly #pattern: SpanPattern;
  readonly #context: number;
  readonly #unit: 1 | 2;
  #place: LinePlace;

  constructor(text: SearchedText, pattern: SpanPattern, place: LinePlace, context: number) {
    this.#text = text;
    this.#pattern = pattern;
    this.#place = place;
    this.#context = context;
    this.#unit = text.encoding === 'utf-8' ? 1 : 2;
  }

  get place(): LinePlace {
    return this.#place;
  }

  async step(): Promise<{ readonly matches: readonly LineMatch[]; readonly from: LinePlace }> {
    const from = this.#place;
    const want = Math.min(this.#pattern.windowBytes, Math.max(0, this.#text.size - from.offset));
    const bytes = await this.#text.read(from.offset, want, () => Buffer.allocUnsafe(want));
    const atEnd = bytes.length < want || from.offset + bytes.length >= this.#text.size;
    const ends = this.#lineEnds(bytes);
    // Matches start in the first half and may extend into the second.
    const half = atEnd ? bytes.length : (ends.findLast((end) => end <= bytes.length / 2) ?? ends[0]);
    if (half === undefined) {
      this.hasLongLines = true;
      this.#place = { ...from, offset: from.offset + bytes.length, column: 1 };
      return { matches: [], from };
    }
    // Inside a line that was too long: skip the rest of it.
    const start = from.column > 0 ? (ends[0] ?? bytes.length) : 0;
    const line = from.column > 0 ? from.line + 1 : from.line;
    const matches = this.#matchesIn(bytes, start, half, line);
    const passed = ends.filter((end) => end <= half).length;
    this.#place = {
      offset: from.offset + Math.max(start, half),
      line: from.line + passed,
      column: 0,
      seen: from.seen,
    };
    this.ended = atEnd;
    return { matches, from };
  }

  #matchesIn(bytes: Buffer, start: number, half: number, first: number): LineMatch[] {
    const plain = (part: Buffer): string =>
      decodeText(part, this.#text.encoding).replace(this.#text.newline === 13 ? /\r/g : /\r\n/g, '\n');
    const begins = plain(bytes.subarray(start, half));
    const lines = plain(bytes.subarray(start));
    const matches: LineMatch[] = [];
    let line = first;
    let counted = 0;
    let reported = 0;
    for (let at = 0; at <= begins.length; ) {
      const found = this.#pattern.next(lines, at);
      if (!found || found.start >= begins.length) break;
      for (let end = lines.indexOf('\n', counted); end >= 0 && end < found.start; ) {
        line += 1;
        counted = end + 1;
        end = lines.indexOf('\n', counted);
      }
      const begin = lines.lastIndexOf('\n', found.start - 1) + 1;
      // A match that ends with a line end does not extend into the next line.
      const last = Math.max(found.start, found.end - 1);
      const stop = lines.indexOf('\n', last) < 0 ? lines.length : lines.indexOf('\n', last);
      at = found.end > found.start ? found.end : stop + 1;
      // Further matches in the lines of the last one, or from its first line on, are not matches of their own.
      if (last < reported || line === matches.at(-1)?.line) continue;
      reported = stop;
      if (line > this.#place.seen)
        matches.push({
          line,
          ...this.#matchOf(found, lines, begin, stop),
          resume: { ...this.#place, seen: line },
          found: [found],
        });
    }
    return matches;
  }

  #matchOf(
    { start, end }: Found,
    lines: string,
    begin: number,
    stop: number,
  ): Omit<LineMatch, 'line' | 'resume' | 'found'> {
    const [head = '', ...rest] = lines.slice(begin, stop).split('\n');
    const context = this.#context;
    const above = context === 0 ? [] : lines.slice(0, begin).split('\n').slice(0, -1).slice(-context);
    const under = context === 0 ? '' : lines.slice(stop + 1);
    const below = under === '' ? [] : under.replace(/\n$/, '').split('\n').slice(0, context);
    const after = [...rest.slice(0, MAX_LINES), ...(rest.length <= MAX_LINES ? below : [])];
    const match = { start: start - begin, end: Math.min(head.length, end - begin), text: '' };
    const { text, cut, spans } = shownLine(head, match, [match]);
    return {
      column: match.start + 1,
      text,
      spans,
      cut: cut || rest.length > MAX_LINES,
      ...(rest.length > 0 && { continued: Math.min(rest.length, MAX_LINES) }),
      ...(above.length > 0 && { before: above.map((text) => shownLine(text, NOWHERE, []).text) }),
      ...(after.length > 0 && { after: after.map((text) => shownLine(text, NOWHERE, []).text) }),
    };
  }

  /** Offsets just past each line end. */
  #lineEnds(bytes: Buffer): Bytes[] {
    const { newline, encoding } = this.#text;
    const ends: Bytes[] = [];
    if (this.#unit === 1)
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) ends.push(at + 1);
    else
      for (let at = 0; at + 1 < bytes.length; at += 2) {
        const unit = encoding === 'utf-16be' ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at);
        if (unit === newline) ends.push(at + 2);
      }
    return ends;
  }
}
