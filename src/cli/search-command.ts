// `lectern search`: matching lines in files of any kind, with the habits of ripgrep.

import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { splitAddress, splitMember } from '../address/index.ts';
import { oneLine, plural, quoted, shortName, systemError } from '../contract/index.ts';
import {
  createReader,
  createWorkspace,
  type Match,
  ReaderError,
  type SearchAnswer,
  type SearchOptions,
  type Workspace,
} from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import { inContext, type NumberedLine } from '../workspace/index.ts';
import type { Command } from './command.ts';
import { integerFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, type Option, REDACT_OPTIONS, redactFrom, type Values } from './options.ts';
import { report } from './read-command.ts';
import type { Terminal } from './terminal.ts';

const SEARCH_OPTIONS: readonly Option[] = [
  { name: 'ignore-case', short: 'i', help: 'upper and lower case are the same' },
  { name: 'fixed-strings', short: 'F', help: 'the pattern is text, not a regular expression' },
  { name: 'regexp', short: 'e', value: 'PATTERN', help: 'the pattern, which may start with a hyphen' },
  { name: 'after-context', short: 'A', value: 'N', help: 'lines shown after each match' },
  { name: 'before-context', short: 'B', value: 'N', help: 'lines shown before each match' },
  { name: 'context', short: 'C', value: 'N', help: 'lines shown before and after each match' },
  {
    name: 'glob',
    short: 'g',
    value: 'GLOB',
    help: 'only files that match it; with `!` before it, no others',
  },
  { name: 'files-with-matches', short: 'l', help: 'print only the paths of files with matches' },
  { name: 'count', short: 'c', help: 'print the number of matching lines of each file' },
  {
    name: 'groups',
    help: 'print how often each text matched, or what the first group of the pattern matched',
  },
  { name: 'multiline', short: 'U', help: 'matches may span lines' },
  { name: 'formulas', help: 'search the formulas of workbooks too' },
  { name: 'no-ignore', help: 'search ignored files too' },
  ...REDACT_OPTIONS,
];

/** Exit statuses of grep and ripgrep. */
const FOUND = 0;
const NONE = 1;
const TROUBLE = 2;

/** Matches and milliseconds per step, between which output is printed. */
const MAX_MATCHES = 10_000;
const STEP_MS = 5000;
const MAX_NAMED = 3;
const MAX_CONTEXT = 20;

export const search: Command = {
  options: [
    ...SEARCH_OPTIONS,
    ...COMMON_OPTIONS.map((option) =>
      option.name === 'json' ? { ...option, help: 'print JSON Lines in the format of ripgrep' } : option,
    ),
  ],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    const given = values['regexp'];
    const [pattern, ...paths] = typeof given === 'string' ? [given, ...words] : words;
    try {
      if (pattern === undefined)
        throw new ReaderError('BAD_INPUT', 'No pattern given.', 'Example: `lectern search invoice docs/`.');
      return await searchAll(pattern, paths.length === 0 ? ['.'] : paths, values, terminal);
    } catch (error) {
      terminal.done();
      if (!(error instanceof ReaderError)) throw error;
      const hint = error.hint.replace('omit `regex` to search for it literally', 'use `--fixed-strings`');
      report(terminal, 'lectern', { code: error.code, message: error.message.replace(ONE_LINE, ''), hint });
      return TROUBLE;
    }
  },
};

/** Flag of an expression in which `.` matches no line end. */
const ONE_LINE = '(?-s)';

async function searchAll(
  pattern: string,
  paths: readonly string[],
  values: Values,
  terminal: Terminal,
): Promise<number> {
  const options = optionsFrom(values, terminal.signal);
  // As in ripgrep, `.` does not match a line end.
  const query = options.multiline && options.regex ? `${ONE_LINE}${pattern}` : pattern;
  const totals: Totals = { matches: 0, searched: 0, skipped: new Map(), groups: new Map(), failed: false };
  const printer = printerFor(values, paths, terminal);
  for (const path of paths) {
    try {
      const { workspace, inside, name } = await workspaceOf(path, terminal, values);
      for await (const answer of stepsOf(workspace, query, { ...options, path: inside })) {
        await printer.answer(answer, name);
        add(totals, answer);
        collectSkipped(answer, name, totals);
      }
    } catch (error) {
      if (!(error instanceof ReaderError) || error.code === 'BAD_INPUT' || error.code === 'ABORTED')
        throw error;
      report(terminal, path, error);
      totals.failed = true;
    }
  }
  await printer.end(totals);
  reportSkipped(totals, terminal);
  if (totals.failed) return TROUBLE;
  return totals.matches > 0 ? FOUND : NONE;
}

/** Of a whole search. */
interface Totals {
  matches: number;
  searched: number;
  readonly skipped: Map<string, readonly string[]>;
  readonly groups: Map<string, number>;
  failed: boolean;
}

function add(totals: Totals, { total, searched, groups = [] }: SearchAnswer): void {
  totals.matches += total.matches;
  totals.searched += searched;
  for (const { text, count } of groups) totals.groups.set(text, (totals.groups.get(text) ?? 0) + count);
}

/** By reason. Binary files are not named, as in ripgrep; others are, because they may hold what is looked for. */
function collectSkipped({ skipped }: SearchAnswer, name: (path: string) => string, totals: Totals): void {
  for (const { path, reason } of skipped) {
    if (reason === 'binary') continue;
    const files = totals.skipped.get(reason) ?? [];
    totals.skipped.set(reason, [...files, oneLine(name(path))]);
  }
}

function reportSkipped({ skipped }: Totals, terminal: Terminal): void {
  for (const [reason, files] of skipped) {
    const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
    const named = files.slice(0, MAX_NAMED).join(', ');
    terminal.err(`lectern: ${plural(files.length, 'file')} not searched (${reason}): ${named}${more}\n`);
  }
}

/** @throws {ReaderError} BAD_INPUT */
function optionsFrom(values: Values, signal: AbortSignal): SearchOptions {
  const glob = values['glob'];
  const isExcluded = typeof glob === 'string' && glob.startsWith('!');
  const { before, after } = contextOf(values);
  const count = values['groups'] === true ? 'groups' : isCounted(values) ? 'files' : undefined;
  return {
    regex: values['fixed-strings'] !== true,
    caseSensitive: values['ignore-case'] !== true,
    multiline: values['multiline'] === true,
    formulas: values['formulas'] === true,
    ignore: values['no-ignore'] !== true,
    ...(count && { count }),
    ...(typeof glob === 'string' && (isExcluded ? { exclude: glob.slice(1) } : { glob })),
    context: Math.max(before, after),
    signal,
  };
}

const isCounted = (values: Values): boolean =>
  values['count'] === true || values['files-with-matches'] === true;

function contextOf(values: Values): { readonly before: number; readonly after: number } {
  const around = integerFrom(values, 'context', { least: 0, most: MAX_CONTEXT }) ?? 0;
  return {
    before: integerFrom(values, 'before-context', { least: 0, most: MAX_CONTEXT }) ?? around,
    after: integerFrom(values, 'after-context', { least: 0, most: MAX_CONTEXT }) ?? around,
  };
}

/** The folder of a path as a workspace, the path in it, and how paths in it are printed. @throws {ReaderError} */
async function workspaceOf(
  given: string,
  { environment }: Terminal,
  values: Values,
): Promise<{
  readonly workspace: Workspace;
  readonly inside: string;
  readonly name: (path: string) => string;
}> {
  const { path: outer } = await splitMember(given, { kind: kindOf });
  const path = outer === given ? (await splitAddress(given, { kind: kindOf })).path : outer;
  const found = await stat(path).catch((error: unknown) => {
    throw systemError(error, shortName(path), 'open');
  });
  const root = found.isDirectory() ? path : dirname(path);
  const isTimed = environment['LECTERN_MAX_SEARCH_MILLISECONDS'] !== undefined;
  const limits = { maxMatches: MAX_MATCHES, ...(!isTimed && { maxSearchMilliseconds: STEP_MS }) };
  const reader = (workspace: Workspace) => createReader({ workspace, environment, ...redactFrom(values) });
  const workspace = createWorkspace({ root }, { environment, limits, reader });
  const isHere = path === '.';
  return {
    workspace,
    inside: found.isDirectory() ? '' : `${basename(path)}${given.slice(path.length)}`,
    name: (one) => (isHere ? one : join(root, one)),
  };
}

async function kindOf(path: string): Promise<'file' | 'directory' | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && (found.isDirectory() ? 'directory' : 'file');
}

async function* stepsOf(
  workspace: Workspace,
  pattern: string,
  options: SearchOptions,
): AsyncGenerator<SearchAnswer> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await workspace.search(pattern, { ...options, ...(cursor !== undefined && { cursor }) });
    yield answer;
    cursor = answer.next;
  }
}

interface Printer {
  answer(answer: SearchAnswer, name: (path: string) => string): Promise<void>;
  end(totals: Totals): Promise<void>;
}

function printerFor(values: Values, paths: readonly string[], terminal: Terminal): Printer {
  if (values['json'] === true) return jsonPrinter(terminal);
  if (values['groups'] === true)
    return {
      answer: async () => undefined,
      end: async ({ groups }) => {
        for (const [text, count] of [...groups].sort((a, b) => b[1] - a[1]))
          await terminal.out(`${count} ${oneLine(text)}\n`);
      },
    };
  const isNamed = values['count'] !== true;
  // The file in which a step ends goes on in the next.
  let last: { readonly path: string; readonly matches: number } | undefined;
  const printLast = async (): Promise<void> => {
    if (last) await terminal.out(`${oneLine(last.path)}${isNamed ? '' : `:${last.matches}`}\n`);
  };
  return {
    answer: async ({ matches, files }, name) => {
      if (!isCounted(values)) await printMatches(matches, name, contextOf(values), terminal);
      else
        for (const file of files) {
          const path = name(file.path);
          const before = last?.path === path ? last.matches : 0;
          if (before === 0) await printLast();
          last = { path, matches: before + file.matches };
        }
    },
    end: async ({ searched, skipped }) => {
      await printLast();
      if (searched === 0 && skipped.size === 0)
        terminal.err(`No file was searched in ${paths.map(quoted).join(', ')}.\n`);
    },
  };
}

/** `path:line:text`, with the place in a document or table in place of the line. */
async function printMatches(
  matches: readonly Match[],
  name: (path: string) => string,
  { before, after }: { readonly before: number; readonly after: number },
  terminal: Terminal,
): Promise<void> {
  for (const [index, one] of inContext(matches, before, after).entries()) {
    const { match, above, below, isFirst, hasGap } = one;
    const shown = oneLine(name(match.path));
    const place = match.converted ? match.address.slice(match.path.length) : `:${match.line}`;
    const around = async (lines: readonly NumberedLine[]): Promise<void> => {
      for (const { line, text, isMatch } of lines) {
        const at = isMatch ? `${match.converted ? place : `:${line}`}:` : `-${line}-`;
        await terminal.out(`${shown}${at}${oneLine(text)}\n`);
      }
    };
    if (before + after > 0 && index > 0 && (isFirst || hasGap)) await terminal.out('--\n');
    await around(above);
    await terminal.out(`${shown}${place}`, 'bold');
    await terminal.out(`:${oneLine(match.text)}\n`);
    for (const { text } of match.also ?? []) await terminal.out(`${shown}${place}:${oneLine(text)}\n`);
    await around(below);
  }
}

/** Messages `begin`, `match`, `end` and `summary`, as `rg --json` writes them. */
function jsonPrinter(terminal: Terminal): Printer {
  let open: string | undefined;
  const write = (type: string, data: object): Promise<void> =>
    terminal.out(`${JSON.stringify({ type, data })}\n`);
  const close = async (): Promise<void> => {
    if (open !== undefined) await write('end', { path: { text: open }, binary_offset: null });
    open = undefined;
  };
  return {
    answer: async ({ matches }, name) => {
      for (const { path, address, label, line, text, spans, after = [], continued = 0 } of matches) {
        const shown = name(path);
        if (open !== shown) {
          await close();
          await write('begin', { path: { text: shown } });
          open = shown;
        }
        const bytes = (to: number): number => Buffer.byteLength(text.slice(0, to));
        await write('match', {
          path: { text: shown },
          lines: { text: `${[text, ...after.slice(0, continued)].join('\n')}\n` },
          line_number: line,
          absolute_offset: null,
          submatches: spans.map(([start, end]) => ({
            match: { text: text.slice(start, end) },
            start: bytes(start),
            end: bytes(end),
          })),
          address: `${shown}${address.slice(path.length)}`,
          ...(label !== undefined && { label }),
        });
      }
    },
    end: async ({ matches, searched }) => {
      await close();
      await write('summary', { stats: { matched_lines: matches, searches: searched } });
    },
  };
}
