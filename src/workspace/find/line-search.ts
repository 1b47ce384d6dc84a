// Searches one text for matching lines, block by block: constant memory, exact line and column, resumable after every
// block, even inside an endless line. Works on text, not on files.

import { isAscii } from 'node:buffer';
import { type Bytes, isInsidePair, safeCut } from '../../contract/index.ts';
import type { Match } from '../workspace.ts';
import type { Found, LinePart, Pattern } from './pattern.ts';
import { decodeText, type SearchedText } from './searched-text.ts';

/** Where a search resumes. */
export interface LinePlace {
  /** Start of a line, or a position inside one. */
  readonly offset: Bytes;
  /** 1-based number of the line at `offset`. */
  readonly line: number;
  /** UTF-16 units of that line before `offset`. */
  readonly column: number;
  /** The last line already reported or skipped; lines up to it are not searched. */
  readonly seen: number;
}

/** A matching line, without its file. */
export interface LineMatch extends Omit<Match, 'path' | 'address' | 'label' | 'converted'> {
  /** Where to go on behind it. */
  readonly resume: LinePlace;
  /** What matched. */
  readonly found: readonly Found[];
}

/** Matches of a line that are kept; further ones are counted with the last. */
const MAX_FOUND = 1000;
/** Excerpts of a long line. */
const MAX_EXCERPTS = 10;

/** Characters of a line shown in a match. */
const SHOWN_LENGTH = 300;
/** The same of a match that is longer. */
const MAX_SHOWN_LENGTH = 500;
/** How many come behind it. */
const SHOWN_BEHIND = 50;
/** How many of them come before the match in a cut line. */
const SHOWN_BEFORE = 100;
/** Characters shown of a context line. */
const CONTEXT_LENGTH = 200;
/** How far around a match its context is searched. */
const CONTEXT_BYTES = 32 * 1024;

export function startOf(text: SearchedText): LinePlace {
  return { offset: text.start, line: 1, column: 0, seen: 0 };
}

/** A search through one text. */
export class LineSearch {
  /** Some lines were longer than a block; splitting them may have hidden a match. */
  hasLongLines = false;
  /** Some matches are in such lines; their context is left out. */
  lacksContext = false;
  /** The whole text has been searched. */
  ended = false;
  readonly #text: SearchedText;
  readonly #pattern: Pattern;
  readonly #context: number;
  #buffer: Buffer | undefined;
  readonly #unit: 1 | 2;
  #place: LinePlace;

  constructor(text: SearchedText, pattern: Pattern, place: LinePlace, context: number) {
    this.#text = text;
    this.#pattern = pattern;
    this.#context = context;
    this.#place = place;
    this.#unit = text.encoding === 'utf-8' ? 1 : 2;
  }

  get place(): LinePlace {
    return this.#place;
  }

  /** Searches the next block. To stop after a match, resume from its line: `{ ...place, seen: line }`. */
  async step(): Promise<{ readonly matches: readonly LineMatch[]; readonly from: LinePlace }> {
    const from = this.#place;
    const { offset } = from;
    const want = Math.min(this.#pattern.blockBytes, Math.max(0, this.#text.size - offset));
    const block = await this.#text.read(offset, want, () => {
      this.#buffer ??= Buffer.allocUnsafe(want);
      return this.#buffer;
    });
    const filled = block.length;
    // Drop half a UTF-16 unit at the end.
    const bytes = block.subarray(0, filled - (filled % this.#unit));
    if (bytes.length === 0) {
      this.ended = true;
      return { matches: [], from };
    }
    const atEnd = filled < want || offset + filled >= this.#text.size;
    const whole = from.column > 0 ? 0 : atEnd ? bytes.length : this.#lastLineEnd(bytes);
    const matches =
      whole > 0 ? await this.#wholeLines(bytes.subarray(0, whole), atEnd) : this.#piece(bytes, atEnd);
    this.ended = atEnd && this.#place.offset >= offset + bytes.length;
    return { matches, from };
  }

  async #wholeLines(bytes: Buffer, atEnd: boolean): Promise<LineMatch[]> {
    const { offset, line: first, seen } = this.#place;
    const matches: LineMatch[] = [];
    let line = first;
    if (this.#unit === 1 && !this.#pattern.mayBeInBytes(bytes)) {
      if (!atEnd) line += countByte(bytes, this.#text.newline);
    } else {
      const lines = plainLines(this.#decode(bytes), this.#text.newline);
      let known = { line: first, at: 0 };
      for (let at = 0; at < lines.length; ) {
        const next = this.#pattern.nextIn(lines, at);
        if (next < 0) {
          line += countLineEnds(lines, at);
          break;
        }
        let end = lines.indexOf('\n', at);
        for (; end >= 0 && end < next; end = lines.indexOf('\n', at)) {
          line += 1;
          at = end + 1;
        }
        const whole = lines.slice(at, end < 0 ? lines.length : end);
        const match = line > seen ? this.#matchIn(whole, line, 0, { ...this.#place, seen: line }) : undefined;
        if (match) {
          if (this.#context === 0) matches.push(match);
          else {
            known = { line, at: this.#lineStart(bytes, known, line) };
            const after = this.#lineStart(bytes, known, line + 1);
            matches.push({ ...match, ...(await this.#contextOf(offset + known.at, offset + after)) });
          }
        }
        if (end < 0) break;
        line += 1;
        at = end + 1;
      }
    }
    this.#place = { offset: offset + bytes.length, line, column: 0, seen };
    return matches;
  }

  /** Searches a part of a line longer than a block, or skips the rest of a line already reported. */
  #piece(bytes: Buffer, atEnd: boolean): LineMatch[] {
    const { offset, line, column, seen } = this.#place;
    const end = this.#firstLineEnd(bytes);
    const done = seen >= line;
    const last = end > 0 || atEnd;
    const length = end > 0 ? end : atEnd ? bytes.length : this.#wholeCharacters(bytes);
    const part = bytes.subarray(0, length);
    const may = !done && (this.#unit === 2 || this.#pattern.mayBeInBytes(part));
    const text = may ? plainLines(this.#decode(part), this.#text.newline).replace(/\n$/, '') : '';
    if (!done && !this.#pattern.exactInPieces) this.hasLongLines = true;
    const match = may
      ? this.#matchIn(text, line, column, this.#place, { first: column === 0, last })
      : undefined;
    if (match) this.lacksContext ||= this.#context > 0;
    if (last) this.#place = { offset: offset + length, line: line + 1, column: 0, seen };
    else {
      // What overlaps begins behind the last match, so that none is found twice.
      const behind = Buffer.byteLength(
        text.slice(0, match?.found.at(-1)?.end ?? 0),
        this.#text.encoding === 'utf-8' ? 'utf8' : 'utf16le',
      );
      const overlap = done
        ? 0
        : Math.min(this.#pattern.overlapBytes, length >> 1, Math.max(0, length - behind));
      const kept = length - overlap;
      const on = this.#wholeCharacters(bytes.subarray(0, kept - (kept % this.#unit)));
      this.#place = {
        offset: offset + on,
        line,
        column: column + this.#units(bytes.subarray(0, on)),
        seen,
      };
    }
    return match ? [{ ...match, cut: true, resume: this.#place }] : [];
  }

  /** The matches in a line, or in the part of it that starts at `column`. */
  #matchIn(
    text: string,
    line: number,
    column: number,
    resume: LinePlace,
    piece?: LinePart,
  ): LineMatch | undefined {
    const found: Found[] = [];
    for (const one of this.#pattern.matches(text, piece)) {
      found.push(one);
      if (found.length >= MAX_FOUND) break;
    }
    const [first] = found;
    if (!first) return undefined;
    const also: { column: number; text: string }[] = [];
    const shown = shownLine(text, first, found);
    let { to } = shown;
    let more = 0;
    for (const one of found.slice(1)) {
      if (Math.min(one.end, one.start + SHOWN_BEFORE) <= to) continue;
      if (also.length >= MAX_EXCERPTS) more += 1;
      else {
        const excerpt = cutAround(text, one, to);
        also.push({ column: column + one.start + 1, text: excerpt.text });
        ({ to } = excerpt);
      }
    }
    return {
      line,
      column: column + first.start + 1,
      text: shown.text,
      cut: shown.cut,
      spans: shown.spans,
      ...(also.length > 0 && { also }),
      ...(more > 0 && { more }),
      resume,
      found,
    };
  }

  #decode(bytes: Buffer): string {
    return decodeText(bytes, this.#text.encoding);
  }

  #units(bytes: Buffer): number {
    if (this.#unit === 2) return bytes.length / 2;
    return isAscii(bytes) ? bytes.length : bytes.toString('utf8').length;
  }

  /** Offset just past the last line end; 0 for none. */
  #lastLineEnd(bytes: Buffer): number {
    const { newline } = this.#text;
    if (this.#unit === 1) return bytes.lastIndexOf(newline) + 1;
    for (let at = bytes.length - 2; at >= 0; at -= 2) if (this.#unitAt(bytes, at) === newline) return at + 2;
    return 0;
  }

  #firstLineEnd(bytes: Buffer): number {
    const { newline } = this.#text;
    if (this.#unit === 1) return bytes.indexOf(newline) + 1;
    for (let at = 0; at < bytes.length; at += 2) if (this.#unitAt(bytes, at) === newline) return at + 2;
    return 0;
  }

  #unitAt(bytes: Buffer, at: number): number {
    return this.#text.encoding === 'utf-16be' ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at);
  }

  /** Length of `bytes` without a character cut off at the end. */
  #wholeCharacters(bytes: Buffer): number {
    if (this.#unit === 2) {
      const unit = bytes.length >= 4 ? this.#unitAt(bytes, bytes.length - 2) : 0;
      return unit >= 0xd800 && unit <= 0xdbff ? bytes.length - 2 : bytes.length;
    }
    for (let back = 1; back <= 3 && back < bytes.length; back += 1) {
      const byte = bytes[bytes.length - back] ?? 0;
      if ((byte & 0xc0) === 0x80) continue;
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return needed > back ? bytes.length - back : bytes.length;
    }
    return bytes.length;
  }

  /** Offset of `line` in the block, counted from an earlier known line. */
  #lineStart(bytes: Buffer, known: { readonly line: number; readonly at: number }, line: number): number {
    let { at } = known;
    for (let left = line - known.line; left > 0; left -= 1) {
      const end = this.#firstLineEnd(bytes.subarray(at));
      if (end === 0) return bytes.length;
      at += end;
    }
    return at;
  }

  /** Lines before the one at `start` and after `end`. */
  async #contextOf(start: Bytes, end: Bytes): Promise<Pick<LineMatch, 'before' | 'after'>> {
    const from = Math.max(this.#text.start, start - CONTEXT_BYTES);
    const before = await this.#linesIn(from, start);
    if (from > this.#text.start && before.length > this.#context) before.shift();
    const after = await this.#linesIn(end, Math.min(this.#text.size, end + CONTEXT_BYTES));
    return {
      before: before.slice(-this.#context).map((line) => shorten(line)),
      after: after.slice(0, this.#context).map((line) => shorten(line)),
    };
  }

  async #linesIn(from: Bytes, to: Bytes): Promise<string[]> {
    if (to <= from) return [];
    const bytes = await this.#text.read(from, to - from, () => Buffer.allocUnsafe(to - from));
    let start = 0;
    if (this.#unit === 1) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    const part = bytes.subarray(start, bytes.length - (bytes.length % this.#unit));
    const text = plainLines(this.#decode(part.subarray(0, this.#wholeCharacters(part))), this.#text.newline);
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  }
}

/** Converts line ends to LF. */
function plainLines(text: string, newline: 10 | 13): string {
  if (newline === 13) return text.replaceAll('\r', '\n');
  if (!text.includes('\r')) return text;
  const plain = text.replaceAll('\r\n', '\n');
  return plain.endsWith('\r') ? plain.slice(0, -1) : plain;
}

/** A stretch of a line, in UTF-16 units. */
type Stretch = Pick<Found, 'start' | 'end'>;

interface Excerpt {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly cut: boolean;
}

/** A line as shown in a match, cut around the match at `around`, with those of the matches that it shows. */
export function shownLine(
  line: string,
  around: Stretch,
  found: readonly Found[],
): Excerpt & Pick<LineMatch, 'spans'> {
  const excerpt = cutAround(line, around);
  const spans = found
    .map(({ start, end }) => [start - excerpt.from, end - excerpt.from] as const)
    .filter(([start, end]) => start >= 0 && end <= excerpt.text.length);
  return { ...excerpt, spans };
}

/** `least`: where an excerpt before it ended. */
function cutAround(line: string, { start, end }: Stretch, least = 0): Excerpt {
  if (line.length <= SHOWN_LENGTH) return { from: 0, to: line.length, text: detached(line), cut: false };
  const begin = Math.min(start, Math.max(least, start - SHOWN_BEFORE));
  const from = begin <= 0 ? 0 : safeCut(line.slice(0, start), begin);
  // A long match is shown to its end.
  const length = Math.min(MAX_SHOWN_LENGTH, Math.max(SHOWN_LENGTH, end + SHOWN_BEHIND - from));
  const text = detached(upTo(line.slice(from, from + length + MARGIN), length));
  return { from, to: from + text.length, text, cut: true };
}

/** Copies the text: V8 keeps the whole block in memory as long as a slice of it is alive. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Characters `safeCut` must see after a cut to know whether a character continues there. */
const MARGIN = 64;

function upTo(text: string, length: number): string {
  const cut = safeCut(text, length);
  return text.slice(0, isInsidePair(text, cut) ? cut - 1 : cut);
}

function shorten(line: string): string {
  if (line.length <= CONTEXT_LENGTH) return detached(line);
  return detached(`${upTo(line.slice(0, CONTEXT_LENGTH + MARGIN), CONTEXT_LENGTH)}…`);
}

/** With fewer bytes per line than this, a byte loop is faster than searching for each line end [measured]. */
const SHORT_LINE = 16;
const SAMPLE_BYTES = 4096;

function countByte(bytes: Buffer, wanted: number): number {
  let count = 0;
  let at = bytes.indexOf(wanted);
  while (at >= 0) {
    count += 1;
    if (at > SAMPLE_BYTES && at < count * SHORT_LINE) break;
    at = bytes.indexOf(wanted, at + 1);
  }
  if (at < 0) return count;
  for (let rest = at + 1; rest < bytes.length; rest += 1) if (bytes[rest] === wanted) count += 1;
  return count;
}

function countLineEnds(text: string, from: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
