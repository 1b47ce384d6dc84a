// search_files: lines that match, as `path:line: text`. What was not searched is named.

import { z } from 'zod';
import { oneLine, plural, quoted } from '../contract/index.ts';
import type { Match, SearchAnswer } from '../workspace/index.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { arrangeRoot, bounded, PAGING_ALIASES } from './list-files.ts';
import { overBudget } from './listing.ts';
import { CURSOR, cutToBudget, fitting, notesText, pageText } from './page.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { textAnswer } from './tool.ts';
import { visible } from './visible.ts';

const MAX_CONTEXT = 20;

/** Searches the content of files. */
export const SEARCH_FILES: DefinedTool = defineTool({
  name: 'search_files',
  title: 'Search in files',
  readOnly: true,
  destructive: false,
  input: z.object({
    query: z.string().min(1).describe('Literal text, or with `regex` a regular expression (RE2)'),
    regex: z.boolean().optional(),
    case_sensitive: z.boolean().optional().describe('Default true'),
    path: z.string().optional().describe('File or folder to search in'),
    glob: z.string().optional().describe('Only files it matches: "*.md"'),
    context: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines around each match'),
    include_ignored: z.boolean().optional().describe('Also what ignore files name'),
    limit: z.int().min(1).optional().describe('Matches at most'),
    cursor: z.string().optional().describe('From the answer before, with the same query'),
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
    use_regex: 'regex',
    match_case: 'case_sensitive',
    directory: 'path',
    dir: 'path',
    folder: 'path',
    include: 'glob',
    include_pattern: 'glob',
    file_pattern: 'glob',
    glob_pattern: 'glob',
    context_lines: 'context',
    max_matches: 'limit',
  },
  main: 'query',
  contents: ['query'],
  arrange: (draft) => {
    arrangeRoot(draft);
    // `regex` holds the expression itself as often as it says that there is one.
    const regex = draft.get('regex');
    if (regex && !draft.has('query') && typeof regex.value === 'string') {
      draft.set('query', regex);
      draft.set('regex', { value: true, as: regex.as });
    }
    const expression = draft.get('query');
    if (!draft.has('regex') && expression?.as === 'regexp') draft.set('regex', { value: true, as: 'regexp' });
    for (const name of ['ignore_case', 'case_insensitive', 'i']) {
      const given = draft.get(name);
      if (!given) continue;
      draft.delete(name);
      const insensitive = /^(?:true|yes|1)$/i.test(String(given.value));
      if (!draft.has('case_sensitive')) draft.set('case_sensitive', { value: !insensitive, as: given.as });
    }
  },
  describe: (names) => {
    const read = anyOf(names, 'read_file');
    return `Finds lines in the text of files, also in documents that were read before.${read === '' ? '' : ` Show what is around a match with ${read} and \`lines\`.`}`;
  },
  run: async (args, room, { signal, progress }) => {
    const {
      query,
      regex,
      case_sensitive: caseSensitive,
      path,
      glob,
      context,
      include_ignored: all,
      cursor,
    } = args;
    const search = (limit: number | undefined): Promise<SearchAnswer> =>
      room.workspace.search(query, {
        ...(regex !== undefined && { regex }),
        ...(caseSensitive !== undefined && { caseSensitive }),
        ...(path !== undefined && { path }),
        ...(glob !== undefined && { glob }),
        ...(context !== undefined && { context }),
        ...(all === true && { ignore: false }),
        ...(limit !== undefined && { limit }),
        ...(cursor !== undefined && { cursor }),
        signal,
        onProgress: ({ bytes }) => progress({ progress: bytes, unit: 'bytes' }),
      });
    const most = bounded(args.limit, room.workspace.limits.maxMatches);
    return textAnswer(await searchText(search, most, query, regex === true, room));
  },
});

/** As `listingText`: the budget decides how many matches are asked for again, so that the cursor is a true one. */
async function searchText(
  search: (limit: number | undefined) => Promise<SearchAnswer>,
  limit: number | undefined,
  query: string,
  regex: boolean,
  { budget, count }: ToolRoom,
): Promise<string> {
  const whole = await search(limit);
  if (whole.matches.length === 0) {
    const lines = [whole.next === null ? noMatch(query, regex) : `No match for ${quoted(query)} so far.`];
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
    // The cursor, where the match is, and as much of it as there is room for.
    const needed = count(`${more}${block.slice(0, block.indexOf(': ') + 1)}…`);
    if (needed <= budget) return cutToBudget(`${more}${block}\n`, budget, count);
    throw overBudget('match', needed, budget);
  }
}

function withoutContext({ before: _before, after: _after, ...match }: Match): Match {
  return match;
}

function noMatch(query: string, regex: boolean): string {
  const literal =
    !regex && /[\\^$*+?|[\](){}]/.test(query)
      ? ' It was searched as literal text; set `regex` to true for a regular expression.'
      : '';
  return `No match for ${quoted(query)}.${literal}`;
}

/** One text a match, with its context. Blocks with context are apart. */
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
