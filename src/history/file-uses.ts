// Files that calls of tools name in their arguments, by the usual names of such arguments. Not a check that they exist.

import { oneLine } from '../contract/index.ts';
import type { Item } from './message.ts';
import type { TranscriptMessage } from './transcript.ts';

export interface FileUses {
  /** In the order of use, with repeats. A file that is written is not read. */
  readonly read: readonly string[];
  readonly written: readonly string[];
}

/** As tools of coding agents, MCP's filesystem server and lectern itself name them, in lower case and without `_`. */
const PATH_NAMES: ReadonlySet<string> = new Set([
  'path',
  'paths',
  'file',
  'files',
  'filepath',
  'filepaths',
  'filename',
  'filenames',
  'absolutepath',
  'relativepath',
  'targetfile',
  'notebookpath',
  'destination',
  'outputpath',
]);
/** An argument that carries what is to be written. */
const CONTENT_NAMES: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'filetext',
  'newstring',
  'newstr',
  'newtext',
  'edits',
  'diff',
  'patch',
  'insert',
  'inserttext',
]);
const WRITING_TOOL =
  /(?:^|[_\-\s.])(?:write|edit|create|replace|insert|append|save|patch|move|rename|delete|remove)|[a-z](?:Write|Edit|Create|Replace|Insert|Append|Save|Patch|Move|Rename|Delete|Remove)/;
const READING_COMMANDS: ReadonlySet<unknown> = new Set(['view', 'read', 'open', 'list', 'cat']);
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
/** No system takes longer paths (Linux: PATH_MAX). */
const MAX_PATH = 4096;
const MAX_SHOWN = 300;
const MAX_PATHS_OF_CALL = 50;

/** The files named by the calls of `messages`. */
export function fileUses(messages: readonly TranscriptMessage[]): FileUses {
  const read: string[] = [];
  const written: string[] = [];
  for (const { view, names } of messages)
    for (const [at, item] of view.items.entries()) {
      if (item.kind !== 'call') continue;
      const args = argumentsOf(item);
      if (args === null) continue;
      (writes(names[at] ?? item.toolName ?? '', args) ? written : read).push(...pathsOf(args));
      written.push(...patched(args));
    }
  const changed = new Set(written);
  return { read: read.filter((path) => !changed.has(path)), written };
}

/** Arguments of a call as they were sent: plain JSON, without the getters and cycles a caller's own object may have. */
export function argumentsOf({ args, text }: Item): Readonly<Record<string, unknown>> | null {
  if (args === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    // An object of JSON.
    return value as Record<string, unknown>;
  } catch {
    return null;
  }
}

const plainName = (name: string): string => name.slice(0, 40).replaceAll('_', '').toLowerCase();

/** Paths among the arguments of a call, as they are shown: on one line, at most 300 characters. */
export function pathsOf(args: Readonly<Record<string, unknown>>): string[] {
  const paths: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (!PATH_NAMES.has(plainName(name))) continue;
    for (const one of Array.isArray(value) ? value.slice(0, MAX_PATHS_OF_CALL) : [value])
      if (typeof one === 'string' && one.trim() !== '' && one.length <= MAX_PATH && !/[\r\n]/.test(one))
        paths.push(shown(one));
  }
  return paths.slice(0, MAX_PATHS_OF_CALL);
}

function writes(tool: string, args: Readonly<Record<string, unknown>>): boolean {
  if (READING_COMMANDS.has(args['command'])) return false;
  return (
    WRITING_TOOL.test(tool.slice(0, 200)) ||
    Object.keys(args).some((name) => CONTENT_NAMES.has(plainName(name)))
  );
}

/** Files of a patch in the form that `apply_patch` takes. */
function patched(args: Readonly<Record<string, unknown>>): string[] {
  const patch = args['patch'] ?? args['input'];
  if (typeof patch !== 'string' || !patch.startsWith('*** Begin Patch')) return [];
  const paths: string[] = [];
  for (const match of patch.matchAll(PATCHED)) {
    const path = match[1];
    if (path !== undefined && paths.length < MAX_PATHS_OF_CALL) paths.push(shown(path));
  }
  return paths;
}

function shown(path: string): string {
  return oneLine(path.trim()).slice(0, MAX_SHOWN);
}
