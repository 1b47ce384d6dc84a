// Where a line of converted text is in its file: a page, a slide, a cell, a section. Kept while the text is searched.

import type { Place } from '../../address/index.ts';
import { columnLetters, type Extent, type TextBlock, type TextPart } from '../../contract/index.ts';

/** A place of a hit, and what a reader calls it. */
export interface HitPlace {
  /** Undefined: no finer than what was searched. */
  readonly place?: Place;
  /** What `place.pages` counts. */
  readonly unit?: 'page' | 'slide';
  /** The section or slide around it, or the names of its column and row. */
  readonly label?: string;
}

/** Longer names say less than they cost. */
const MAX_LABEL = 40;
/** A comment of a document, as it is written: `[^c1]: Ines: Which one?`. */
const COMMENT = /\[\^(c\d+(?:-\d+)*)\]: /y;

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
    const mark = commentAt(part, this.#offsetOf(known, line));
    if (mark !== undefined) return { place: { comment: mark } };
    if (unit === 'page' || unit === 'slide') {
      const title = unit === 'slide' ? slideTitle(part) : headingAt(known, this.#offsetOf(known, line));
      const pages = from === to ? `${from}` : `${from}-${to}`;
      return { place: { pages }, unit, ...labelOf(title) };
    }
    // A cell of a notebook: its pointer would show it as JSON.
    if (unit === 'item') return { place: { rows: `${from}` } };
    if (unit === 'row' && shown) return cellAt(part, this.#offsetOf(known, line) + column - 1);
    const heading = headingAt(known, this.#offsetOf(known, line));
    // Converted lines of a part have numbers of their own.
    const place = this.#isPart && unit !== 'line' ? {} : { place: { lines: `${line}` } };
    return { ...place, ...(heading !== undefined && { label: heading }) };
  }

  /** How many lines before and after a line, the last one asked for, are on its page, slide or sheet. */
  around(line: number): { readonly before: number; readonly after: number } {
    const bounds = { before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
    const own = this.#parts[this.#at];
    if (!own) return bounds;
    for (let at = this.#at; at > 0; at -= 1)
      if (surface(this.#parts[at - 1]) !== surface(own)) {
        bounds.before = line - (this.#parts[at]?.line ?? line);
        break;
      }
    const next = this.#parts.slice(this.#at + 1).find((part) => surface(part) !== surface(own));
    if (next) bounds.after = next.line - line - 1;
    return bounds;
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

/** What a line of text never continues on from another: a page, a slide, a sheet, a comment on a cell. */
function surface(known: Known | undefined): string | Known {
  const { unit, from, name = '' } = known?.part.shown[0] ?? {};
  if (unit === 'page' || unit === 'slide') return `${unit} ${from}`;
  if (known && unit === 'row' && known.part.blocks?.[0]?.kind === 'text') return known;
  return unit === 'row' ? name : '';
}

/** The mark of the comment whose block is at `offset`. */
function commentAt({ text, blocks = [] }: TextPart, offset: number): string | undefined {
  const at = blocks.findIndex(({ to }) => to > offset);
  if (blocks[at]?.kind !== 'text') return undefined;
  COMMENT.lastIndex = blocks[at - 1]?.to ?? 0;
  return COMMENT.exec(text)?.[1];
}

const slideTitle = ({ blocks = [] }: TextPart): string | undefined =>
  blocks.find(({ title }) => title !== undefined)?.title;

/** Empty if there is no label, or only a long one. */
const labelOf = (text: string | undefined): Pick<HitPlace, 'label'> =>
  text === undefined || text === '' || text.length > MAX_LABEL ? {} : { label: text };

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

/** The cell of a table at `offset` of a part of its rows, written as CSV, or the one that a comment is on. */
function cellAt({ text, shown, blocks = [] }: TextPart, offset: number): HitPlace {
  const [rows, ...columns] = shown;
  if (!rows) return {};
  const [block] = blocks;
  if (block?.kind === 'text' && rows.name !== undefined)
    return { place: { sheet: rows.name, cells: `${letters(columns, 0)}${rows.from}` } };
  const items = block?.items ?? [];
  const isWhole = items.length === rows.to - rows.from;
  const index = items.filter((start) => start <= offset).length;
  const row = isWhole ? `${rows.from + index}` : `${rows.from}-${rows.to}`;
  const start = index === 0 ? firstRow(text, block, offset) : (items[index - 1] ?? 0);
  const column = columnAt(text, start, offset);
  const header = block?.frame?.before ?? '';
  const name = namesOf(header)[column] ?? '';
  const isHeader = text.startsWith(header) && offset < header.length;
  const key = isHeader || !isWhole ? '' : keyOf(text.slice(start, offset), column);
  const both = [name, key].filter((one) => one !== '').join(', ');
  const named = labelOf(both.length > MAX_LABEL ? name : both);
  if (rows.name === undefined) return { place: { rows: row }, ...named };
  const cells = isWhole ? `${letters(columns, column)}${row}` : row.replace('-', ':');
  return { place: { sheet: rows.name, cells }, ...named };
}

/** Letters of the shown column with number `index`, from 0. */
function letters(shown: readonly Extent[], index: number): string {
  let left = index;
  for (const { unit, from, to } of shown) {
    if (unit !== 'column') continue;
    if (left <= to - from) return columnLetters(from + left);
    left -= to - from + 1;
  }
  return columnLetters(index + 1);
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

/** What names a row: its first field with text, before the one with number `column`. */
const keyOf = (before: string, column: number): string =>
  namesOf(before)
    .slice(0, column)
    .find((field) => field.trim() !== '') ?? '';

/** The fields of a CSV record. */
function namesOf(record: string): string[] {
  const names: string[] = [];
  for (const [, quoted, plain = ''] of record.trimEnd().matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    names.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  return names;
}
