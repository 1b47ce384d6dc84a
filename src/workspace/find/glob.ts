// Globs over paths: `**`, `*`, `?`, `[a-z]`, `[!a]`, `{a,b}` and `\`. Works on names only and never reads a folder.

import { quoted, ReaderError } from '../../contract/index.ts';

/**
 * A compiled glob. Matching takes at most (pattern length × path length) steps. Not a regular expression, because a
 * backtracking engine hangs on hostile patterns: picomatch 4.0.7 on `a*a*a*a*a*b` against a name of 250 `a`, and ignore
 * 7.0.16 on `**` and `a` alternating five times, then `b`, against 100 folders `a`.
 */
export interface Glob {
  /** `path` is relative to the workspace, without a leading slash. */
  matches(path: string): boolean;
  /** False when nothing below `folder` can match. */
  mayEnter(folder: string): boolean;
}

/** Maximum pattern length, in UTF-16 units; bounds the work per path. */
const MAX_PATTERN_LENGTH = 1000;
/** Maximum number of patterns `{a,b}` may expand to. */
const MAX_ALTERNATIVES = 256;

/** What one character of a name is compared with. */
type Token =
  | { readonly kind: 'literal'; readonly point: number }
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      /** Code points, both ends inclusive. */
      readonly ranges: readonly (readonly [from: number, to: number])[];
    };

/** The pattern of one name, or `**`: zero or more names. */
export type Segment = readonly Token[] | '**';

/**
 * @param mount a leading `/workspace/` means the workspace root
 * @param host absolute path of the workspace on this host, if patterns may start with it, escaped or not
 * @throws {ReaderError} BAD_INPUT for an empty or too long pattern, PATH_ESCAPES_WORKSPACE for one that leads outside
 */
export function compileGlob(pattern: string, mount: string = '/workspace', host?: string): Glob {
  const inside = insideOf(pattern, mount, host);
  const anywhere = !inside.includes('/');
  const alternatives = expandBraces(inside).map((alternative): readonly Segment[] => {
    const names = alternative.split('/').filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) throw escapes(pattern);
    const segments = names.map((name) => compileSegment(name).segment);
    // `src/` names a folder, and a folder is never a file: match everything in it.
    if (alternative.endsWith('/')) segments.push('**', [{ kind: 'many' }]);
    // `a/**` matches what is below `a`, not a file `a`.
    else if (segments.at(-1) === '**') segments.push([{ kind: 'many' }]);
    return anywhere ? ['**', ...segments] : segments;
  });
  return {
    matches(path): boolean {
      const names = path.split('/');
      return alternatives.some((segments) => matchSegments(segments, names));
    },
    mayEnter(folder): boolean {
      if (folder === '') return true;
      const names = folder.split('/');
      return alternatives.some((segments) => mayLeadOn(segments, names));
    },
  };
}

function insideOf(pattern: string, mount: string, host: string | undefined): string {
  if (typeof pattern !== 'string')
    throw new ReaderError(
      'BAD_INPUT',
      `The pattern is a value of type \`${typeof pattern}\`; expected text.`,
      'Pass a pattern such as `**/*.csv`.',
    );
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new ReaderError(
      'BAD_INPUT',
      `The pattern has ${pattern.length} characters; expected at most ${MAX_PATTERN_LENGTH}.`,
      'Use a shorter pattern with `*` or `**`.',
    );
  if (pattern.includes('\0'))
    throw new ReaderError(
      'BAD_INPUT',
      'The pattern contains a NUL character, which no name does.',
      'Remove it.',
    );
  const above = [mount, ...(host === undefined ? [] : [host, host.replace(/[\\*?[\]{}!()]/g, '\\$&')])]
    .map((prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`))
    .find((prefix) => pattern.startsWith(prefix));
  const path = pattern.slice(above?.length ?? 0);
  if (path.startsWith('/')) throw escapes(pattern);
  let inside = path;
  while (inside.startsWith('./')) inside = inside.slice(2);
  if (/^[/.]*$/.test(inside) && !inside.includes('..'))
    throw new ReaderError(
      'BAD_INPUT',
      pattern === '' ? 'The pattern is empty.' : `${quoted(pattern)} does not name a file.`,
      'Pass a pattern such as `**/*.csv`.',
    );
  return inside;
}

function escapes(pattern: string): ReaderError {
  return new ReaderError(
    'PATH_ESCAPES_WORKSPACE',
    `${quoted(pattern)} leads outside the workspace.`,
    'Write the pattern relative to the workspace, such as `reports/*.csv`.',
  );
}

/** Expands braces. Braces without a comma or a partner are literal. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open: { readonly text: string; readonly from: number }[] = [{ text: pattern, from: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const brace = nextBrace(next.text, next.from);
    if (!brace) done.push(next.text);
    else
      for (const choice of brace.choices.reverse())
        open.push({
          text: next.text.slice(0, brace.from) + choice + next.text.slice(brace.to),
          from: brace.from,
        });
    if (done.length + open.length > MAX_ALTERNATIVES)
      throw new ReaderError(
        'BAD_INPUT',
        `The braces in the pattern expand to more than ${MAX_ALTERNATIVES} patterns.`,
        'Use fewer alternatives, or several patterns.',
      );
  }
  return done;
}

interface Brace {
  readonly from: number;
  readonly to: number;
  readonly choices: string[];
}

/** The first `{a,b}` at or after `from`. One pass finds all partners, so unpaired braces cost no more. */
function nextBrace(text: string, from: number): Brace | undefined {
  const starts: { readonly at: number; readonly commas: number[] }[] = [];
  let first: Brace | undefined;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = Math.max(at, classEnd(text, at));
    else if (character === '{') starts.push({ at, commas: [] });
    else if (character === ',') starts.at(-1)?.commas.push(at);
    else if (character === '}') {
      const start = starts.pop();
      if (!start || start.commas.length === 0) continue;
      const cuts = [start.at, ...start.commas, at];
      const choices = cuts.slice(1).map((cut, i) => text.slice((cuts[i] ?? 0) + 1, cut));
      if (!first || start.at < first.from) first = { from: start.at, to: at + 1, choices };
      if (starts.length === 0) return first;
    }
  }
  return first;
}

/** Index of the `]` that closes the class at `from`; -1 if there is none before a slash or the end. */
function classEnd(text: string, from: number): number {
  let at = from + 1;
  if (text[at] === '!' || text[at] === '^') at += 1;
  if (text[at] === ']') at += 1;
  for (; at < text.length && text[at] !== '/'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ']') return at;
  }
  return -1;
}

/**
 * Compiles the pattern of one name. `sound` is false if an unclosed class or a trailing backslash was taken literally.
 */
export function compileSegment(name: string): { readonly segment: Segment; readonly sound: boolean } {
  if (name === '**') return { segment: '**', sound: true };
  const tokens: Token[] = [];
  let sound = true;
  for (let at = 0; at < name.length; ) {
    const character = String.fromCodePoint(name.codePointAt(at) ?? 0);
    const end = character === '[' ? classEnd(name, at) : -1;
    at += character.length;
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
    } else if (character === '?') tokens.push({ kind: 'one' });
    else if (end >= 0) {
      tokens.push(compileClass(name.slice(at, end)));
      at = end + 1;
    } else if (character === '\\' && at < name.length) {
      const escaped = name.codePointAt(at) ?? 0;
      tokens.push({ kind: 'literal', point: escaped });
      at += escaped > 0xffff ? 2 : 1;
    } else {
      sound &&= character !== '[' && character !== '\\';
      tokens.push({ kind: 'literal', point: character.codePointAt(0) ?? 0 });
    }
  }
  return { segment: tokens, sound };
}

function compileClass(body: string): Token {
  const negated = body.startsWith('!') || body.startsWith('^');
  const points: { readonly point: number; readonly plain: boolean }[] = [];
  const characters = Array.from(negated ? body.slice(1) : body);
  for (let at = 0; at < characters.length; at += 1) {
    const escaped = characters[at] === '\\' && at + 1 < characters.length;
    if (escaped) at += 1;
    points.push({ point: characters[at]?.codePointAt(0) ?? 0, plain: !escaped });
  }
  const ranges: [number, number][] = [];
  for (let at = 0; at < points.length; at += 1) {
    const from = points[at]?.point ?? 0;
    const to = points[at + 2];
    const isRange = points[at + 1]?.point === 0x2d && points[at + 1]?.plain === true && to !== undefined;
    ranges.push([from, isRange ? to.point : from]);
    if (isRange) at += 2;
  }
  return { kind: 'class', negated, ranges };
}

/** True when `names` match `segments`. Backtracks to the last `**` only, so the work is bounded by their product. */
export function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let at = 0;
  let name = 0;
  let star = -1;
  let starName = 0;
  while (name < names.length) {
    const segment = segments[at];
    if (segment === '**') {
      star = at;
      starName = name;
      at += 1;
    } else if (segment !== undefined && matchName(segment, names[name] ?? '')) {
      at += 1;
      name += 1;
    } else if (star >= 0) {
      at = star + 1;
      starName += 1;
      name = starName;
    } else return false;
  }
  while (segments[at] === '**') at += 1;
  return at === segments.length;
}

function mayLeadOn(segments: readonly Segment[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const segment = segments[at];
    if (segment === '**') return true;
    if (segment === undefined || !matchName(segment, name)) return false;
  }
  return segments.length > names.length;
}

function matchName(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let unit = 0;
  let star = -1;
  let starUnit = 0;
  while (unit < name.length) {
    const token = tokens[at];
    if (token?.kind === 'many') {
      star = at;
      starUnit = unit;
      at += 1;
      continue;
    }
    const point = name.codePointAt(unit) ?? 0;
    if (token && matchPoint(token, point)) {
      at += 1;
      unit += point > 0xffff ? 2 : 1;
    } else if (star >= 0) {
      at = star + 1;
      starUnit += (name.codePointAt(starUnit) ?? 0) > 0xffff ? 2 : 1;
      unit = starUnit;
    } else return false;
  }
  while (tokens[at]?.kind === 'many') at += 1;
  return at === tokens.length;
}

function matchPoint(token: Token, point: number): boolean {
  if (token.kind === 'literal') return token.point === point;
  if (token.kind === 'class')
    return token.ranges.some(([from, to]) => from <= point && point <= to) !== token.negated;
  return token.kind === 'one';
}
