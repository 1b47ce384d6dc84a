// The tools list_files and find_files: entries of a folder, and files by pattern.

import { z } from 'zod';
import { named } from '../contract/index.ts';
import type { Draft } from './argument-rules.ts';
import { type DefinedTool, defineTool } from './definition.ts';
import { literalGlob } from './found-path.ts';
import { listingText } from './listing.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { textAnswer } from './tool.ts';

const LIMIT = { limit: z.int().min(1).optional() };
/** Other names of the arguments that listings and searches share. */
export const PAGING_ALIASES: Readonly<Record<string, string>> = {
  max_results: 'limit',
  max_entries: 'limit',
  head_limit: 'limit',
  next_cursor: 'cursor',
  next: 'cursor',
  page_token: 'cursor',
  no_ignore: 'include_ignored',
};
const FOLDER_ALIASES: Readonly<Record<string, string>> = {
  ...PATH_ALIASES,
  ...PAGING_ALIASES,
  directory: 'path',
  directory_path: 'path',
  dir: 'path',
  dir_path: 'path',
  dirname: 'path',
  folder: 'path',
  folder_path: 'path',
  root: 'path',
  cwd: 'path',
};

/** `/` alone can only mean the root; the workspace checks any other absolute path. */
export function arrangeRoot(draft: Draft): void {
  const path = draft.get('path');
  if (path && /^\/+$/.test(String(path.value))) draft.delete('path');
  for (const name of ['respect_git_ignore', 'respect_gitignore']) {
    const respected = draft.get(name);
    draft.delete(name);
    if (respected && !draft.has('include_ignored') && /^(?:false|no|0)$/i.test(String(respected.value)))
      draft.set('include_ignored', { value: true, as: respected.as });
  }
}

/** Deep enough for any tree; the number of entries is still limited. */
const ALL_LEVELS = 100;

const LISTED = z.object({
  path: z.string().optional().describe('Default: the whole workspace'),
  depth: z.int().min(1).max(ALL_LEVELS).optional().describe('Levels; default 1'),
  cursor: z.string().optional(),
});

/** Lists a folder. */
export const LIST_FILES: DefinedTool = defineTool({
  name: 'list_files',
  title: 'List a folder',
  readOnly: true,
  destructive: false,
  leadsTo: 'folder',
  input: LISTED.extend(LIMIT),
  advertised: LISTED,
  aliases: { ...FOLDER_ALIASES, max_depth: 'depth', levels: 'depth', max_entries: 'limit' },
  main: 'path',
  arrange: (draft) => {
    arrangeRoot(draft);
    const recursive = draft.get('recursive');
    if (!recursive) return;
    draft.delete('recursive');
    if (!draft.has('depth') && /^(?:true|yes|1)$/i.test(String(recursive.value)))
      draft.set('depth', { value: ALL_LEVELS, as: recursive.as });
  },
  describe: () => 'Lists files and folders with their sizes; folders end with "/".',
  run: async ({ path = '', depth, limit, cursor }, room, { signal }) => {
    const options = {
      ...(depth !== undefined && { depth }),
      ...(cursor !== undefined && { cursor }),
      signal,
    };
    const text = await listingText(
      (most) => room.workspace.list(path, { ...options, ...(most !== undefined && { limit: most }) }),
      bounded(limit, room.workspace.limits.maxListedEntries),
      { unit: 'entry', empty: path === '' ? 'The workspace is empty.' : `${named(path)} is empty.` },
      room,
    );
    return textAnswer(text);
  },
});

const FOUND = z.object({
  pattern: z.string().min(1).describe('"*.csv" (any folder), "src/**/*.ts", "{a,b}/*"'),
  path: z.string().optional().describe('Folder'),
  include_ignored: z.boolean().optional(),
  cursor: z.string().optional(),
});

/** Finds files by pattern. */
export const FIND_FILES: DefinedTool = defineTool({
  name: 'find_files',
  title: 'Find files by name',
  readOnly: true,
  destructive: false,
  leadsTo: 'folder',
  input: FOUND.extend(LIMIT),
  advertised: FOUND,
  aliases: {
    ...FOLDER_ALIASES,
    glob: 'pattern',
    glob_pattern: 'pattern',
    query: 'pattern',
    name: 'pattern',
    name_pattern: 'pattern',
    file_pattern: 'pattern',
    filename: 'pattern',
    file_name: 'pattern',
  },
  main: 'pattern',
  arrange: arrangeRoot,
  describe: () => 'Finds files whose path matches a glob pattern.',
  run: async ({ pattern, path = '', include_ignored: all, limit, cursor }, room, { signal }) => {
    const options = {
      ...(all === true && { ignore: false }),
      ...(cursor !== undefined && { cursor }),
      signal,
    };
    const below = patternBelow(path, pattern, room.workspace.mount);
    const text = await listingText(
      (most) => room.workspace.glob(below, { ...options, ...(most !== undefined && { limit: most }) }),
      bounded(limit, room.workspace.limits.maxListedEntries),
      {
        unit: 'file',
        empty: `No file matches ${named(below)}.${all === true ? '' : ' Ignored files are excluded; set `include_ignored` to include them.'}`,
      },
      room,
    );
    return textAnswer(text);
  },
});

/**
 * `pattern` below the folder `path`, with the folder's own characters escaped. A folder outside the workspace stays
 * outside, so it will be rejected.
 */
function patternBelow(path: string, pattern: string, mount: string): string {
  const inside = path === mount || path.startsWith(`${mount}/`) ? path.slice(mount.length + 1) : path;
  let end = inside.length;
  while (end > 0 && inside[end - 1] === '/') end -= 1;
  const folder = inside.slice(0, end).replace(/^(?:\.\/+)+/, '');
  if ((folder === '' && !inside.startsWith('/')) || folder === '.') return pattern;
  const literal = literalGlob(folder);
  return pattern.includes('/') ? `${literal}/${pattern.replace(/^\.?\/+/, '')}` : `${literal}/**/${pattern}`;
}

/** A limit no higher than the workspace's maximum per call. */
export function bounded(limit: number | undefined, most: number): number | undefined {
  return limit === undefined ? undefined : Math.min(limit, Math.max(1, most));
}
