// Which part of a file a caller asks for: the request's words, checked and turned into numbers.

import { ReaderError } from './error.ts';
import { quoted } from './name.ts';
import type { Position } from './part.ts';

/** The fields of a request that choose a part of a file, in the caller's words. */
export interface RequestFields {
  /** `"201-400"`, `"201-"`, `"7"`, `"-100"` (the last 100). */
  readonly lines?: string;
  readonly rows?: string;
  /** Names, 1-based indices or letter ranges, separated by commas: `"id,name"`, `"1-5"`, `"A-F"`. */
  readonly columns?: string;
  /** A sheet's name or its 1-based index. */
  readonly sheet?: string;
  /** `"1-3,7"`. */
  readonly pages?: string;
  /** JSON Pointer, RFC 6901. */
  readonly pointer?: string;
  /** A definition in source code, by its name: `"Reader.read"`. */
  readonly symbol?: string;
  /** A crop of an image in original pixels: `"left,top,width,height"`, counted from 0. */
  readonly region?: string;
  /** Tracked changes: `accept` (default) shows the text as if they were accepted, `mark` shows both readings. */
  readonly changes?: Changes;
}

/** The name of a field that chooses a part. */
export type SelectionField = keyof RequestFields;

/** What becomes of tracked changes. */
export type Changes = 'accept' | 'mark';

/** How a table is written; `json` is also a way to write YAML and TOML. */
export type TableFormat = 'csv' | 'markdown' | 'json';

/** How much of a picture is wanted: `low` a thumbnail, `auto` within the limits, `full` as many pixels as there are. */
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

/** A checked request, as a processor sees it. */
export interface Selection {
  readonly lines?: Range;
  readonly rows?: Range;
  readonly columns?: string;
  readonly sheet?: string;
  readonly pages?: readonly Range[];
  readonly pointer?: string;
  readonly symbol?: string;
  readonly region?: Region;
  readonly detail?: Detail;
  readonly changes?: Changes;
  /** Of an archive, the folder to list, as `Folder` names it; everything without. */
  readonly folder?: string;
  /** Where the previous answer ended; from a cursor already checked against this very content. Bound every value. */
  readonly resume?: Position;
  readonly format?: TableFormat;
  /** Say where each block lies on its page or slide. */
  readonly boxes: boolean;
  /** Prefix line numbers in the view. */
  readonly numbered: boolean;
  /** The whole converted file: no format limits, no budget, no view marks; yield in pieces as you go. */
  readonly all: boolean;
  /** Show headings, sheets, keys or symbols in place of the content when it does not all fit. */
  readonly outline: boolean;
  /** Of an outline only what is cheap to know: it stands above a view of the content. */
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
 * Reads one range: `"a-b"`, `"a-"`, `"a"`, `"-n"`.
 * @throws {ReaderError} BAD_INPUT when it is none of these, when a number is 0, or when the end lies before the start.
 */
export function parseRange(field: string, text: string): Range {
  const match = /^\s*(\d{1,15})?\s*(-)?\s*(\d{1,15})?\s*$/.exec(text);
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

/** Reads `"left,top,width,height"`. @throws {ReaderError} BAD_INPUT when it is none, or has no width or height */
export function parseRegion(text: string): Region {
  const [left, top, width, height] = /^\s*\d{1,9}(?:\s*,\s*\d{1,9}){3}\s*$/.test(text)
    ? text.split(',').map(Number)
    : [];
  if (left === undefined || top === undefined || !width || !height)
    throw new ReaderError(
      'BAD_INPUT',
      `\`region\` is ${quoted(text)}; expected \`left,top,width,height\` in pixels, such as \`0,0,800,600\`.`,
      'Write `region` as four whole numbers; `left` and `top` count from 0.',
    );
  return { left, top, width, height };
}

/** Several ranges separated by commas (`"1-3,7"`). @throws {ReaderError} BAD_INPUT */
export function parseRanges(field: string, text: string): Range[] {
  return text.split(',').map((piece) => parseRange(field, piece));
}

/**
 * A range against the true total: always inside `1..total`.
 * @throws {ReaderError} BAD_INPUT when it starts past the end, naming the total.
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
      `\`${field}\` \`${span}\` starts past the end: the file has ${total} ${field}.`,
      total === 0 ? `Leave \`${field}\` out.` : `Ask for \`${field}\` between 1 and ${total}.`,
    );
  }
  return { from: range.from, to: Math.min(range.to, total) };
}
