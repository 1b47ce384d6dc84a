// The tool search_files: matching lines as `path:line: text`. Names the files that were not searched.

import { z } from 'zod';
import { OWN, oneLine, plural, quoted, ReaderError } from '../contract/index.ts';
import { looksLikeRegex, type Match, type SearchAnswer } from '../workspace/index.ts';
import { bad, type Draft, type Given } from './argument-rules.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { arrangeRoot, bounded, PAGING_ALIASES } from './list-files.ts';
import { overBudget } from './listing.ts';
import { CURSOR, cutToBudget, fitting, notesText, pageText } from './page.ts';
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

const MODES = ['content', 'files_with_matches', 'count'] as const;

/** Searches the content of files. */
export const SEARCH_FILES: DefinedTool = defineTool({
  name: 'search_files',
  title: 'Search in files',
  readOnly: true,
  destructive: false,
  leadsTo: 'folder',
  input: z.object({
    query: z.string().min(1).describe('Text, or a regular expression (RE2)'),
    regex: z.boolean().optional().describe('Default: only if the literal text is not found'),
    multiline: z.boolean().optional().describe('Match across line ends'),
    case_sensitive: z.boolean().optional().describe('Default true'),
    path: z.string().optional().describe('File or folder to search in'),
    glob: z.string().optional().describe('Only files matching: "*.md"'),
    exclude: z.string().optional().describe('Files to exclude'),
    output_mode: z.enum(MODES).optional(),
    before: z.int().min(0).max(MAX_CONTEXT).optional(),
    after: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines shown after each'),
    include_ignored: z.boolean().optional().describe('Include ignored files'),
    limit: z.int().min(1).optional().describe('Maximum number of matches or files'),
    cursor: z.string().optional().describe('From the previous answer to the same query'),
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
    return `Finds matching lines in files, including documents that were read before.${read === '' ? '' : ` Show the context of a match with ${read} and \`lines\`.`}`;
  },
  run: async (args, room, { signal, progress }) => {
    const {
      query,
      multiline,
      case_sensitive: caseSensitive,
      path,
      glob,
      exclude,
      include_ignored: all,
      cursor,
    } = args;
    const { before = 0, after = 0 } = args;
    const mode = args.output_mode ?? 'content';
    const context = mode === 'content' ? Math.max(before, after) : 0;
    const searched =
      (regex: boolean) =>
      async (limit: number | undefined, from = cursor): Promise<SearchAnswer> => {
        const answer = await room.workspace.search(query, {
          regex,
          ...(multiline === true && { multiline }),
          ...(caseSensitive !== undefined && { caseSensitive }),
          ...(path !== undefined && { path }),
          ...(glob !== undefined && { glob }),
          ...(exclude !== undefined && { exclude }),
          ...(context > 0 && { context }),
          ...(all === true && { ignore: false }),
          ...(limit !== undefined && { limit }),
          ...(from !== undefined && { cursor: from }),
          signal,
          onProgress: ({ bytes }) => progress({ progress: bytes, unit: 'bytes' }),
        });
        const paths = new Set(answer.matches.map((match) => match.path));
        for (const shown of [...paths].slice(0, MAX_FOLLOWED))
          await room.seen?.look(room.workspace, shown, signal);
        return { ...answer, matches: answer.matches.map((match) => around(match, before, after)) };
      };
    const { search, note } = await chosen(searched, args.regex, query, cursor);
    const most = bounded(args.limit, room.workspace.limits.maxMatches);
    const inside = { ...room, budget: Math.max(1, room.budget - (note === '' ? 0 : room.count(note))) };
    const text =
      mode === 'content'
        ? await searchText(search, most, query, inside)
        : await filesText(search, most, query, mode === 'count', inside);
    return textAnswer(note + text);
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

type Searching = (limit: number | undefined, from?: string) => Promise<SearchAnswer>;

/** Searches literally first; as an expression if the query looks like one and is not found. */
async function chosen(
  searched: (regex: boolean) => Searching,
  regex: boolean | undefined,
  query: string,
  cursor: string | undefined,
): Promise<{ readonly search: Searching; readonly note: string }> {
  const plain = { search: searched(regex === true), note: '' };
  if (regex !== undefined || !/[\\^$*+?|[\](){}.]/.test(query)) return plain;
  try {
    const { matches, next } = await plain.search(1);
    if (matches.length > 0 || next !== null) return plain;
  } catch (error) {
    // The cursor of an expression search, or a query only valid as an expression.
    if (!(error instanceof ReaderError) || !['BAD_INPUT', 'STALE_CURSOR'].includes(error.code)) throw error;
  }
  const search = searched(true);
  try {
    const { matches, next } = await search(1);
    const found = matches.length > 0 || next !== null || cursor !== undefined;
    const note = `${OWN.note}${quoted(query)} was not found literally; it was searched as a regular expression.]\n`;
    return found ? { search, note: cursor === undefined ? note : '' } : plain;
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'BAD_INPUT') return plain;
    throw error;
  }
}

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

/** Maximum pages of a search combined into a list of files. */
const MAX_PAGES = 20;

/** The matching files with their match counts, one per line; the cursor continues after the last one shown. */
async function filesText(
  search: Searching,
  limit: number | undefined,
  query: string,
  counted: boolean,
  { budget, count }: ToolRoom,
): Promise<string> {
  const { pages, found, last } = await filesIn(search);
  if (found.length === 0) {
    const lines = [`No match for ${quoted(query)}${last.next === null ? '.' : ' so far.'}`];
    return cutToBudget(pageText(lines, footer(last, 0)), budget, count);
  }
  const paths = found.slice(0, limit).map(([path, lines]) => `${oneLine(path)}${counted ? `:${lines}` : ''}`);
  const matches = found.reduce((sum, [, lines]) => sum + lines, 0);
  const end = (shown: number, cursor: string | null): string => {
    const least = last.next === null ? '' : 'at least ';
    const of = shown === found.length && last.next === null ? '' : `${shown} of ${least}`;
    const more = cursor === null ? '' : ` Continue with cursor "${cursor}".`;
    return `[${of}${plural(found.length, 'file')}, ${plural(matches, 'matching line')}.${more}]`;
  };
  const whole = (shown: number): boolean => shown === found.length && last.next === null;
  // Cursors have about the same length everywhere; the real one is checked below.
  const footerOf = (shown: number): string => end(shown, whole(shown) ? null : (last.next ?? CURSOR));
  let shown = Math.max(1, fitting({ lines: paths, footer: footerOf }, budget, count));
  for (; ; shown = Math.max(1, Math.floor(shown * 0.8))) {
    const shownMatches = found.slice(0, shown).reduce((sum, [, lines]) => sum + lines, 0);
    const cursor = await cursorAfter(shownMatches, pages, search);
    const text = pageText(paths.slice(0, shown), end(shown, cursor));
    if (count(text) <= budget) return text;
    if (shown > 1) continue;
    const least = `${cursor === null ? '' : `${OWN.more}cursor "${cursor}"]\n`}${paths[0]}\n`;
    if (count(least) <= budget) return least;
    throw overBudget('file', count(least), budget);
  }
}

/** One answer of a search, and the cursor it was requested with. */
interface Page {
  readonly from: string | undefined;
  readonly answer: SearchAnswer;
}

/** The pages of a search, and the matching files with their counts; the last file only if its count is complete. */
async function filesIn(search: Searching): Promise<{
  readonly pages: readonly Page[];
  readonly found: readonly (readonly [path: string, lines: number])[];
  readonly last: SearchAnswer;
}> {
  const found = new Map<string, number>();
  const pages: Page[] = [];
  let from: string | undefined;
  for (;;) {
    const answer = await search(undefined, from);
    pages.push({ from, answer });
    for (const { path } of answer.matches) found.set(path, (found.get(path) ?? 0) + 1);
    from = answer.next ?? undefined;
    if (from !== undefined && pages.length < MAX_PAGES) continue;
    const files = [...found];
    const whole = from !== undefined && files.length > 1 ? files.slice(0, -1) : files;
    return { pages, found: whole, last: answer };
  }
}

/** The cursor after a number of matches: requested again, because only the search can make it. */
async function cursorAfter(
  matches: number,
  pages: readonly Page[],
  search: Searching,
): Promise<string | null> {
  let left = matches;
  for (const { from, answer } of pages) {
    if (left === answer.matches.length) return answer.next;
    if (left < answer.matches.length) return (await search(left, from)).next;
    left -= answer.matches.length;
  }
  return null;
}

/** Like `listingText`: requests as many matches as fit again, to get the right cursor. */
async function searchText(
  search: Searching,
  limit: number | undefined,
  query: string,
  { budget, count }: ToolRoom,
): Promise<string> {
  const whole = await search(limit);
  if (whole.matches.length === 0) {
    const lines = [`No match for ${quoted(query)}${whole.next === null ? '.' : ' so far.'}`];
    return cutToBudget(pageText(lines, footer(whole, 0)), budget, count);
  }
  const blocks = blocksOf(whole.matches);
  const shown = fitting({ lines: blocks, footer: (n) => footer(whole, n) }, budget, count);
  if (shown === blocks.length) return pageText(blocks, footer(whole, shown));
  for (let ask = Math.max(1, shown); ; ask = Math.max(1, Math.floor(ask * 0.8))) {
    const part = await search(ask);
    const text = pageText(blocksOf(part.matches), footer(part, part.matches.length));
    if (count(text) <= budget) return text;
    if (ask > 1) continue;
    const more = part.next === null ? '' : `[more; cursor "${part.next}"]\n`;
    const [block = ''] = blocksOf(part.matches.map(withoutContext));
    // The cursor, the place of the match, and as much of its text as fits.
    const needed = count(`${more}${block.slice(0, block.indexOf(': ') + 1)}…`);
    if (needed <= budget) return cutToBudget(`${more}${block}\n`, budget, count);
    throw overBudget('match', needed, budget);
  }
}

function withoutContext({ before: _before, after: _after, ...match }: Match): Match {
  return match;
}

/** One text per match, with its context. Blocks with context are separated. */
function blocksOf(matches: readonly Match[]): string[] {
  return matches.map((match, index) => {
    const { path, line, column, text, cut, before = [], after = [], converted } = match;
    const name = `${oneLine(path)}${converted ? ' (converted text)' : ''}`;
    const around = (at: number, shown: string): string => `${name}-${at}- ${visible(shown)}`;
    const place = cut ? `${line}:${column}` : String(line);
    const lines = [
      ...before.map((shown, offset) => around(line - before.length + offset, shown)),
      `${name}:${place}: ${visible(text)}`,
      ...after.map((shown, offset) => around(line + 1 + offset, shown)),
    ];
    return `${index > 0 && lines.length > 1 ? '--\n' : ''}${lines.join('\n')}`;
  });
}

const MAX_SKIPPED = 3;

function footer(
  { matches, searched, skipped, skippedCount, next, notes }: SearchAnswer,
  shown: number,
): string {
  const partial = shown < matches.length || next !== null;
  const named = skipped
    .slice(0, MAX_SKIPPED)
    .map(({ path, reason }) => `${quoted(path)} (${reason})`)
    .join(', ');
  const others = skippedCount - Math.min(skipped.length, MAX_SKIPPED);
  const left =
    skippedCount > 0
      ? ` ${plural(skippedCount, 'file')} not searched: ${named}${others > 0 ? ` and ${others} more` : ''}.`
      : '';
  const more = partial ? ` Continue with cursor "${next ?? CURSOR}".` : '';
  const counted = `[${shown === 1 ? '1 match' : `${shown} matches`} in ${plural(searched, 'file')} searched.${left}${more}]`;
  return [counted, notesText(notes)].filter((line) => line !== '').join('\n');
}
