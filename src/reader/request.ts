// A request as callers write it, and its checked form. Every field is optional; unknown ones are named, not ignored.

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
} from '../contract/index.ts';

export type Overflow = 'truncate' | 'error' | 'outline';

export interface Progress {
  /** Bytes read so far; more than `of` when a file is read more than once. */
  readonly bytes: number;
  readonly of: number;
  /** The page or slide that was converted last, and how many there are, where that is known. */
  readonly page?: number;
  readonly pages?: number;
}

/** Everything optional. Ranges are 1-based and inclusive; `"-N"` means the last N. */
export interface ReadRequest extends RequestFields {
  /** `truncation.next.cursor` of the previous answer: go on exactly where it ended. */
  readonly cursor?: string;
  /** Budget of the answer in tokens, notes included. Default: MAX_TOKENS_PER_FILE. */
  readonly maxTokens?: number;
  /** What to do when not everything fits. Default `truncate`. */
  readonly overflow?: Overflow;
  /** How much of a picture is wanted: of an image, or of a scanned page named by `pages`. Default `auto` for an image. */
  readonly detail?: Detail;
  /** How tables are written (default `csv`); `json` also for structured files; `text` shows any text file as it is. */
  readonly format?: TableFormat | 'text';
  /** Prefix line numbers; `code` does so where a file is source code. Default false. */
  readonly numbered?: boolean | 'code';
  /** With each part of a PDF or a presentation, the box of each block, for citations: `content[].boxes`. Default false. */
  readonly boxes?: boolean;
  /** Overrides the detected encoding. */
  readonly encoding?: string;
  /** No format limits and no cap: the whole converted file. Default false. */
  readonly all?: boolean;
  readonly signal?: AbortSignal;
  /** Called at most ten times a second while bytes are read and pages converted. */
  readonly onProgress?: (progress: Progress) => void;
}

const FIELDS: readonly (keyof ReadRequest)[] = [
  'lines',
  'rows',
  'columns',
  'sheet',
  'pages',
  'pointer',
  'symbol',
  'region',
  'changes',
  'boxes',
  'detail',
  'cursor',
  'maxTokens',
  'overflow',
  'format',
  'numbered',
  'encoding',
  'all',
  'signal',
  'onProgress',
];
/** The fields that choose a part of a file, in the order messages list them. */
export const SELECTION_FIELDS: readonly SelectionField[] = [
  'lines',
  'rows',
  'columns',
  'sheet',
  'pages',
  'pointer',
  'symbol',
  'region',
  'changes',
];
/** What a continued walk keeps to be the same walk. */
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

function choice<T extends string>(field: string, value: T | undefined, choices: readonly T[]): T | undefined {
  if (value === undefined || choices.includes(value)) return value;
  const list = choices.map((name) => `\`${name}\``).join(', ');
  throw bad(
    `\`${field}\` is ${quoted(String(value))}; expected one of ${list}.`,
    `Set \`${field}\` to one of ${list}.`,
  );
}

/** A selection field as text; numbers are taken for their digits, as models often write them. */
function asText(field: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw bad(`\`${field}\` is a ${typeof value}; expected text.`, `Write \`${field}\` as text.`);
}

/** @throws {ReaderError} BAD_INPUT for an unknown field, or a value of the wrong type or form */
export function checkRequest(request: ReadRequest): void {
  const given: unknown = request;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw bad('The request is no object.', 'Write the request as `{ "maxTokens": 5000 }`, or leave it out.');
  for (const field of Object.keys(request)) {
    const known: readonly string[] = FIELDS;
    if (!known.includes(field))
      throw bad(
        `The request has a field ${quoted(field)}, which there is not.`,
        `The fields are ${FIELDS.filter((name) => name !== 'signal' && name !== 'onProgress')
          .map((name) => `\`${name}\``)
          .join(', ')}.`,
      );
  }
  for (const field of ['numbered', 'boxes', 'all'] as const)
    if (
      request[field] !== undefined &&
      typeof request[field] !== 'boolean' &&
      !(field === 'numbered' && request[field] === 'code')
    )
      throw bad(`\`${field}\` is not true or false.`, `Set \`${field}\` to true or leave it out.`);
  for (const field of ['cursor', 'encoding'] as const)
    if (request[field] !== undefined && typeof request[field] !== 'string')
      throw bad(
        `\`${field}\` is a ${typeof request[field]}; expected text.`,
        `Write \`${field}\` as text, or leave it out.`,
      );
  // By its shape: a signal of another realm or of a polyfill is one too.
  const { signal } = request;
  if (signal !== undefined && typeof signal?.aborted !== 'boolean')
    throw bad('`signal` is no AbortSignal.', 'Pass the `signal` of an AbortController, or leave it out.');
  if (request.onProgress !== undefined && typeof request.onProgress !== 'function')
    throw bad('`onProgress` is no function.', 'Pass a function, or leave `onProgress` out.');
  const { maxTokens } = request;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 0))
    throw bad(
      `\`maxTokens\` is ${quoted(String(maxTokens))}; expected a whole number of 0 or more.`,
      'Set `maxTokens` to a whole number, or leave it out for the default.',
    );
  choice('overflow', request.overflow, OVERFLOWS);
  choice('format', request.format, FORMATS);
  choice('detail', request.detail, DETAILS);
  choice('changes', request.changes, CHANGES);
}

/** The part of a checked request that a processor sees. @throws {ReaderError} BAD_INPUT */
export function toSelection(
  request: ReadRequest,
  fileType: FileType,
): Omit<Selection, 'resume' | 'outline' | 'brief'> {
  const lines = asText('lines', request.lines);
  const rows = asText('rows', request.rows);
  const columns = asText('columns', request.columns);
  const sheet = asText('sheet', request.sheet);
  const pages = asText('pages', request.pages);
  const pointer = asText('pointer', request.pointer);
  const symbol = asText('symbol', request.symbol);
  const region = asText('region', request.region);
  if (pointer !== undefined && pointer !== '' && !pointer.startsWith('/'))
    throw bad(
      `\`pointer\` is ${quoted(pointer)}; a JSON Pointer is empty or starts with \`/\`.`,
      'Write it as in `/items/3/name`; `~1` stands for `/` and `~0` for `~`.',
    );
  if (symbol !== undefined && (symbol.trim() === '' || lines !== undefined))
    throw bad(
      symbol.trim() === '' ? '`symbol` is empty.' : '`symbol` and `lines` both choose lines.',
      'Give `symbol` the name of a definition, as in `Reader.read`, or `lines` a range.',
    );
  return {
    ...(lines !== undefined && { lines: parseRange('lines', lines) }),
    ...(rows !== undefined && { rows: parseRange('rows', rows) }),
    ...(pages !== undefined && { pages: parseRanges('pages', pages) }),
    ...(columns !== undefined && { columns }),
    ...(sheet !== undefined && { sheet }),
    ...(pointer !== undefined && { pointer }),
    ...(symbol !== undefined && { symbol }),
    ...(region !== undefined && { region: parseRegion(region) }),
    ...(request.detail !== undefined && { detail: request.detail }),
    ...(request.changes !== undefined && { changes: request.changes }),
    ...(request.format !== undefined && request.format !== 'text' && { format: request.format }),
    numbered:
      request.numbered === true ||
      (request.numbered === 'code' && fileType === 'code' && request.format === undefined),
    boxes: request.boxes === true,
    all: request.all === true,
  };
}

/** What a continued walk keeps of the request that began it. */
export function mergeKept(request: ReadRequest, kept: ReadRequest): ReadRequest {
  for (const field of KEPT_FIELDS) {
    const asked = request[field];
    if (asked !== undefined && String(asked) !== kept[field])
      throw bad(
        `\`${field}\` was given beside \`cursor\`, but a cursor goes on with the selection it was made from.`,
        `Leave \`${field}\` out, or leave \`cursor\` out.`,
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
        selects.length > 0 ? `Use ${list} here, or leave \`${field}\` out.` : `Leave \`${field}\` out.`,
      );
    }
}

/** Tokens of the answer: the request's, else the limit's. */
export function budgetOf(request: ReadRequest, limits: Limits): number {
  return request.all === true ? Number.POSITIVE_INFINITY : (request.maxTokens ?? limits.maxTokensPerFile);
}
