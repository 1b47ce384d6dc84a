// Finds the lines of one definition by name, including the comment and annotations above it.

import {
  editDistance,
  type ProcessContext,
  quoted,
  ReaderError,
  type Surroundings,
  type TextSource,
} from '../../src/contract/index.ts';
import { partsOf, pathOf, pathsAsked } from './symbol-names.ts';
import { languageOf } from './symbols/languages.ts';
import { type CodeSymbol, MAX_PARSED, symbolsIn } from './symbols/symbols.ts';

/** 1-based line range, both ends inclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A definition with the names of the enclosing ones. */
interface Definition extends Stretch {
  readonly path: readonly string[];
}

/** Maximum lines above a definition searched for its comment. */
const MAX_COMMENT_LINES = 200;
const MAX_LISTED = 8;
/** Comments, annotations, attributes, decorators and similar syntax, in the languages that have a grammar. */
const ABOVE =
  /^\s*(?:\/\/|\/?\*|#(?!\s*(?:include|define|if|ifdef|ifndef|else|elif|endif|pragma)\b)|@|\[[\w:]|template\b)/;
const BLOCK_END = /\*\/\s*$/;

/**
 * The definition of `name`: `read`, or `Reader.read` to disambiguate.
 * @throws {ReaderError} BAD_INPUT for a name that is unknown or ambiguous, with the available names
 */
export async function symbolLines(
  text: TextSource,
  extension: string,
  name: string,
  context: ProcessContext,
): Promise<Stretch> {
  if (text.size > MAX_PARSED)
    throw unavailable(`The file has ${text.size} bytes; \`symbol\` supports up to ${MAX_PARSED}.`);
  const symbols = await symbolsIn(text, extension, context.signal);
  if (!symbols)
    throw unavailable(
      languageOf(extension)
        ? 'The file is too complex to parse; `symbol` is not available for it.'
        : `\`symbol\` is not available for ${quoted(extension)} files.`,
    );
  const definitions = definitionsOf(symbols);
  const found = pathsAsked(name)
    .map((wanted) => matching(definitions, wanted))
    .find(({ length }) => length > 0);
  if (!found) throw notFound(name, definitions);
  const whole = joined(found);
  if (!whole) throw ambiguous(name, found);
  const code = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await text.read(0, text.size));
  return { from: startOf(code.split(/\r\n|[\r\n]/), whole.from), to: whole.to };
}

const unavailable = (message: string): ReaderError =>
  new ReaderError('BAD_INPUT', message, 'Omit `symbol` and use `lines`.');

const MAX_FOLLOWING = 3;

/** The definition that contains line `line`, and those that start after it. */
export async function surroundingsOf(
  text: TextSource,
  extension: string,
  line: number,
  signal: AbortSignal,
): Promise<Surroundings | undefined> {
  const definitions = definitionsOf((await symbolsIn(text, extension, signal)) ?? []);
  // The first line of a definition, and the comment above it, are not yet inside.
  const around = definitions.findLast(({ from, to }) => from < line && line <= to);
  const following = definitions.filter(({ from }) => from >= line).slice(0, MAX_FOLLOWING);
  if (!around && following.length === 0) return undefined;
  // A name next to its predecessor omits the common path.
  const common = around?.path.slice(0, -1) ?? [];
  const short = ({ path }: Definition): string =>
    path.slice(common.every((part, at) => path[at] === part) ? common.length : 0).join('.');
  return {
    ...(around && { inside: around.path.join('.') }),
    following: following.map(short),
  };
}

function definitionsOf(symbols: readonly CodeSymbol[]): Definition[] {
  const open: string[] = [];
  return symbols.map((symbol) => {
    open.length = Math.min(open.length, symbol.level - 1);
    open.push(pathOf(symbol));
    return { path: partsOf(open.join('.')), from: symbol.from, to: symbol.to };
  });
}

/** The definitions whose path ends in the parts of the name; matches with equal letter case take precedence. */
function matching(definitions: readonly Definition[], wanted: readonly string[]): readonly Definition[] {
  const ends = (path: readonly string[], same: (a: string, b: string) => boolean): boolean =>
    path.length >= wanted.length &&
    wanted.every((part, at) => same(part, path[path.length - wanted.length + at] ?? ''));
  const exact = definitions.filter(({ path }) => ends(path, (a, b) => a === b));
  if (exact.length > 0) {
    // A name alone means the outermost definition: a class before its constructor.
    const least = exact.reduce((min, { path }) => Math.min(min, path.length), Number.POSITIVE_INFINITY);
    const outer = exact.filter(({ path }) => path.length === least);
    return outer.length === 1 ? outer : exact;
  }
  const lower = (text: string): string => text.toLowerCase();
  return definitions.filter(({ path }) => ends(path, (a, b) => lower(a) === lower(b)));
}

/** One definition, or consecutive overloads as one. */
function joined(found: readonly Definition[]): Stretch | undefined {
  const [first] = found;
  if (!first) return undefined;
  const path = first.path.join('.');
  let { to } = first;
  for (const one of found.slice(1)) {
    if (one.path.join('.') !== path || one.from > to + MAX_GAP) return undefined;
    to = Math.max(to, one.to);
  }
  return { from: first.from, to };
}

/** Maximum lines between overloads: comments and annotations. */
const MAX_GAP = 30;

/** The first line of the comments and annotations directly above line `from`. */
function startOf(lines: readonly string[], from: number): number {
  let start = from;
  let inBlock = false;
  while (start > 1 && from - start < MAX_COMMENT_LINES) {
    const above = lines[start - 2] ?? '';
    if (!inBlock && BLOCK_END.test(above) && !/^\s*\/\*/.test(above)) inBlock = true;
    if (!inBlock && !ABOVE.test(above)) break;
    if (inBlock && /^\s*\/\*/.test(above)) inBlock = false;
    start -= 1;
  }
  // A block whose start was not found is not a comment of this definition.
  return inBlock ? from : start;
}

/** Names of one or two letters are parts of almost any name. */
const isPart = (part: string, whole: string): boolean => part.length > 2 && whole.includes(part);

function notFound(name: string, definitions: readonly Definition[]): ReaderError {
  const wanted = pathsAsked(name).at(-1)?.at(-1)?.toLowerCase() ?? '';
  const near = definitions
    .map(({ path }) => ({ path: path.join('.'), last: path.at(-1)?.toLowerCase() ?? '' }))
    .map(({ path, last }) => ({
      path,
      distance: isPart(last, wanted) || isPart(wanted, last) ? 1 : editDistance(last, wanted),
    }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_LISTED)
    .map(({ path }) => quoted(path));
  return new ReaderError(
    'BAD_INPUT',
    `No definition of ${quoted(name)} in this file.`,
    near.length > 0
      ? `Did you mean ${[...new Set(near)].join(', ')}?`
      : 'Read the file with `overflow: "outline"` to see what it defines.',
  );
}

function ambiguous(name: string, found: readonly Definition[]): ReaderError {
  const listed = found
    .slice(0, MAX_LISTED)
    .map(({ path, from, to }) => `${quoted(path.join('.'))} (lines ${from}-${to})`);
  const more = found.length > MAX_LISTED ? `, and ${found.length - MAX_LISTED} more` : '';
  return new ReaderError(
    'BAD_INPUT',
    `${found.length} definitions are named ${quoted(name)}: ${listed.join(', ')}${more}.`,
    new Set(found.map(({ path }) => path.join('.'))).size === found.length
      ? 'Set `symbol` to one of these names, or use its `lines`.'
      : 'Use the `lines` of one.',
  );
}
