// Limits of workspaces and what is stored in them.

import type { WorkspaceLimits } from '../../contract/index.ts';
import { GIB, type LimitDefinition } from './definition.ts';

/** Limits of a workspace, in the order `lectern limits` prints them after those of a read. */
export const WORKSPACE_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof WorkspaceLimits>[] = [
  {
    key: 'maxWorkspaceBytes',
    variable: 'LECTERN_WORKSPACE_MAX_BYTES',
    flag: 'max-workspace-bytes',
    default: GIB,
    unit: 'bytes',
    kind: 'quota',
    meaning: 'all files of one session; 0 for no quota',
  },
  {
    key: 'maxWorkspaceFiles',
    variable: 'LECTERN_WORKSPACE_MAX_FILES',
    flag: 'max-workspace-files',
    default: 100_000,
    unit: 'files',
    kind: 'quota',
    meaning: 'files and folders of one session; 0 for no quota',
  },
  {
    key: 'maxUserBytes',
    variable: 'LECTERN_USER_MAX_BYTES',
    flag: 'max-user-bytes',
    default: 10 * GIB,
    unit: 'bytes',
    kind: 'quota',
    meaning: 'all files of all sessions of one user; 0 for no quota',
  },
  {
    key: 'resultDays',
    variable: 'LECTERN_RESULT_DAYS',
    flag: 'result-days',
    default: 30,
    unit: 'days',
    kind: 'quota',
    meaning: 'how long a saved result is kept after its last change; 0 for no expiry',
  },
  {
    key: 'maxListedEntries',
    variable: 'LECTERN_MAX_LISTED_ENTRIES',
    flag: 'max-listed-entries',
    default: 500,
    unit: 'entries',
    kind: 'format',
    meaning: 'entries of a listing or files of a glob returned at once; a cursor continues',
  },
  {
    key: 'maxWalkedEntries',
    variable: 'LECTERN_MAX_WALKED_ENTRIES',
    flag: 'max-walked-entries',
    default: 1_000_000,
    unit: 'entries',
    kind: 'safety',
    meaning: 'entries visited by one listing, glob or search; past it the answer is marked incomplete',
  },
  {
    key: 'maxMatches',
    variable: 'LECTERN_MAX_MATCHES',
    flag: 'max-matches',
    default: 100,
    unit: 'matches',
    kind: 'format',
    meaning: 'matching lines of a search returned at once; a cursor continues',
  },
  {
    key: 'maxSearchMilliseconds',
    variable: 'LECTERN_MAX_SEARCH_MILLISECONDS',
    flag: 'max-search-ms',
    default: 20_000,
    unit: 'milliseconds',
    kind: 'safety',
    meaning: 'time for one search; then the answer contains what was found and a cursor',
  },
  {
    key: 'previewTokens',
    variable: 'LECTERN_PREVIEW_TOKENS',
    flag: 'preview-tokens',
    default: 1000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'budget of the preview of a saved result',
  },
];
