// The tool search_files: matching lines with their places, or counts. Names the files that were not searched.

import { z } from 'zod';
import { OWN, oneLine, plural, quoted, ReaderError } from '../contract/index.ts';
import { looksLikeRegex, type Match, type SearchAnswer } from '../workspace/index.ts';
import { bad, type Draft, type Given } from './argument-rules.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { arrangeRoot, bounded, PAGING_ALIASES } from './list-files.ts';
import { overBudget } from './listing.ts';
import { cutToBudget, fitting, notesText, pageText } from './page.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { textAnswer } from './tool.ts';
import { visible } from './visible.ts';

const MAX_CONTEXT = 20;

/** Extensions of the languages `type` may name, if the name itself is not one. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['typescript', '*.{ts,tsx,mts,cts}'],
  ['ts', '*.{ts,tsx,mts,cts}'],
  ['javascript', '*.{js,jsx,mjs,cjs}'],
  ['js', '*.{js,jsx,mjs,cjs}'],
  ['python', '*.{py,pyi}'],
  ['py', '*.{py,pyi}'],
  ['rust', '*.rs'],
  ['ruby', '*.rb'],
  ['golang', '*.go'],
  ['csharp', '*.cs'],
  ['cpp', '*.{cpp,cc,cxx,hpp,hh,h}'],
  ['c', '*.{c,h}'],
  ['markdown', '*.{md,markdown}'],
  ['md', '*.{md,markdown}'],
  ['yaml', '*.{yaml,yml}'],
  ['shell', '*.{sh,bash,zsh}'],
  ['sh', '*.{sh,bash,zsh}'],
]);

const MODES = ['content', 'files_with_matches', 'count', 'groups'] as const;

/** Searches the content of files. */
export const SEARCH_FILES: DefinedTool = defineTool({
  name: 'search_files',
  title: 'Search in files',
  readOnly: true,
  destructive: false,
  leadsTo: 'folder',
  input: z.object({
    query: z.string().min(1).describe('Text or regular expression (RE2)'),
    regex: z.boolean().optional(),
    multiline: z.boolean().optional(),
    case_sensitive: z.boolean().optional().describe('Default true'),
    path: z.string().optional().describe('File or folder'),
    glob: z.string().optional().describe('Only files like "*.md"'),
    exclude: z.string().optional(),
    output_mode: z.enum(MODES).optional().describe('groups: counts by matched text or first capture'),
    before: z.int().min(0).max(MAX_CONTEXT).optional(),
    after: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines of context'),
    include_ignored: z.boolean().optional(),
    limit: z.int().min(1).optional(),
    cursor: z.string().optional(),
  }),
  aliases: {
    ...PATH_ALIASES,
    ...PAGING_ALIASES,
    pattern: 'query',
    regexp: 'query',
    text: 'query',
    q: 'query',
    search: 'query',
    search_term: 'query',
    search_query: 'query',
    keyword: 'query',
    is_regex: 'regex',
    is_regexp: 'regex',
    use_regex: 'regex',
    multi_line: 'multiline',
    match_case: 'case_sensitive',
    directory: 'path',
    dir: 'path',
    dir_path: 'path',
    folder: 'path',
    include: 'glob',
    include_pattern: 'glob',
    file_pattern: 'glob',
    glob_pattern: 'glob',
    exclude_pattern: 'exclude',
    exclude_glob: 'exclude',
    mode: 'output_mode',
    _a: 'after',
    after_context: 'after',
    _b: 'before',
    before_context: 'before',
    max_matches: 'limit',
    total_max_matches: 'limit',
  },
  main: 'query',
  contents: ['query'],
  arrange,
  describe: (names) => {
    const read = anyOf(names, 'read_file');
    return `Finds matching lines in files of any kind, also inside documents, workbooks and archives.${read === '' ? '' : ` Each is named by an address that ${read} takes as path.`}`;
  },
  run: async (args, room, { signal, progress }) => {
    const { query, multiline, case_sensitive: caseSensitive, path, glob, exclude, cursor } = args;
    const { before = 0, after = 0, include_ignored: all } = args;
    const mode = args.output_mode ?? 'content';
    const context = mode === 'content' ? Math.max(before, after) : 0;
    const limit = bounded(args.limit, room.workspace.limits.maxMatches);
    const searched = (regex: boolean): Promise<SearchAnswer> =>
      room.workspace.search(query, {
        regex,
        ...(multiline === true && { multiline }),
        ...(caseSensitive !== undefined && { caseSensitive }),
        ...(path !== undefined && { path }),
        ...(glob !== undefined && { glob }),
        ...(exclude !== undefined && { exclude }),
        ...(context > 0 && { context }),
        ...(all === true && { ignore: false }),
        ...(mode === 'content'
          ? limit !== undefined && { limit }
          : { count: mode === 'groups' ? mode : 'files' }),
        ...(cursor !== undefined && { cursor }),
        signal,
        onProgress: ({ bytes }) => progress({ progress: bytes, unit: 'bytes' }),
      });
    const { answer, note } = await chosen(searched, args.regex, query);
    const paths = new Set(answer.matches.map((match) => match.path));
    for (const shown of [...paths].slice(0, MAX_FOLLOWED))
      await room.seen?.look(room.workspace, shown, signal);
    const inside = { ...room, budget: Math.max(1, room.budget - (note === '' ? 0 : room.count(note))) };
    const found = { ...answer, matches: answer.matches.map((match) => around(match, before, after)) };
    if (answer.total.matches === 0) return textAnswer(note + noneText(found, query, path, inside));
    if (mode === 'content') return textAnswer(note + matchesText(found, inside));
    return textAnswer(note + countsText(found, mode, limit, inside));
  },
});

/** Several texts become one expression that matches any of them. */
function arrangeQueries(draft: Draft): void {
  const given = draft.get('query');
  if (!given || !Array.isArray(given.value) || given.value.length < 2) return;
  const texts: unknown[] = given.value;
  if (!texts.every((text) => typeof text === 'string' && text !== ''))
    throw bad(
      `${quoted(given.as)} contains an item that is not text.`,
      'Pass a string, or a list of strings.',
    );
  const regex = draft.get('regex');
  const raw = regex
    ? isTrue(regex.value)
    : given.as === 'regexp' || texts.some((text) => looksLikeRegex(String(text)));
  const parts = texts.map((text) =>
    raw ? `(?:${text})` : String(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  draft.set('query', { ...given, value: parts.join('|') });
  draft.set('regex', { value: true, as: regex?.as ?? given.as });
}

/** Converts options known from grep and similar tools to arguments of this one. */
function arrange(draft: Draft): void {
  arrangeRoot(draft);
  arrangeQueries(draft);
  // `regex` may hold the expression itself instead of a flag.
  const regex = draft.get('regex');
  if (regex && !draft.has('query') && typeof regex.value === 'string') {
    draft.set('query', regex);
    draft.set('regex', { value: true, as: regex.as });
  }
  const expression = draft.get('query');
  if (!draft.has('regex') && expression?.as === 'regexp') draft.set('regex', { value: true, as: 'regexp' });
  for (const name of ['ignore_case', 'case_insensitive', 'i', '_i']) {
    const given = taken(draft, name);
    if (given && !draft.has('case_sensitive'))
      draft.set('case_sensitive', { value: !isTrue(given.value), as: given.as });
  }
  for (const name of ['context', 'context_lines', '_c']) {
    const given = taken(draft, name);
    for (const side of ['before', 'after']) if (given && !draft.has(side)) draft.set(side, given);
  }
  // Lines are always numbered.
  for (const name of ['n', '_n', 'line_numbers', 'show_line_numbers']) taken(draft, name);
  const type = taken(draft, 'type') ?? taken(draft, 'file_type');
  const ending = String(type?.value ?? '')
    .toLowerCase()
    .replace(/^\./, '');
  if (type && !draft.has('glob') && /^[\w+#-]{1,20}$/.test(ending))
    draft.set('glob', { value: TYPES.get(ending) ?? `*.${ending}`, as: type.as });
  const names = taken(draft, 'names_only') ?? taken(draft, 'files_only') ?? taken(draft, '_l');
  if (names && isTrue(names.value) && !draft.has('output_mode'))
    draft.set('output_mode', { value: 'files_with_matches', as: names.as });
  const mode = draft.get('output_mode');
  const known = MODE_NAMES.get(String(mode?.value).toLowerCase());
  if (mode && known !== undefined) draft.set('output_mode', { ...mode, value: known });
  // 0 means no limit.
  if (draft.get('limit')?.value === 0) draft.delete('limit');
}

const MODE_NAMES: ReadonlyMap<string, (typeof MODES)[number]> = new Map([
  ['files', 'files_with_matches'],
  ['paths', 'files_with_matches'],
  ['files_only', 'files_with_matches'],
  ['count_matches', 'count'],
  ['lines', 'content'],
]);

const isTrue = (value: unknown): boolean => /^(?:true|yes|1)$/i.test(String(value));

function taken(draft: Draft, name: string): Given | undefined {
  const given = draft.get(name);
  draft.delete(name);
  return given;
}

/** Files with matches that are followed for changes. */
const MAX_FOLLOWED = 20;

/**
 * Without `regex`: literally, unless the query looks like an expression; the other way if nothing is found. `note` says
 * if the answer is not what the query looks like.
 */
async function chosen(
  searched: (regex: boolean) => Promise<SearchAnswer>,
  regex: boolean | undefined,
  query: string,
): Promise<{ readonly answer: SearchAnswer; readonly note: string }> {
  if (regex !== undefined || !/[\\^$*+?|[\](){}.]/.test(query))
    return { answer: await searched(regex === true), note: '' };
  const first = looksLikeRegex(query);
  let none: SearchAnswer | undefined;
  let failure: unknown;
  for (const one of [first, !first])
    try {
      const answer = await searched(one);
      if (answer.total.matches > 0 || answer.next !== null)
        return { answer, note: one === first || answer.matches.length === 0 ? '' : otherNote(query, one) };
      none ??= answer;
    } catch (error) {
      // The cursor of the other search, or a query that is no expression.
      if (!(error instanceof ReaderError) || !['BAD_INPUT', 'STALE_CURSOR'].includes(error.code)) throw error;
      failure ??= error;
    }
  if (none) return { answer: none, note: '' };
  throw failure;
}

const otherNote = (query: string, regex: boolean): string =>
  regex
    ? `${OWN.note}${quoted(query)} was not found literally; it was searched as a regular expression.]\n`
    : `${OWN.note}No match for ${quoted(query)} as a regular expression; it was searched literally.]\n`;

/** `match` with the requested number of context lines. */
function around(
  { before: above = [], after: below = [], ...match }: Match,
  before: number,
  after: number,
): Match {
  const lines = { before: above.slice(above.length - Math.min(before, above.length)), after: below };
  // A match across lines continues below its first line.
  const kept = below.slice(0, Math.max(after, below.length - Math.max(0, before - after)));
  return {
    ...match,
    ...(lines.before.length > 0 && { before: lines.before }),
    ...(kept.length > 0 && { after: kept }),
  };
}

/** Says that there is no match, and where. */
function noneText(answer: SearchAnswer, query: string, path: string | undefined, room: ToolRoom): string {
  const { covered, next, searched } = answer;
  const all = covered?.of === undefined ? undefined : plural(covered.of, covered.unit);
  const where =
    covered === undefined || all === undefined
      ? path === undefined || searched !== 1
        ? ''
        : ` in ${oneLine(path)}`
      : next === null
        ? ` in all ${all} of ${oneLine(path ?? '')}`
        : ` in ${plural(covered.to, covered.unit)} of ${all}`;
  const lines = [`No match for ${quoted(query)}${where}${next === null ? '.' : ' so far.'}`];
  return cutToBudget(pageText(lines, footer(answer, 0)), room.budget, room.count);
}

/** Files with matches, with their counts if `mode` says so, or the texts that matched with theirs. */
function countsText(
  answer: SearchAnswer,
  mode: 'files_with_matches' | 'count' | 'groups',
  limit: number | undefined,
  { budget, count }: ToolRoom,
): string {
  const { groups = [], files, total } = answer;
  const isGroups = mode === 'groups';
  const all = isGroups
    ? groups.map(({ text, count: times }) => `${times} ${visible(text)}`)
    : files.map(({ path, matches }) => `${oneLine(path)}${mode === 'count' ? `:${matches}` : ''}`);
  const lines = all.slice(0, limit);
  const end = (shown: number): string => {
    const least = total.isExact ? '' : 'at least ';
    const what = isGroups ? plural(groups.length, 'text') : plural(total.files, 'file');
    const of = shown === all.length && total.isExact ? '' : `${shown} of ${least}`;
    const cursor = isGroups ? answer.next : answer.cursorAtFile(shown);
    const more = cursor === null ? '' : ` Continue with cursor "${cursor}".`;
    const notes = notesText(answer.notes);
    return `[${of}${what}, ${least}${plural(total.matches, 'matching line')}${isGroups ? ` in ${plural(total.files, 'file')}` : ''}.${more}]${notes === '' ? '' : `\n${notes}`}`;
  };
  const shown = fitting({ lines, footer: end }, budget, count);
  if (shown > 0) return pageText(lines.slice(0, shown), end(shown));
  const least = isGroups
    ? `${lines[0]}\n`
    : `${OWN.more}cursor "${answer.cursorAtFile(1) ?? ''}"]\n${lines[0]}\n`;
  if (count(least) <= budget) return least;
  throw overBudget('file', count(least), budget);
}

/** As many matches as fit. */
function matchesText(answer: SearchAnswer, { budget, count }: ToolRoom): string {
  const blocks = blocksOf(answer.matches);
  const shown = fitting({ lines: blocks, footer: (n) => footer(answer, n) }, budget, count);
  if (shown > 0) return pageText(blocks.slice(0, shown), footer(answer, shown));
  const cursor = answer.cursorAfter(1);
  const more = cursor === null ? '' : `[more; cursor "${cursor}"]\n`;
  const [block = ''] = blocksOf(answer.matches.slice(0, 1).map(withoutContext));
  // The cursor, the place of the match, and as much of its text as fits.
  const needed = count(`${more}${block.slice(0, block.indexOf(': ') + 1)}…`);
  if (needed <= budget) return cutToBudget(`${more}${block}\n`, budget, count);
  throw overBudget('match', needed, budget);
}

function withoutContext({ before: _before, after: _after, ...match }: Match): Match {
  return match;
}

/**
 * One text per match, with its context, every line once. Matches of one file stand under its path; a gap between lines
 * with context is marked.
 */
function blocksOf(matches: readonly Match[]): string[] {
  let printed = 0;
  return matches.map((match, index) => {
    const [previous, next] = [matches[index - 1], matches[index + 1]];
    const isFirst = previous?.path !== match.path;
    const isGrouped = !isFirst || next?.path === match.path;
    const lines: string[] = [];
    if (isFirst) printed = 0;
    if (isFirst && isGrouped) lines.push(oneLine(match.path));
    const { before = [], after = [], line } = match;
    const above = before.slice(Math.max(0, printed - (line - before.length) + 1));
    const below = after.slice(0, next?.path === match.path ? next.line - line - 1 : after.length);
    const first = line - above.length;
    if (printed > 0 && first > printed + 1 && before.length + after.length > 0) lines.push('--');
    const name = isGrouped ? '' : oneLine(match.path);
    const around = (at: number, shown: string): string =>
      `${name === '' ? '' : `${name}-`}${at}- ${visible(shown)}`;
    lines.push(
      ...above.map((shown, offset) => around(first + offset, shown)),
      ...lineTexts(match, name, !isFirst && previous?.label === match.label),
      ...below.map((shown, offset) => around(line + 1 + offset, shown)),
    );
    printed = line + below.length;
    return lines.join('\n');
  });
}

/** The line of a match, and the other excerpts of a long one. */
function lineTexts(match: Match, name: string, isKnown: boolean): string[] {
  const { line, column, text, cut, also = [], more = 0, converted, address, path, label } = match;
  const around = label === undefined || isKnown ? '' : ` (${oneLine(label)})`;
  const at = (column: number): string =>
    converted
      ? `${name}${address.slice(path.length)}${around}`
      : `${name === '' ? '' : `${name}:`}${line}${cut ? `:${column}` : ''}${around}`;
  const lines = [`${at(column)}: ${visible(text)}`];
  for (const one of also) lines.push(`${at(one.column)}: ${visible(one.text)}`);
  if (more > 0) lines.push(`${at(column)}: ${plural(more, 'more match')} in this line`);
  return lines;
}

const MAX_SKIPPED = 3;

function footer(answer: SearchAnswer, shown: number): string {
  const { matches, total, searched, skipped, skippedCount, notes } = answer;
  const named = skipped
    .slice(0, MAX_SKIPPED)
    .map(({ path, reason }) => `${quoted(path)} (${reason})`)
    .join(', ');
  const others = skippedCount - Math.min(skipped.length, MAX_SKIPPED);
  const left =
    skippedCount > 0
      ? ` ${plural(skippedCount, 'file')} not searched: ${named}${others > 0 ? ` and ${others} more` : ''}.`
      : '';
  const cursor = shown < matches.length ? answer.cursorAfter(shown) : answer.next;
  const more = cursor === null ? '' : ` Continue with cursor "${cursor}".`;
  const of =
    total.matches > shown || !total.isExact ? ` of ${total.isExact ? '' : 'at least '}${total.matches}` : '';
  const counted = `[${shown}${of} ${shown === 1 && of === '' ? 'match' : 'matches'} in ${plural(searched, 'file')} searched.${left}${more}]`;
  return [counted, notesText(notes)].filter((line) => line !== '').join('\n');
}
