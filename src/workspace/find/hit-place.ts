// Where a line of converted text is in its file: a page, a slide, a cell, a section. Kept while the text is searched.

import type { Place } from '../../address/index.ts';
import { columnLetters, type TextBlock, type TextPart } from '../../contract/index.ts';

/** A place of a hit, and what a reader calls it. */
export interface HitPlace {
  /** Undefined: no finer than what was searched. */
  readonly place?: Place;
  /** What `place.pages` counts. */
  readonly unit?: 'page' | 'slide';
  /** The section around it, or the name of its column. */
  readonly label?: string;
}

interface Known {
  readonly part: TextPart;
  /** Line of the file's text at which the part starts. */
  readonly line: number;
  /** The heading above it. */
  readonly heading: string | undefined;
}

/** The parts of a text, in order, by the lines they start at. */
export class HitPlaces {
  /** The text is that of a place in its file. */
  readonly #isPart: boolean;
  readonly #parts: Known[] = [];
  #heading: string | undefined;
  /** Where the last place was looked for. */
  #at = 0;
  #line = 0;
  #offset = 0;

  constructor(isPart: boolean) {
    this.#isPart = isPart;
  }

  /** `line`: of the whole text, at which `part` starts. */
  add(part: TextPart, line: number): void {
    this.#parts.push({ part, line, heading: this.#heading });
    for (const { title } of part.blocks ?? []) if (title !== undefined) this.#heading = title;
  }

  /** Forgets the parts before `line`. */
  passed(line: number): void {
    const kept = this.#parts.findLastIndex((known) => known.line <= line);
    this.#parts.splice(0, Math.max(0, kept));
    this.#at = 0;
  }

  /** The place of a line and column, from 1; lines are asked for in ascending order. */
  of(line: number, column: number): HitPlace {
    while ((this.#parts[this.#at + 1]?.line ?? Number.POSITIVE_INFINITY) <= line) {
      this.#at += 1;
      this.#line = 0;
    }
    const known = this.#parts[this.#at];
    if (!known) return {};
    const { part } = known;
    const [shown] = part.shown;
    const { unit, from, to } = shown ?? { unit: 'line', from: line, to: line };
    if (unit === 'page' || unit === 'slide')
      return { place: { pages: from === to ? `${from}` : `${from}-${to}` }, unit };
    if (unit === 'item' && shown?.name !== undefined)
      return { place: { pointer: `/${shown.name}/${from - 1}` } };
    if (unit === 'row' && shown) return cellAt(part, this.#offsetOf(known, line) + column - 1);
    const heading = headingAt(known, this.#offsetOf(known, line));
    // Converted lines of a part have numbers of their own.
    const place = this.#isPart && unit !== 'line' ? {} : { place: { lines: `${line}` } };
    return { ...place, ...(heading !== undefined && { label: heading }) };
  }

  /** Where `line` starts in its part. */
  #offsetOf({ part, line: first }: Known, line: number): number {
    if (this.#line === 0 || this.#line > line) {
      this.#line = first;
      this.#offset = 0;
    }
    for (; this.#line < line; this.#line += 1) {
      const end = part.text.indexOf('\n', this.#offset);
      if (end < 0) break;
      this.#offset = end + 1;
    }
    return this.#offset;
  }
}

/** The heading that the block at `offset` is, or stands under. */
function headingAt({ part, heading }: Known, offset: number): string | undefined {
  let under = heading;
  let from = 0;
  for (const { to, title } of part.blocks ?? []) {
    if (from > offset) break;
    under = title ?? under;
    from = to;
  }
  return under;
}

/** The cell of a table at `offset` of a part of its rows, written as CSV. */
function cellAt({ text, shown, blocks = [] }: TextPart, offset: number): HitPlace {
  const [rows] = shown;
  if (!rows) return {};
  const [block] = blocks;
  const items = block?.items ?? [];
  const isWhole = items.length === rows.to - rows.from;
  const index = items.filter((start) => start <= offset).length;
  const row = isWhole ? `${rows.from + index}` : `${rows.from}-${rows.to}`;
  const start = index === 0 ? firstRow(text, block, offset) : (items[index - 1] ?? 0);
  const column = columnAt(text, start, offset);
  const label = namesOf(block?.frame?.before ?? '')[column];
  const named = label === undefined || label === '' ? {} : { label };
  if (rows.name === undefined) return { place: { rows: row }, ...named };
  const cells = isWhole ? `${columnLetters(column + 1)}${row}` : row.replace('-', ':');
  return { place: { sheet: rows.name, cells }, ...named };
}

/** Start of the first row, behind the header, unless the header is what is at `offset`. */
function firstRow(text: string, block: TextBlock | undefined, offset: number): number {
  const header = block?.frame?.before ?? '';
  return text.startsWith(header) && offset >= header.length ? header.length : 0;
}

/** Number of the field at `offset` in the CSV record at `start`, from 0. */
function columnAt(text: string, start: number, offset: number): number {
  let column = 0;
  let isQuoted = false;
  for (let at = start; at < offset; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) column += 1;
  }
  return column;
}

/** The fields of a CSV record. */
function namesOf(record: string): string[] {
  const names: string[] = [];
  for (const [, quoted, plain = ''] of record.trimEnd().matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    names.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  return names;
}
