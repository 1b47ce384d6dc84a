// Parses one row of a sheet's XML into cells. Values stay raw: shared strings are resolved when the table is read, and
// styles are applied when it is shown.

import { attributeOf, skipMarkup, tagEnd, XmlWalk, xmlText } from '../../../src/package/index.ts';
import { runText, unescapeText } from './text-run.ts';

/** Excel's last row and column (XFD). */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;

export interface Cell {
  /** 1-based. */
  readonly column: number;
  readonly style: number;
  /** `s` shared string, `str` and `inlineStr` text, `b`, `e`, `d`, `n`. */
  readonly type: string;
  /** Undefined if no value is stored. Resolved text for inline strings. */
  readonly value: string | undefined;
  /** Without the equals sign; empty for a cell that uses a shared formula. */
  readonly formula: string | undefined;
  /** The number of its rich value, of which the error is a stand-in; 1-based. */
  readonly rich: number | undefined;
}

export interface ParsedRow {
  readonly cells: readonly Cell[];
  /** Cells whose reference is outside the sheet, or whose column is already taken. */
  readonly ignored: number;
}

/** `A` is 1. 0 if the reference has no letters; above `MAX_COLUMNS` if it is outside the sheet. */
export function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length && at < 8; at++) {
    const code = reference.charCodeAt(at) & ~32;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column;
}

/** One number for the cell in this row and column. */
export function cellKey(row: number, column: number): number {
  return row * (MAX_COLUMNS + 1) + column;
}

/** Parses the cells of one `row` element, in column order. Never throws: invalid content is ignored. */
export function parseRow(xml: string): ParsedRow {
  const cells: Cell[] = [];
  let ignored = 0;
  let previous = 0;
  let ordered = true;
  let at = tagEnd(xml, 1) + 1;
  if (at === 0) return { cells, ignored };
  while (at < xml.length) {
    const open = xml.indexOf('<', at);
    if (open < 0) break;
    const mark = xml.charCodeAt(open + 1);
    if (mark === 33 || mark === 63) {
      at = skipMarkup(xml, open);
      continue;
    }
    const close = tagEnd(xml, open + 1);
    if (close < 0) break;
    at = close + 1;
    const name = tagName(xml, open + 1, close);
    if (!(name === 'c' || name.endsWith(':c'))) continue;
    const empty = xml.charCodeAt(close - 1) === 47;
    const attributes = xml.slice(open + 1 + name.length, empty ? close - 1 : close);
    const reference = attributeOf(attributes, 'r');
    const named = reference === undefined ? 0 : columnOf(reference);
    const column = named === 0 ? previous + 1 : named;
    let body = '';
    if (!empty) {
      const end = closingTag(xml, name, at);
      body = xml.slice(at, end);
      at = end;
    }
    if (column > MAX_COLUMNS) {
      ignored++;
      continue;
    }
    if (column <= previous) ordered = false;
    previous = column;
    const cell = readCell(column, attributes, body);
    if (cell.value !== undefined || cell.formula !== undefined) cells.push(cell);
  }
  if (ordered) return { cells, ignored };
  const byColumn = new Map<number, Cell>();
  for (const cell of cells) byColumn.set(cell.column, cell);
  ignored += cells.length - byColumn.size;
  return { cells: [...byColumn.values()].sort((a, b) => a.column - b.column), ignored };
}

function tagName(xml: string, from: number, to: number): string {
  let end = from;
  for (; end < to; end++) {
    const code = xml.charCodeAt(end);
    if (code === 32 || code === 47 || code === 9 || code === 10 || code === 13) break;
  }
  return xml.slice(from, end);
}

/** Offset of the next `</name` from `from` on; the end of the text if there is none. */
function closingTag(xml: string, name: string, from: number): number {
  const tag = `</${name}`;
  for (let at = xml.indexOf(tag, from); at >= 0; at = xml.indexOf(tag, at + 1)) {
    const after = xml.charCodeAt(at + tag.length);
    if (after === 62 || after === 32 || after === 9 || after === 10 || after === 13) return at;
  }
  return xml.length;
}

function readCell(column: number, attributes: string, body: string): Cell {
  const type = attributeOf(attributes, 't') ?? 'n';
  const style = Number(attributeOf(attributes, 's') ?? 0);
  let value: string | undefined;
  let formula: string | undefined;
  let at = 0;
  while (at < body.length) {
    const open = body.indexOf('<', at);
    if (open < 0) break;
    const mark = body.charCodeAt(open + 1);
    if (mark === 33 || mark === 63) {
      at = skipMarkup(body, open);
      continue;
    }
    const close = tagEnd(body, open + 1);
    if (close < 0) break;
    at = close + 1;
    const name = tagName(body, open + 1, close);
    const local = name.slice(name.indexOf(':') + 1);
    if (local !== 'v' && local !== 'f' && local !== 'is') continue;
    const isEmpty = body.charCodeAt(close - 1) === 47;
    const end = isEmpty ? at : closingTag(body, name, at);
    const inside = isEmpty ? '' : body.slice(at, end);
    at = end;
    if (local === 'v') value = characters(inside);
    else if (local === 'f') formula = characters(inside);
    else value = runText(inside);
  }
  if (type === 'str' && value !== undefined) value = unescapeText(value);
  // An empty `v` is an empty text, but not a number.
  if (value === '' && type !== 'str' && type !== 'inlineStr') value = undefined;
  const metadata = type === 'e' ? attributeOf(attributes, 'vm') : undefined;
  const rich = metadata === undefined ? undefined : Number(metadata);
  return { column, style: Number.isInteger(style) ? style : 0, type, value, formula, rich };
}

/** Character data of an element without children; CDATA sections are unwrapped, stray tags dropped. */
function characters(inside: string): string {
  if (!inside.includes('<')) return xmlText(inside);
  const walk = new XmlWalk(inside);
  let text = '';
  while (walk.next()) if (walk.kind === 'text') text += walk.text;
  return text;
}
