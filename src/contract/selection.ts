// The part of a file a caller requests: request fields, validated and parsed.

import { ReaderError } from './error.ts';
import { quoted } from './name.ts';
import type { Position } from './part.ts';
import { plural } from './text.ts';

/** Request fields that select a part of a file, as written by the caller. */
export interface RequestFields {
  /** `"201-400"`, `"201-"`, `"7"`, `"-100"` (the last 100). */
  readonly lines?: string;
  readonly rows?: string;
  /** Names, 1-based indices or letter ranges, separated by commas: `"id,name"`, `"1-5"`, `"A-F"`. */
  readonly columns?: string;
  /**
   * Delimited files and sheets: `false` reads the first record as a row, `true` as the names of the columns. Default:
   * detected.
   */
  readonly header?: boolean;
  /** A sheet's name or its 1-based index. */
  readonly sheet?: string;
  /** `"1-3,7"`. */
  readonly pages?: string;
  /** JSON Pointer, RFC 6901. A segment `*` stands for every item of an array and every member of an object. */
  readonly pointer?: string;
  /** The name of a definition in source code: `"Reader.read"`. */
  readonly symbol?: string;
  /** Documents: the text under a heading, found by its number (`"7.2"`) or its words. */
  readonly section?: string;
  /** Documents: the number of a table, counted from 1, to read as a table with `rows`, `columns` and `format`. */
  readonly table?: string;
  /** Documents: a comment by its number or its mark (`"c4"`), with the text it stands on. */
  readonly comment?: string;
  /** A crop of an image in original pixels: `"left,top,width,height"`, counted from 0. */
  readonly region?: string;
  /**
   * Bytes of a text file, as if they were all of it: `"1-8388608"`, `"-1000000"`. They begin and end at line ends; a
   * delimited file keeps its header. Rows and lines are counted from the first byte.
   */
  readonly bytes?: string;
  /** Tracked changes: `accept` (default) shows the text as if they were accepted, `mark` shows both readings. */
  readonly changes?: Changes;
}

/** The name of a selection field. */
export type SelectionField = keyof RequestFields;

/** How tracked changes are shown. */
export type Changes = 'accept' | 'mark';

/** How a table is written; `json` can also render YAML and TOML. */
export type TableFormat = 'csv' | 'markdown' | 'json';

/** How much of a picture to return: `low` a thumbnail, `auto` within the limits, `full` all pixels. */
export type Detail = 'low' | 'auto' | 'full';

/** A rectangle in pixels of the upright picture; `left` and `top` count from 0. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A 1-based inclusive range; `to` is Infinity for an open one. `last` counts from the end instead. */
export type Range = { readonly from: number; readonly to: number } | { readonly last: number };

/** A validated request, as a processor sees it. */
export interface Selection {
  readonly lines?: Range;
  readonly rows?: Range;
  readonly bytes?: Range;
  readonly columns?: string;
  readonly header?: boolean;
  readonly sheet?: string;
  readonly pages?: readonly Range[];
  readonly pointer?: string;
  readonly symbol?: string;
  readonly section?: string;
  readonly table?: number;
  readonly comment?: string;
  readonly region?: Region;
  readonly detail?: Detail;
  readonly changes?: Changes;
  /** For an archive, the folder to list, as `Folder` names it; everything if absent. */
  readonly folder?: string;
  /**
   * Where the previous answer ended, from a cursor already checked to belong to this content. Bounds-check every value.
   */
  readonly resume?: Position;
  readonly format?: TableFormat;
  /** Cells of workbooks without number formats: numbers as stored, dates as ISO 8601. */
  readonly plain?: boolean;
  /** Cells of workbooks with their formulas: `1167.6 (=D2*E2)`. */
  readonly formulas?: boolean;
  /** With `all`: what stands beside the content, such as comments on cells, follows it as text, to be searched. */
  readonly searched?: boolean;
  /** Report the box of each block on its page or slide. */
  readonly boxes: boolean;
  /** Prefix line numbers in the view. */
  readonly numbered: boolean;
  /** The whole converted file: no format limits, no budget, no view marks. Yield incrementally. */
  readonly all: boolean;
  /** Show headings, sheets, keys or symbols instead of the content if it does not all fit. */
  readonly outline: boolean;
  /** Only the cheap part of an outline, to show above the content. */
  readonly brief: boolean;
}

function badRange(field: string, text: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `\`${field}\` is ${quoted(text)}; expected a range such as \`201-400\`, \`201-\`, \`7\` or \`-100\` (the last 100).`,
    `Write \`${field}\` as \`"1-100"\`; counting starts at 1.`,
  );
}

/**
 * Parses one range: `"a-b"`, `"a-"`, `"a"`, `"-n"`.
 * @throws {ReaderError} BAD_INPUT for any other form, a number 0, or an end before the start
 */
export function parseRange(field: string, text: string): Range {
  const match = /^\s*(?:(\d{1,15})\s*)?(?:(-)\s*)?(?:(\d{1,15})\s*)?$/.exec(text);
  if (!match) throw badRange(field, text);
  const [, first, dash, second] = match;
  if (first === undefined) {
    if (dash === undefined || second === undefined || Number(second) === 0) throw badRange(field, text);
    return { last: Number(second) };
  }
  if (dash === undefined && second !== undefined) throw badRange(field, text);
  const from = Number(first);
  const to = dash === undefined ? from : second === undefined ? Number.POSITIVE_INFINITY : Number(second);
  if (from === 0 || to < from) throw badRange(field, text);
  return { from, to };
}

/** Parses `"left,top,width,height"`. @throws {ReaderError} BAD_INPUT for any other form, or zero width or height */
export function parseRegion(text: string): Region {
  const [left, top, width, height] = /^\s*\d{1,9}(?:\s*,\s*\d{1,9}){3}\s*$/.test(text)
    ? text.split(',').map(Number)
    : [];
  if (left === undefined || top === undefined || !width || !height)
    throw new ReaderError(
      'BAD_INPUT',
      `\`region\` is ${quoted(text)}; expected \`left,top,width,height\` in pixels, such as \`0,0,800,600\`.`,
      'Write `region` as four integers; `left` and `top` count from 0.',
    );
  return { left, top, width, height };
}

/** Parses ranges separated by commas (`"1-3,7"`). @throws {ReaderError} BAD_INPUT */
export function parseRanges(field: string, text: string): Range[] {
  return text.split(',').map((piece) => parseRange(field, piece));
}

/**
 * Clamps a range to `1..total`.
 * @throws {ReaderError} BAD_INPUT if it starts past the end, naming the total
 */
export function resolveRange(
  field: SelectionField,
  range: Range,
  total: number,
): { readonly from: number; readonly to: number } {
  if ('last' in range) return { from: Math.max(1, total - range.last + 1), to: total };
  if (range.from > total) {
    const span = range.to === Number.POSITIVE_INFINITY ? `${range.from}-` : `${range.from}-${range.to}`;
    throw new ReaderError(
      'BAD_INPUT',
      `\`${field}\` \`${span}\` starts past the end: the file has ${plural(total, field.slice(0, -1))}.`,
      total === 0 ? `Omit \`${field}\`.` : `Use \`${field}\` from 1 to ${total}.`,
    );
  }
  return { from: range.from, to: Math.min(range.to, total) };
}
