// A request as callers write it, and its validated form. Every field is optional; unknown fields are reported, not
// ignored.

import {
  type Changes,
  type Detail,
  type FileType,
  type Limits,
  parseRange,
  parseRanges,
  parseRegion,
  quoted,
  ReaderError,
  type RequestFields,
  type Selection,
  type SelectionField,
  type TableFormat,
  type Warning,
} from '../contract/index.ts';
import { checkPassword } from './password.ts';
import { SaidNotes } from './said-notes.ts';

export type Overflow = 'truncate' | 'error' | 'outline';

export interface Progress {
  /** Bytes read so far; may exceed `of` when a file is read more than once. */
  readonly bytes: number;
  readonly of: number;
  /**
   * The last page or slide that was converted, and how many there are, where that is known. Never decreases, also if
   * the file is converted more than once.
   */
  readonly page?: number;
  readonly pages?: number;
  /** In `readMany`: the name of the file, which of them it is in the order they are read, and how many there are. */
  readonly name?: string;
  readonly file?: number;
  readonly files?: number;
}

/** All fields are optional. Ranges are 1-based and inclusive; `"-N"` means the last N. */
export interface ReadRequest extends RequestFields {
  /** `truncation.next.cursor` of the previous answer: continue exactly where it ended. */
  readonly cursor?: string;
  /** Token budget of the answer, including notes. Default: MAX_TOKENS_PER_FILE. */
  readonly maxTokens?: number;
  /** What to do when not everything fits. Default `truncate`. */
  readonly overflow?: Overflow;
  /**
   * How much detail of a picture to return: of an image, or of a scanned page selected by `pages`. Default `auto` for
   * an image.
   */
  readonly detail?: Detail;
  /** How tables are written (default `csv`); `json` also for structured files; `text` shows any text file unchanged. */
  readonly format?: TableFormat | 'text';
  /** Prefix lines with their numbers; `code` does so only for source code. Default false. */
  readonly numbered?: boolean | 'code';
  /**
   * Add the box of each block to each part of a PDF or presentation, for citations: `content[].boxes`. Default false.
   */
  readonly boxes?: boolean;
  /** With `all`: cells of XLSX files without number formats; numbers as stored, dates as ISO 8601. Default false. */
  readonly plain?: boolean;
  /** With `all`: cells of workbooks with their formulas, as in `1167.6 (=D2*E2)`. Default false. */
  readonly formulas?: boolean;
  /** Overrides the detected encoding. */
  readonly encoding?: string;
  /**
   * Opens a protected file: PDF, Office document, zip entry. Not part of cursors, so a continued read passes it again;
   * what it opens is not kept in the cache.
   */
  readonly password?: string;
  /** Disable format limits and the cap, and return the whole converted file. Default false. */
  readonly all?: boolean;
  /** Ends the read with ABORTED, at any time before its result is returned. */
  readonly signal?: AbortSignal;
  /** What earlier answers of a conversation said about whole files, which is then not repeated. Default: nothing. */
  readonly said?: SaidNotes;
  /** Called at most ten times a second while bytes are read and pages converted. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The fields that mean nothing in another process. */
export type LocalField = 'signal' | 'said' | 'onProgress';

const LOCAL_FIELDS: readonly (keyof ReadRequest)[] = [
  'signal',
  'said',
  'onProgress',
] satisfies readonly LocalField[];

/** Fields that select a part of a file, in the order used by messages. */
export const SELECTION_FIELDS: readonly SelectionField[] = [
  'lines',
  'rows',
  'columns',
  'header',
  'sheet',
  'pages',
  'pointer',
  'symbol',
  'section',
  'table',
  'comment',
  'region',
  'bytes',
  'changes',
];
const FIELDS: readonly (keyof ReadRequest)[] = [
  ...SELECTION_FIELDS,
  'boxes',
  'plain',
  'formulas',
  'detail',
  'cursor',
  'maxTokens',
  'overflow',
  'format',
  'numbered',
  'encoding',
  'password',
  'all',
  ...LOCAL_FIELDS,
];
/** Fields that must stay the same throughout a walk. */
export const KEPT_FIELDS: readonly (SelectionField | 'detail' | 'format' | 'encoding')[] = [
  ...SELECTION_FIELDS,
  'detail',
  'format',
  'encoding',
];
const OVERFLOWS: readonly Overflow[] = ['truncate', 'error', 'outline'];
const FORMATS: readonly (TableFormat | 'text')[] = ['csv', 'markdown', 'json', 'text'];
const CHANGES: readonly Changes[] = ['accept', 'mark'];
const DETAILS: readonly Detail[] = ['low', 'auto', 'full'];

function bad(message: string, hint: string): ReaderError {
  return new ReaderError('BAD_INPUT', message, hint);
}

function checkChoice<T extends string>(field: string, value: T | undefined, choices: readonly T[]): void {
  if (value === undefined || choices.includes(value)) return;
  const list = choices.map((name) => `\`${name}\``).join(', ');
  throw bad(
    `\`${field}\` is ${quoted(String(value))}; expected one of ${list}.`,
    `Use one of these, or omit \`${field}\`.`,
  );
}

/** @throws {ReaderError} BAD_INPUT for an unknown field, or a value of the wrong type or form */
export function checkRequest(request: ReadRequest): void {
  const given: unknown = request;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw bad('The request is not an object.', 'Write the request as `{ "maxTokens": 5000 }`, or omit it.');
  for (const field of Object.keys(request)) {
    const known: readonly string[] = FIELDS;
    if (!known.includes(field))
      throw bad(
        `The request has an unknown field ${quoted(field)}.`,
        `The fields are ${FIELDS.filter((name) => !LOCAL_FIELDS.includes(name))
          .map((name) => `\`${name}\``)
          .join(', ')}.`,
      );
  }
  for (const field of ['header', 'numbered', 'boxes', 'plain', 'formulas', 'all'] as const) {
    const value = request[field];
    if (value === undefined || typeof value === 'boolean') continue;
    if (field === 'numbered' && value === 'code') continue;
    const values = field === 'header' ? 'true or false,' : 'true';
    throw bad(`\`${field}\` is not a boolean.`, `Set \`${field}\` to ${values} or omit it.`);
  }
  for (const field of ['cursor', 'encoding', ...SELECTION_FIELDS] as const) {
    const value: unknown = request[field];
    if (value === undefined || typeof value === 'string' || field === 'header') continue;
    const isPlace = field !== 'cursor' && field !== 'encoding';
    // Models often write the number of a row or page as a number.
    if (isPlace && Number.isSafeInteger(value)) continue;
    throw bad(
      `\`${field}\` is a value of type \`${typeof value}\`; expected text.`,
      `Write \`${field}\` as text${isPlace ? '' : ', or omit it'}.`,
    );
  }
  checkPassword(request.password);
  // Checked by shape, to accept a signal of another realm or a polyfill.
  const { signal } = request;
  if (signal !== undefined && typeof signal?.aborted !== 'boolean')
    throw bad('`signal` is not an AbortSignal.', 'Pass the `signal` of an AbortController, or omit it.');
  if (request.said !== undefined && !(request.said instanceof SaidNotes))
    throw bad('`said` is not a `SaidNotes`.', 'Pass one, or omit `said`.');
  if (request.onProgress !== undefined && typeof request.onProgress !== 'function')
    throw bad('`onProgress` is not a function.', 'Pass a function, or omit `onProgress`.');
  const { maxTokens } = request;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 0))
    throw bad(
      `\`maxTokens\` is ${quoted(String(maxTokens))}; expected an integer of 0 or more.`,
      'Set `maxTokens` to an integer, or omit it for the default.',
    );
  checkChoice('overflow', request.overflow, OVERFLOWS);
  checkChoice('format', request.format, FORMATS);
  checkChoice('detail', request.detail, DETAILS);
  checkChoice('changes', request.changes, CHANGES);
}

/** The part of a checked request that a processor sees. @throws {ReaderError} BAD_INPUT */
export function toSelection(
  request: ReadRequest,
  fileType: FileType,
): Omit<Selection, 'resume' | 'outline' | 'brief'> {
  const { lines, rows, bytes, pages, table, region, header, changes, ...texts } = Object.fromEntries(
    SELECTION_FIELDS.flatMap((field) => {
      const value = request[field];
      return value === undefined ? [] : [[field, typeof value === 'boolean' ? value : String(value)]];
    }),
  ) as RequestFields; // the fields of a request, with numbers as text
  checkPlaces({ lines, table, ...texts });
  const { detail, format, numbered, plain, formulas, all } = request;
  return {
    ...texts,
    ...(lines !== undefined && { lines: parseRange('lines', lines) }),
    ...(rows !== undefined && { rows: parseRange('rows', rows) }),
    ...(bytes !== undefined && { bytes: parseRange('bytes', bytes) }),
    ...(pages !== undefined && { pages: parseRanges('pages', pages) }),
    ...(header !== undefined && { header }),
    ...(table !== undefined && { table: Number(table) }),
    ...(region !== undefined && { region: parseRegion(region) }),
    ...(detail !== undefined && { detail }),
    ...(changes !== undefined && { changes }),
    ...(format !== undefined && format !== 'text' && { format }),
    numbered: numbered === true || (numbered === 'code' && fileType === 'code' && format === undefined),
    ...(plain === true && all === true && { plain: true }),
    ...(formulas === true && all === true && { formulas: true }),
    boxes: request.boxes === true,
    all: all === true,
  };
}

/** @throws {ReaderError} BAD_INPUT for a place of the wrong form, or several that exclude one another */
function checkPlaces({ pointer, symbol, section, table, comment, lines }: Places): void {
  if (pointer !== undefined && pointer !== '' && !pointer.startsWith('/'))
    throw bad(
      `\`pointer\` is ${quoted(pointer)}; expected a JSON Pointer, which is empty or starts with \`/\`.`,
      'Write it as in `/items/3/name`, with `~1` for `/` and `~0` for `~`.',
    );
  if (symbol !== undefined && (symbol.trim() === '' || lines !== undefined))
    throw bad(
      symbol.trim() === ''
        ? '`symbol` is empty.'
        : '`symbol` and `lines` cannot be combined; both select lines.',
      'Pass either `symbol`, the name of a definition such as `Reader.read`, or `lines`.',
    );
  if (table !== undefined && !/^[1-9]\d{0,8}$/.test(table))
    throw bad(
      `\`table\` is ${quoted(table)}; expected the number of a table.`,
      'Write `table` as in `"3"`; counting starts at 1.',
    );
  const places = Object.entries({ section, table, comment, lines }).filter(
    ([, value]) => value !== undefined,
  );
  if (places.length > 1)
    throw bad(
      `${places.map(([name]) => `\`${name}\``).join(' and ')} cannot be combined; each selects a part of the document.`,
      'Pass one of them.',
    );
}

type Places = {
  readonly [Field in 'pointer' | 'symbol' | 'section' | 'table' | 'comment' | 'lines']?: string | undefined;
};

/** The kept fields of the request that began the walk. */
export function mergeKept(request: ReadRequest, kept: ReadRequest): ReadRequest {
  for (const field of KEPT_FIELDS) {
    const asked = request[field];
    if (asked !== undefined && String(asked) !== String(kept[field]))
      throw bad(
        `\`${field}\` cannot be combined with \`cursor\`, which continues the selection it was made from.`,
        `Omit \`${field}\` or \`cursor\`.`,
      );
  }
  const numbered = kept.numbered === true && request.numbered === 'code';
  return { ...kept, ...request, ...(numbered && { numbered }) };
}

/** @throws {ReaderError} BAD_INPUT when a field cannot be used with this format */
export function checkSelects(request: ReadRequest, selects: readonly SelectionField[], format: string): void {
  for (const field of SELECTION_FIELDS)
    if (request[field] !== undefined && !selects.includes(field)) {
      const list = selects.map((name) => `\`${name}\``).join(', ');
      throw bad(
        `\`${field}\` cannot be used with ${format} files.`,
        selects.length > 0 ? `Use ${list} here, or omit \`${field}\`.` : `Omit \`${field}\`.`,
      );
    }
}

/** @throws {ReaderError} BAD_INPUT when a field cannot be used with a file that is not in its format, as `why` says */
export function refuseLostPart(
  request: ReadRequest,
  selects: readonly SelectionField[],
  { message }: Warning,
): void {
  for (const field of SELECTION_FIELDS)
    if (request[field] !== undefined && !selects.includes(field))
      throw bad(
        `\`${field}\` cannot be used with this file. ${message}`,
        `Use \`lines\` to read the file as text, or omit \`${field}\`.`,
      );
}

/** Tokens of the answer: the request's, else the limit's. */
export function budgetOf(request: ReadRequest, limits: Limits): number {
  return request.all === true ? Number.POSITIVE_INFINITY : (request.maxTokens ?? limits.maxTokensPerFile);
}
