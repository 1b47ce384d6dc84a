// The blocks of any file, from the parts of its text: those of a document as it names them, the records of a table, and
// the paragraphs of everything else. Knows no format.

import {
  type Extent,
  newlinesIn,
  type Part,
  type SectionLines,
  type TextBlock,
  type TextPart,
} from '../contract/index.ts';
import type { ChunkBlock } from './chunks.ts';

/** A heading of a text, or a definition, with its level from 1. */
export interface Section extends SectionLines {
  readonly level: number;
}

/** What is known of a file before its parts. */
export interface ChunkedText {
  /** By line. */
  readonly sections: readonly Section[];
  readonly kind: 'text' | 'code';
}

/** The blocks of a file in order: their texts make up its text. */
export async function* blocksOf(parts: AsyncIterable<Part>, text: ChunkedText): AsyncGenerator<ChunkBlock> {
  const path = new Path();
  const flow = new Paragraphs(text, path);
  let header = '';
  let line = 1;
  for await (const part of parts) {
    if (part.kind !== 'text') continue;
    const [shown] = part.shown;
    const isFlow = !part.blocks && shown?.unit !== 'row' && shown?.unit !== 'entry' && shown?.unit !== 'item';
    if (!isFlow) yield* flow.end();
    if (part.blocks) {
      yield* documentBlocks(part, part.blocks, line, path);
      line += newlinesIn(part.text);
    } else if (shown?.unit === 'row' || shown?.unit === 'entry') {
      const first = part.text.indexOf('\n') + 1;
      if (shown.from === 1)
        header = newlinesIn(part.text) > shown.to - shown.from + 1 ? part.text.slice(0, first) : '';
      if (part.text !== '') yield* recordBlocks(part.text, shown, header);
    } else if (shown?.unit === 'item') {
      const item = new Paragraphs({ ...text, sections: [] }, new Path(), shown);
      yield* item.add(part.text);
      yield* item.end();
    } else yield* flow.add(part.text);
  }
  yield* flow.end();
}

/** The headings around a place. */
class Path {
  readonly #open: { readonly level: number; readonly title: string; readonly to: number }[] = [];

  open(level: number, title: string, to: number = Number.POSITIVE_INFINITY): void {
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    this.#open.push({ level, title, to });
  }

  /** Leaves what ends before `line`. */
  reach(line: number): void {
    while ((this.#open.at(-1)?.to ?? line) < line) this.#open.pop();
  }

  get titles(): string[] {
    return this.#open.map(({ title }) => title);
  }
}

function* documentBlocks(
  { text, shown }: TextPart,
  blocks: readonly TextBlock[],
  first: number,
  path: Path,
): Generator<ChunkBlock> {
  const [whole] = shown;
  let from = 0;
  let line = first;
  for (const { to, kind, level, title = '', ...facts } of blocks) {
    const own = text.slice(from, to);
    const lines = newlinesIn(own);
    if (level !== undefined) path.open(level, title);
    const isRows = whole?.unit === 'row';
    const place = isRows || (whole && isNumbered(whole)) ? placeIn(whole) : placeAt(line, own);
    // The number of a page is its place.
    if (kind !== 'page')
      yield {
        ...facts,
        kind,
        text: own,
        place,
        headings: isRows ? (whole.name === undefined ? [] : [whole.name]) : path.titles,
        ...(isRows && whole.from > 1 && { continues: true }),
        ...(level !== undefined && { opens: level }),
      };
    from = to;
    line += lines;
  }
}

const isNumbered = ({ unit }: Extent): boolean => unit === 'page' || unit === 'slide';

const placeIn = ({ unit, from, to, name }: Extent): Extent => ({
  unit,
  from,
  to,
  ...(name !== undefined && { name }),
});

const placeAt = (line: number, text: string): Extent => ({
  unit: 'line',
  from: line,
  to: line + newlinesIn(text.trimEnd()),
});

/** Lines that hold one record each, maybe below a header. */
function* recordBlocks(text: string, shown: Extent, header: string): Generator<ChunkBlock> {
  const items = lineEnds(header === '' ? text : text.slice(header.length)).map((end) => end + header.length);
  yield {
    kind: 'table',
    text,
    items: items.slice(0, -1),
    headings: [],
    place: placeIn(shown),
    ...(header !== '' && { frame: { before: header, after: '' } }),
    ...(shown.from > 1 && { continues: true }),
  };
}

function lineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    at = text.indexOf('\n', at) + 1 || text.length;
    ends.push(at);
  }
  return ends;
}

/** Longer paragraphs, and lines, are handed on in pieces. */
const LONG = 64 * 1024;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const DELIMITERS = /^[ \t|:-]{3,}$/;

/** Parts a text that arrives in pieces at blank lines and where its sections start. */
class Paragraphs {
  readonly #sections: readonly Section[];
  readonly #kind: ChunkedText['kind'];
  readonly #path: Path;
  /** Where all of it is; else its lines are counted. */
  readonly #place: Extent | undefined;
  /** The next of `#sections`. */
  #next = 0;
  /** The line that `#block` starts at, and the one after it. */
  #first = 1;
  #line = 1;
  /** The line that is not complete. */
  #rest = '';
  #block = '';
  /** The sections that start in `#block`. */
  #opening: Section[] = [];
  #continues = false;
  #isBlank = false;
  #fence: string | undefined;

  constructor({ sections, kind }: ChunkedText, path: Path, place?: Extent) {
    this.#sections = sections;
    this.#kind = kind;
    this.#path = path;
    this.#place = place && placeIn(place);
  }

  *add(text: string): Generator<ChunkBlock> {
    let at = 0;
    for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', at)) {
      const line = this.#rest + text.slice(at, feed + 1);
      this.#rest = '';
      at = feed + 1;
      yield* this.#addLine(line);
    }
    this.#rest += text.slice(at);
    if (this.#rest.length < LONG) return;
    yield* this.#addLine(this.#rest);
    this.#rest = '';
  }

  *end(): Generator<ChunkBlock> {
    if (this.#rest !== '') yield* this.#addLine(this.#rest);
    yield* this.#flush();
  }

  *#addLine(line: string): Generator<ChunkBlock> {
    const number = this.#line;
    const isBlank = line.trim() === '';
    const section = this.#sections[this.#next];
    const isHeading = section?.isHeading === true && section.from === number;
    // A comment above a definition belongs to it, so only a blank line parts the two.
    const isParted = this.#isBlank && !isBlank && this.#fence === undefined;
    if (isHeading || isParted || this.#block.length >= LONG) {
      const { length } = this.#block;
      yield* this.#flush();
      this.#continues = length >= LONG && !isHeading && !isParted;
    }
    for (let next = section; next && next.from <= number; next = this.#sections[this.#next]) {
      this.#opening.push(next);
      this.#next += 1;
    }
    this.#block += line;
    if (line.endsWith('\n')) this.#line += 1;
    this.#isBlank = isBlank;
    const mark = FENCE.exec(line)?.[1];
    if (this.#kind === 'text' && mark !== undefined) {
      if (this.#fence === undefined) this.#fence = mark;
      else if (mark.startsWith(this.#fence)) this.#fence = undefined;
    }
    if (this.#heading && number >= this.#heading.to) yield* this.#flush();
  }

  get #heading(): Section | undefined {
    return this.#opening.find(({ isHeading }) => isHeading);
  }

  *#flush(): Generator<ChunkBlock> {
    const text = this.#block;
    if (text === '') return;
    const last = this.#first + newlinesIn(text.trimEnd());
    this.#path.reach(this.#first);
    for (const { level, title, to, isHeading } of this.#opening)
      this.#path.open(level, title, isHeading ? undefined : to);
    const [opens] = this.#opening;
    yield {
      ...this.#form(text),
      text,
      headings: this.#path.titles,
      place: this.#place ?? { unit: 'line', from: this.#first, to: last },
      ...(opens && { opens: opens.level }),
      ...(this.#continues && { continues: true }),
    };
    this.#first = this.#line;
    this.#block = '';
    this.#opening = [];
    this.#continues = false;
  }

  #form(text: string): Pick<ChunkBlock, 'kind' | 'frame' | 'items'> {
    if (this.#heading) return { kind: 'heading' };
    if (this.#kind === 'code') return { kind: 'code' };
    const first = text.indexOf('\n') + 1;
    const mark = FENCE.exec(text)?.[1];
    if (mark !== undefined && first > 0)
      return { kind: 'code', frame: { before: text.slice(0, first), after: `\n${mark}` } };
    const ends = lineEnds(text);
    // A comment may stand above the header.
    const rule = ends
      .slice(0, HEADER_LINES)
      .findIndex((end, at) => at > 0 && isRule(text.slice(ends[at - 1], end)));
    if (rule < 1) return { kind: 'text' };
    const before = text.slice(ends[rule - 2] ?? 0, ends[rule]);
    return { kind: 'table', frame: { before, after: '' }, items: ends.slice(rule + 1, -1) };
  }
}

/** Lines searched for the one below a table's header. */
const HEADER_LINES = 4;
const isRule = (line: string): boolean => line.includes('|') && DELIMITERS.test(line.trim());
