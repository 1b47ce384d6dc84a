// The tool search_files: matching lines with their places, or counts. Names the files that were not searched.

import { z } from 'zod';
import { OWN, oneLine, plural, quoted, ReaderError } from '../contract/index.ts';
import {
  inContext,
  looksLikeRegex,
  type Match,
  type MatchInContext,
  type NumberedLine,
  type SearchAnswer,
} from '../workspace/index.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { bounded, PAGING_ALIASES } from './list-files.ts';
import { overBudget } from './listing.ts';
import { cutToBudget, fitting, notesText, pageText } from './page.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { arrangeSearch, MODES } from './search-arguments.ts';
import { textAnswer } from './tool.ts';
import { visible } from './visible.ts';

const MAX_CONTEXT = 20;

/** All arguments. */
const INPUT = z.object({
  query: z.string().min(1).describe('Text or regular expression (RE2)'),
  regex: z.boolean().optional(),
  multiline: z.boolean().optional(),
  case_sensitive: z.boolean().optional().describe('Default true'),
  path: z.string().optional().describe('Folder, file or address'),
  glob: z.string().optional().describe('Only files like "*.md"'),
  exclude: z.string().optional(),
  output_mode: z.enum(MODES).optional().describe('groups: counts by matched text or first capture'),
  context: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines around'),
  before: z.int().min(0).max(MAX_CONTEXT).optional(),
  after: z.int().min(0).max(MAX_CONTEXT).optional(),
  formulas: z.boolean().optional(),
  include_ignored: z.boolean().optional(),
  limit: z.int().min(1).optional(),
  cursor: z.string().optional(),
});
/** The arguments in the definition. */
const ADVERTISED = INPUT.omit({ before: true, after: true, limit: true });

/** Searches the content of files. */
export const SEARCH_FILES: DefinedTool = defineTool({
  name: 'search_files',
  title: 'Search in files',
  readOnly: true,
  destructive: false,
  leadsTo: 'folder',
  input: INPUT,
  advertised: ADVERTISED,
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
    context_lines: 'context',
    _c: 'context',
    after_context: 'after',
    _b: 'before',
    before_context: 'before',
    max_matches: 'limit',
    total_max_matches: 'limit',
  },
  main: 'query',
  contents: ['query'],
  arrange: arrangeSearch,
  describe: (names) => {
    const read = anyOf(names, 'read_file');
    return `Finds matching lines in files of any kind, also in documents, workbooks and archives${read === '' ? '' : `, each with an address that ${read} takes`}.`;
  },
  run: async (args, room, { signal, progress }) => {
    const { query, multiline, case_sensitive: caseSensitive, path, glob, exclude, cursor } = args;
    const { context: around = 0, before = around, after = around, include_ignored: all } = args;
    const mode = args.output_mode ?? 'content';
    const context = mode === 'content' ? Math.max(before, after) : 0;
    const limit = bounded(args.limit, room.workspace.limits.maxMatches);
    const searched = (regex: boolean): Promise<SearchAnswer> =>
      room.workspace.search(query, {
        regex,
        ...(multiline === true && { multiline }),
        ...(args.formulas === true && { formulas: true }),
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
        ...(room.reader.redactor && { redactor: room.reader.redactor }),
        signal,
        onProgress: ({ bytes }) => progress({ progress: bytes, unit: 'bytes' }),
      });
    const { answer, note } = await chosen(searched, args.regex, query);
    const paths = new Set(answer.matches.map((match) => match.path));
    for (const shown of [...paths].slice(0, MAX_FOLLOWED))
      await room.seen?.look(room.workspace, shown, signal);
    const inside = { ...room, budget: Math.max(1, room.budget - (note === '' ? 0 : room.count(note))) };
    if (answer.total.matches === 0) return textAnswer(note + noneText(answer, query, path, inside));
    if (mode === 'content')
      return textAnswer(note + matchesText(answer, inContext(answer.matches, before, after), inside));
    return textAnswer(note + countsText(answer, mode, limit, inside));
  },
});

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
      // The cursor of the other search, or an invalid expression.
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
function matchesText(
  answer: SearchAnswer,
  matches: readonly MatchInContext[],
  { budget, count }: ToolRoom,
): string {
  const blocks = blocksOf(matches);
  const shown = fitting({ lines: blocks, footer: (n) => footer(answer, n) }, budget, count);
  if (shown > 0) return pageText(blocks.slice(0, shown), footer(answer, shown));
  const cursor = answer.cursorAfter(1);
  const more = cursor === null ? '' : `[more; cursor "${cursor}"]\n`;
  const [block = ''] = blocksOf(matches.slice(0, 1).map((one) => ({ ...one, above: [], below: [] })));
  // The cursor, the place of the match, and as much of its text as fits.
  const needed = count(`${more}${block.slice(0, block.indexOf(': ') + 1)}…`);
  if (needed <= budget) return cutToBudget(`${more}${block}\n`, budget, count);
  throw overBudget('match', needed, budget);
}

/** One text per match, with its context. Matches of one file stand under its path; a gap between lines is marked. */
function blocksOf(matches: readonly MatchInContext[]): string[] {
  return matches.map(({ match, above, below, isFirst, hasGap }, index) => {
    const isAlone = isFirst && matches[index + 1]?.isFirst !== false;
    const isGrouped = !isAlone || above.length + below.length > 0;
    const name = isGrouped ? '' : oneLine(match.path);
    // Lines of converted text have no numbers that lead to them.
    const around = ({ line, text, isMatch }: NumberedLine): string =>
      `${match.converted ? '' : line}${isMatch && !match.converted ? ':' : '-'} ${visible(text)}`;
    return [
      ...(isFirst && isGrouped ? [oneLine(match.path)] : []),
      ...(hasGap ? ['--'] : []),
      ...above.map(around),
      ...lineTexts(match, name, !isFirst && matches[index - 1]?.match.label === match.label),
      ...below.map(around),
    ].join('\n');
  });
}

/** The line of a match, and the other excerpts of a long one. */
function lineTexts(match: Match, name: string, isKnown: boolean): string[] {
  const { line, column, text, cut, also = [], more = 0, converted, address, path, label } = match;
  // A heading says itself what it is.
  const isSaid = label === undefined || isKnown || text.replace(/^#{1,6} /, '') === label;
  const around = isSaid ? '' : ` (${oneLine(label)})`;
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
  const excerpts = matches.slice(0, shown).reduce((sum, { also = [] }) => sum + 1 + also.length, 0);
  const cut = excerpts > shown ? `, ${plural(excerpts, 'excerpt')}` : '';
  const lines = `${shown}${of} matching ${shown === 1 && of === '' ? 'line' : 'lines'}${cut}`;
  const counted = `[${lines} in ${plural(searched, 'file')} searched.${left}${more}]`;
  return [counted, notesText(notes)].filter((line) => line !== '').join('\n');
}
