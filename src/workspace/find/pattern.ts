// What a search looks for: literal text, or a regular expression run by an engine that takes linear time. Finds where a
// line matches first, and rules out whole blocks of lines fast. Reads no file.

import { isAscii } from 'node:buffer';
import type { RE2JS } from 're2js';
import { type Bytes, isInsidePair, quoted, ReaderError } from '../../contract/index.ts';
import { requiredLiteral } from './required-literal.ts';

/** What is looked for, compiled. */
export interface Pattern {
  /** How much of a file is held against it at once: what no deadline can interrupt. A longer line is cut to pieces. */
  readonly blockBytes: Bytes;
  /** By how much pieces of a line overlap. */
  readonly overlapBytes: Bytes;
  /** Pieces of a line hide no match. */
  readonly exactInPieces: boolean;
  /** False when no line in these bytes of UTF-8 matches. */
  mayBeInBytes(lines: Buffer): boolean;
  /** Where the next line that may match is, at or after `from`; -1 for nowhere. `lines` end in LF. */
  nextIn(lines: string, from: number): number;
  /** UTF-16 index of the first match in a line, or in a piece of one; -1 for none. */
  find(line: string, piece?: LinePart): number;
}

/** What is looked for over line ends. */
export interface SpanPattern {
  /** How much of a file is held against it at once. A match is at most half as long. */
  readonly windowBytes: Bytes;
  /** The next match at or after `from`, in UTF-16 units. Lines end in LF. */
  next(lines: string, from: number): { readonly start: number; readonly end: number } | undefined;
}

/** Which part of a line a text is. */
export interface LinePart {
  readonly first: boolean;
  readonly last: boolean;
}

/** Longest query, in UTF-16 units. */
const MAX_QUERY_LENGTH = 1000;
const LITERAL_BLOCK_BYTES = 256 * 1024;
const REGEX_BLOCK_BYTES = 64 * 1024;
const LEAST_BLOCK_BYTES = 4 * 1024;
/** Instructions of a compiled expression. 5000 over the least block take 0.3 s at the worst [measured]. */
const MAX_PROGRAM = 5000;
/** Instructions times characters that one call may cost: 0.12 s at the 66 million a second that re2js's NFA makes. */
const STEPS_PER_BLOCK = 8_000_000;

/**
 * Compiles what to look for in lines.
 *
 * Regular expressions run on re2js, the RE2 algorithm in JavaScript: linear time, maintained (2.10.0 of November 2026;
 * re2-wasm 1.0.2 is of 2021), and fast where literal text can be looked for first (`npm run bench -- --only search`).
 * @throws {ReaderError} BAD_INPUT for a query that is empty, too long, of several lines, or no regular expression
 */
export async function compilePattern(
  query: string,
  options: { readonly regex: boolean; readonly caseSensitive: boolean },
): Promise<Pattern> {
  checkQuery(query);
  if (/[\r\n]/.test(query))
    throw new ReaderError(
      'BAD_INPUT',
      'The query has a line break; lines are searched one by one.',
      'Look for one of its lines, or set `multiline` to true.',
    );
  if (options.regex) return await regexPattern(query, options.caseSensitive);
  return options.caseSensitive ? literalPattern(query) : foldedPattern(query);
}

/**
 * Compiles what to look for over line ends; `.` matches them too.
 * @throws {ReaderError} BAD_INPUT for a query that is empty, too long, or no regular expression
 */
export async function compileSpans(
  query: string,
  options: { readonly regex: boolean; readonly caseSensitive: boolean },
): Promise<SpanPattern> {
  checkQuery(query);
  const { RE2JS } = await import('re2js');
  const source = options.regex ? query : RE2JS.quote(query.replaceAll('\r\n', '\n'));
  const flags = RE2JS.MULTILINE | RE2JS.DOTALL | (options.caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const { expression, blockBytes } = await compiled(source, flags, query);
  return {
    windowBytes: 2 * blockBytes,
    next: (lines, from) => {
      const matcher = expression.matcher(lines);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
}

/** @throws {ReaderError} BAD_INPUT */
function checkQuery(query: string): void {
  if (typeof query !== 'string')
    throw new ReaderError(
      'BAD_INPUT',
      `The query is a value of type \`${typeof query}\`; expected text.`,
      'Pass the text to look for.',
    );
  if (query === '') throw new ReaderError('BAD_INPUT', 'The query is empty.', 'Pass the text to look for.');
  if (query.length > MAX_QUERY_LENGTH)
    throw new ReaderError(
      'BAD_INPUT',
      `The query is ${query.length} characters long; at most ${MAX_QUERY_LENGTH} are taken.`,
      'Look for a shorter part of it.',
    );
}

function literalPattern(query: string): Pattern {
  const needle = Buffer.from(query, 'utf8');
  return {
    blockBytes: LITERAL_BLOCK_BYTES,
    overlapBytes: overlapOf(query),
    exactInPieces: true,
    mayBeInBytes: (lines) => lines.includes(needle),
    nextIn: (lines, from) => lines.indexOf(query, from),
    find: (line) => line.indexOf(query),
  };
}

/** Bytes of UTF-16 or of UTF-8, whichever are more, that a match may reach into the piece before. */
function overlapOf(query: string): Bytes {
  return 4 * query.length;
}

/**
 * Letters by simple case folding (Unicode `CaseFolding.txt`, as JavaScript's `iu`). The expression is escaped literal
 * text, on which V8's engine has nothing to backtrack and is faster than re2js.
 */
function foldedPattern(query: string): Pattern {
  const expression = new RegExp(escapeRegex(query), 'giu');
  const inBytes = isAscii(Buffer.from(query)) ? foldedBytes(query) : undefined;
  const nextIn = (lines: string, from: number): number => {
    expression.lastIndex = from;
    return expression.exec(lines)?.index ?? -1;
  };
  return {
    blockBytes: LITERAL_BLOCK_BYTES,
    overlapBytes: overlapOf(query),
    exactInPieces: true,
    mayBeInBytes: (lines) => inBytes === undefined || inBytes.test(lines.toString('latin1')),
    nextIn,
    find: (line) => nextIn(line, 0),
  };
}

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** For ASCII text in UTF-8 bytes seen as Latin-1. Two letters also fold with one beyond ASCII: U+212A and U+017F. */
function foldedBytes(query: string): RegExp {
  const source = Array.from(query, (character) =>
    /k/i.test(character)
      ? '(?:k|\u00e2\u0084\u00aa)'
      : /s/i.test(character)
        ? '(?:s|\u00c5\u00bf)'
        : escapeRegex(character),
  ).join('');
  return new RegExp(source, 'i');
}

/** @throws {ReaderError} BAD_INPUT */
async function compiled(
  source: string,
  flags: number,
  query: string,
): Promise<{ readonly expression: RE2JS; readonly blockBytes: Bytes }> {
  const { RE2JS } = await import('re2js');
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(source, flags);
  } catch (cause) {
    throw notAnExpression(query, cause);
  }
  const size = expression.programSize();
  if (size > MAX_PROGRAM)
    throw new ReaderError(
      'BAD_INPUT',
      `The regular expression ${quoted(query)} is too large: ${size} instructions of at most ${MAX_PROGRAM}.`,
      'Use smaller repeat counts.',
    );
  const blockBytes = Math.min(
    REGEX_BLOCK_BYTES,
    Math.max(LEAST_BLOCK_BYTES, Math.floor(STEPS_PER_BLOCK / size)),
  );
  return { expression, blockBytes };
}

async function regexPattern(query: string, caseSensitive: boolean): Promise<Pattern> {
  const { RE2JS } = await import('re2js');
  const flags = RE2JS.MULTILINE | (caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const { expression, blockBytes } = await compiled(query, flags, query);
  const mayBeInBytes = literalFilter(query, caseSensitive);
  // `\A` and `\z` name the ends of a line here, and would name those of a block; so would `^` and `$` under `(?-m)`.
  const overBlocks = !/\\[AzZ]|\(\?[A-Za-z]*-/.test(query);
  const looksAtStart = /\^|\\[AbB]/.test(query);
  const looksAtEnd = /\$|\\[bBzZ]/.test(query);
  return {
    blockBytes,
    overlapBytes: blockBytes / 4,
    exactInPieces: false,
    mayBeInBytes,
    nextIn: (lines, from) => (!overBlocks || from > 0 || expression.test(lines) ? from : -1),
    find(line, piece): number {
      if (!expression.test(line)) return -1;
      const matcher = expression.matcher(line);
      // A cut is no end of a line: what matches only there is left to the piece that overlaps it.
      const from = piece && !piece.first && looksAtStart ? (isInsidePair(line, 1) ? 2 : 1) : 0;
      if (!matcher.find(from)) return -1;
      if (piece && !piece.last && looksAtEnd && matcher.end() === line.length) return -1;
      return matcher.start();
    },
  };
}

function literalFilter(query: string, caseSensitive: boolean): (lines: Buffer) => boolean {
  const folded = query.startsWith('(?i)');
  const needed = requiredLiteral(folded ? query.slice(4) : query, folded || !caseSensitive);
  if (needed === '') return () => true;
  if (folded || !caseSensitive) {
    const expression = foldedBytes(needed);
    return (lines) => expression.test(lines.toString('latin1'));
  }
  const bytes = Buffer.from(needed, 'utf8');
  return (lines) => lines.includes(bytes);
}

/** What re2js finds wrong with an expression, by the words of its `RE2JSSyntaxException.error`. */
const REASONS: Readonly<Record<string, string>> = {
  'missing closing )': 'a `(` is not closed',
  'unexpected )': 'a `)` closes nothing',
  'missing closing ]': 'a `[` is not closed',
  'invalid nested repetition operator': 'a repetition is repeated',
  'missing argument to repetition operator': 'a repetition follows nothing',
  'invalid or unsupported Perl syntax': 'it uses an atomic group or an unknown flag, which are not supported',
  'invalid named capture': 'a group has no valid name',
  'invalid escape sequence': 'an escape is unknown; `\\u` is not supported',
  'invalid character class range': 'a character class has an unknown or reversed range',
  'invalid repeat count': 'a repeat count is reversed or over 1000',
  'trailing backslash at end of expression': 'it ends in a lone backslash',
  'duplicate capture group name': 'two groups have the same name',
};

/** Constructs that take more than linear time; reported before other errors. */
function unsupported(query: string): string | undefined {
  const plain = query.replace(/\\\\/g, '');
  if (/(?<!\\)\(\?<?[=!]/.test(plain)) return 'it uses look-around, which is not supported';
  if (/\\(?:[1-9]|k[<{'])|(?<!\\)\(\?P=/.test(plain))
    return 'it uses a backreference, which is not supported';
  return undefined;
}

/** Why `query` cannot be searched for as a regular expression; undefined when it can. */
export async function whyNoExpression(query: string): Promise<string | undefined> {
  try {
    const { RE2JS } = await import('re2js');
    await compiled(query, RE2JS.MULTILINE, query);
    return undefined;
  } catch (error) {
    if (error instanceof ReaderError) return error.message;
    throw error;
  }
}

function notAnExpression(query: string, cause: unknown): ReaderError {
  const said = cause instanceof Error && 'error' in cause ? REASONS[String(cause.error)] : undefined;
  const known = unsupported(query) ?? said;
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(query)} is no regular expression of RE2 syntax: ${known ?? 'it cannot be read'}.`,
    'Correct it, or leave `regex` out to look for it literally.',
    cause,
  );
}

/** True for text that a caller who meant a regular expression may have passed as literal. */
export function looksLikeRegex(query: string): boolean {
  return /\\[bBdDsSwW.1-9]|\(\?[:=!<P]|\.[*+?]|\[[^\]]+\][*+?{]|\w\|\w|^\^|\$$|\)[*+?]|\[(?:a-z|A-Z|0-9)/.test(
    query,
  );
}
