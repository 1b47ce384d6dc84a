// Files that calls of tools name in their arguments, by the usual names of such arguments, by how the call ended.
// Not a check that they exist.

import { oneLine } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { Item } from '../codecs/message.ts';
import { outcomeOf } from './outcome.ts';

export interface FileUses {
  /** In the order of use, with repeats. A file that is written is not read. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Of writes whose results do not say how they ended. */
  readonly attempted: readonly string[];
  /** Results that say that their call failed. */
  readonly failed: ReadonlySet<Item>;
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
const PATCH = '*** Begin Patch';
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
/** No system takes longer paths (Linux: PATH_MAX). */
const MAX_PATH = 4096;
const MAX_SHOWN = 300;
const MAX_PATHS_OF_CALL = 50;

/** The files that the calls of `messages` used: a call without a result, or with one that says that it failed, used none. */
export function fileUses(messages: readonly TranscriptMessage[]): FileUses {
  const read: string[] = [];
  const written: string[] = [];
  const attempted: string[] = [];
  const failed = new Set<Item>();
  const results = resultsOf(messages);
  for (const { view, names } of messages)
    for (const [at, item] of view.items.entries()) {
      const result = results.get(item);
      if (item.kind !== 'call' || result === undefined) continue;
      const name = names[at] ?? item.toolName ?? '';
      // Codex sends a patch as plain text.
      const args = argumentsOf(item) ?? (item.text.startsWith(PATCH) ? { input: item.text } : null);
      const outcome = outcomeOf(result);
      if (outcome === 'failed') failed.add(result);
      else if (args !== null) {
        const done = outcome === 'done' ? written : attempted;
        (changes(name, args) ? done : read).push(...pathsOf(args), ...patched(args));
      }
    }
  const changed = new Set(written);
  const others = (paths: readonly string[]): string[] => paths.filter((path) => !changed.has(path));
  return { read: others(read), written, attempted: others(attempted), failed };
}

/** The result of each call that has one. Ids may come again: a result is of the newest call of its id. */
function resultsOf(messages: readonly TranscriptMessage[]): ReadonlyMap<Item, Item> {
  const calls = new Map<string, Item>();
  const results = new Map<Item, Item>();
  for (const { view } of messages)
    for (const item of view.items) {
      if (item.callId === null) continue;
      const call = calls.get(item.callId);
      if (item.kind === 'call') calls.set(item.callId, item);
      else if (item.kind === 'result' && call) results.set(call, item);
    }
  return results;
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

/** Whether a call of `tool` is to change a file, by its name and its arguments. */
export function changes(tool: string, args: Readonly<Record<string, unknown>> | null): boolean {
  if (args !== null && READING_COMMANDS.has(args['command'])) return false;
  return (
    WRITING_TOOL.test(tool.slice(0, 200)) ||
    Object.keys(args ?? {}).some((name) => CONTENT_NAMES.has(plainName(name))) ||
    patched(args ?? {}).length > 0
  );
}

/** Files of a patch in the form that `apply_patch` takes. */
function patched(args: Readonly<Record<string, unknown>>): string[] {
  const patch = args['patch'] ?? args['input'];
  if (typeof patch !== 'string' || !patch.startsWith(PATCH)) return [];
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
