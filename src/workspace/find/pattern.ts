// Compiles a query: literal text, or a regular expression for an engine with linear run time. Finds the first match in
// a line and quickly rules out whole blocks of lines. Reads no files.

import { isAscii } from 'node:buffer';
import type { RE2JS } from 're2js';
import { type Bytes, isInsidePair, quoted, ReaderError } from '../../contract/index.ts';
import { escapeRegex, requiredText } from './required-text.ts';

/** A compiled query. */
export interface Pattern {
  /** Bytes of a file searched per call, which no deadline can interrupt. Longer lines are split. */
  readonly blockBytes: Bytes;
  /** Overlap between the parts of a split line. */
  readonly overlapBytes: Bytes;
  /** True when splitting a line cannot hide a match. */
  readonly exactInPieces: boolean;
  /** False when no line in these UTF-8 bytes matches. */
  mayBeInBytes(lines: Buffer): boolean;
  /** Start of the next line that may match, at or after `from`; -1 for none. `lines` end in LF. */
  nextIn(lines: string, from: number): number;
  /** Matches in a line, or in a part of one, in order, none of them overlapping. */
  matches(line: string, piece?: LinePart): Iterable<Found>;
}

/** A match in a line, in UTF-16 units. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** What the first group of the expression matched, if it has one and it took part, else the match. */
  readonly text: string;
}

/** A query compiled for matches across line ends. */
export interface SpanPattern {
  /** Bytes of a file searched per call. A match is at most half as long. */
  readonly windowBytes: Bytes;
  /** The next match at or after `from`, in UTF-16 units. Lines end in LF. */
  next(lines: string, from: number): Found | undefined;
}

/** Position of a text within its line. */
export interface LinePart {
  readonly first: boolean;
  readonly last: boolean;
}

/** Maximum query length, in UTF-16 units. */
const MAX_QUERY_LENGTH = 1000;
const LITERAL_BLOCK_BYTES = 256 * 1024;
const REGEX_BLOCK_BYTES = 64 * 1024;
const LEAST_BLOCK_BYTES = 4 * 1024;
/** Maximum instructions of a compiled expression. 5000 over the smallest block take at most 0.3 s [measured]. */
const MAX_PROGRAM = 5000;
/** Maximum instructions × characters per call: 0.12 s at the 66 million per second of re2js's NFA. */
const STEPS_PER_BLOCK = 8_000_000;

/**
 * Compiles a query to match within lines.
 *
 * Regular expressions run on re2js, the RE2 algorithm in JavaScript: linear time, maintained (2.10.0 is from November
 * 2026; re2-wasm 1.0.2 from 2021), and fast when a literal can be searched first (`npm run bench -- --only search`).
 * @throws {ReaderError} BAD_INPUT if the query is empty, too long, spans lines, or is an invalid regular expression
 */
export async function compilePattern(
  query: string,
  options: { readonly regex: boolean; readonly caseSensitive: boolean },
): Promise<Pattern> {
  checkQuery(query);
  if (/[\r\n]/.test(query))
    throw new ReaderError(
      'BAD_INPUT',
      'The query contains a line break; lines are searched one by one.',
      'Search for one of its lines, or set `multiline` to true.',
    );
  if (options.regex) return await regexPattern(query, options.caseSensitive);
  return options.caseSensitive ? literalPattern(query) : foldedPattern(query);
}

/**
 * Compiles a query to match across line ends; `.` matches them too.
 * @throws {ReaderError} BAD_INPUT if the query is empty, too long, or an invalid regular expression
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
      return matcher.find(from) ? foundBy(matcher) : undefined;
    },
  };
}

/** @throws {ReaderError} BAD_INPUT */
function checkQuery(query: string): void {
  if (typeof query !== 'string')
    throw new ReaderError(
      'BAD_INPUT',
      `The query is a value of type \`${typeof query}\`; expected text.`,
      'Pass the text to search for.',
    );
  if (query === '') throw new ReaderError('BAD_INPUT', 'The query is empty.', 'Pass the text to search for.');
  if (query.length > MAX_QUERY_LENGTH)
    throw new ReaderError(
      'BAD_INPUT',
      `The query has ${query.length} characters; expected at most ${MAX_QUERY_LENGTH}.`,
      'Search for a shorter part of it.',
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
    *matches(line) {
      const { length } = query;
      for (let start = line.indexOf(query); start >= 0; start = line.indexOf(query, start + length))
        yield { start, end: start + length, text: query };
    },
  };
}

/** Overlap needed for a match, in bytes of UTF-16 or UTF-8, whichever are more. */
function overlapOf(query: string): Bytes {
  return 4 * query.length;
}

/**
 * Ignores case by simple case folding (Unicode `CaseFolding.txt`, as JavaScript's `iu`). The expression is escaped
 * literal text, so V8's engine has nothing to backtrack and is faster than re2js.
 */
function foldedPattern(query: string): Pattern {
  const expression = new RegExp(escapeRegex(query), 'giu');
  const inBytes = isAscii(Buffer.from(query)) ? foldedBytes(query) : undefined;
  return {
    blockBytes: LITERAL_BLOCK_BYTES,
    overlapBytes: overlapOf(query),
    exactInPieces: true,
    mayBeInBytes: (lines) => inBytes === undefined || inBytes.test(lines.toString('latin1')),
    nextIn: nextOf(expression),
    *matches(line) {
      expression.lastIndex = 0;
      for (const { index, 0: text } of line.matchAll(expression))
        yield { start: index, end: index + text.length, text };
    },
  };
}

/**
 * For ASCII queries on text, or on UTF-8 bytes read as Latin-1. Two letters also fold with non-ASCII characters: U+212A
 * and U+017F.
 */
function foldedBytes(query: string): RegExp {
  const source = Array.from(query, (character) =>
    /k/i.test(character)
      ? '(?:k|\u212a|\u00e2\u0084\u00aa)'
      : /s/i.test(character)
        ? '(?:s|\u017f|\u00c5\u00bf)'
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
      `The regular expression ${quoted(query)} is too large: ${size} instructions; expected at most ${MAX_PROGRAM}.`,
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
  const filter = filterFor(query, caseSensitive);
  // In a block, `\A` and `\z` would match the ends of the block instead of the line; so would `^` and `$` under
  // `(?-m)`.
  const overBlocks = !/\\[AzZ]|\(\?[A-Za-z]*-/.test(query);
  const looksAtStart = /\^|\\[AbB]/.test(query);
  const looksAtEnd = /\$|\\[bBzZ]/.test(query);
  return {
    blockBytes,
    overlapBytes: blockBytes / 4,
    exactInPieces: false,
    mayBeInBytes: filter?.mayBeInBytes ?? (() => true),
    nextIn:
      filter?.nextIn ?? ((lines, from) => (!overBlocks || from > 0 || expression.test(lines) ? from : -1)),
    *matches(line, piece) {
      if (!expression.test(line)) return;
      const matcher = expression.matcher(line);
      // A cut is not a line end: a match that ends only there is left to the overlapping part.
      let from = piece && !piece.first && looksAtStart ? (isInsidePair(line, 1) ? 2 : 1) : 0;
      while (from <= line.length && matcher.find(from)) {
        const found = foundBy(matcher);
        const { start, end } = found;
        if (piece && !piece.last && looksAtEnd && end === line.length) return;
        yield found;
        // An empty match is followed by the next character.
        from = end > start ? end : end + (isInsidePair(line, end + 1) ? 2 : 1);
      }
    },
  };
}

function foundBy(matcher: ReturnType<RE2JS['matcher']>): Found {
  const group = matcher.groupCount() > 0 ? matcher.group(1) : null;
  return { start: matcher.start(), end: matcher.end(), text: group ?? matcher.group() ?? '' };
}

/** Finds lines that have what every match contains; undefined if that is not known. */
function filterFor(
  query: string,
  caseSensitive: boolean,
): Pick<Pattern, 'mayBeInBytes' | 'nextIn'> | undefined {
  const folded = query.startsWith('(?i)');
  const isFolded = folded || !caseSensitive;
  const { literal, run } = requiredText(folded ? query.slice(4) : query, isFolded);
  if (literal !== '' && !isFolded) {
    const bytes = Buffer.from(literal, 'utf8');
    return {
      mayBeInBytes: (lines) => lines.includes(bytes),
      nextIn: (lines, from) => lines.indexOf(literal, from),
    };
  }
  if (literal === '' && run === '') return undefined;
  const { source } = literal === '' ? { source: run } : foldedBytes(literal);
  const expression = new RegExp(source, isFolded ? 'gi' : 'g');
  const nextIn = nextOf(expression);
  return { mayBeInBytes: (lines) => nextIn(lines.toString('latin1'), 0) >= 0, nextIn };
}

/** Finds where a global `expression` matches next. */
function nextOf(expression: RegExp): Pattern['nextIn'] {
  return (lines, from) => {
    expression.lastIndex = from;
    return expression.exec(lines)?.index ?? -1;
  };
}

/** Reasons for an invalid expression, keyed by `RE2JSSyntaxException.error`. */
const REASONS: Readonly<Record<string, string>> = {
  'missing closing )': 'a `(` is not closed',
  'unexpected )': 'a `)` has no matching `(`',
  'missing closing ]': 'a `[` is not closed',
  'invalid nested repetition operator': 'a quantifier follows another quantifier',
  'missing argument to repetition operator': 'a quantifier has nothing to repeat',
  'invalid or unsupported Perl syntax': 'it uses an atomic group or an unknown flag, which are not supported',
  'invalid named capture': 'a group has an invalid name',
  'invalid escape sequence': 'it contains an unknown escape; `\\u` is not supported',
  'invalid character class range': 'a character class contains an invalid range',
  'invalid repeat count': 'a repeat count is reversed or over 1000',
  'trailing backslash at end of expression': 'it ends in a backslash',
  'duplicate capture group name': 'two groups have the same name',
};

/** Constructs that need more than linear time; reported before other errors. */
function unsupported(query: string): string | undefined {
  const plain = query.replace(/\\\\/g, '');
  if (/(?<!\\)\(\?<?[=!]/.test(plain)) return 'it uses look-around, which is not supported';
  if (/\\(?:[1-9]|k[<{'])|(?<!\\)\(\?P=/.test(plain))
    return 'it uses a backreference, which is not supported';
  return undefined;
}

/** Why `query` is not a valid regular expression; undefined if it is. */
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
    `${quoted(query)} is not a valid RE2 regular expression: ${known ?? 'it cannot be parsed'}.`,
    'Correct it, or omit `regex` to search for it literally.',
    cause,
  );
}

/** True for literal text that was probably meant as a regular expression. */
export function looksLikeRegex(query: string): boolean {
  return /\\[bBdDsSwW.1-9]|\(\?[:=!<P]|\.[*+?]|\[[^[\]]+\][*+?{]|\w\|\w|^\^|\$$|\)[*+?]|\[(?:a-z|A-Z|0-9)/.test(
    query,
  );
}
