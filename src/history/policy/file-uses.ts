// Finds the files that tool calls name in their arguments, by common argument names and by how each call ended. Does
// not check that the files exist.

import { oneLine } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { Item } from '../codecs/message.ts';
import { argumentsOf } from '../codecs/native.ts';
import { hasFailed } from './outcome.ts';

/** Path arguments of coding agents, MCP's filesystem server and lectern, in lower case and without `_`. */
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
/** Arguments that carry the content to write. */
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
/** No supported system allows longer paths (Linux: PATH_MAX). */
const MAX_PATH = 4096;
const MAX_SHOWN = 300;
const MAX_PATHS_OF_CALL = 50;

/** Paths in order of use, with repeats. */
export interface FileUses {
  readonly read: readonly string[];
  /** Of calls that write or edit. */
  readonly changed: readonly string[];
}

/** Files used by the calls of `messages`. A call without a result, or with a failed one, counts as unused. */
export function fileUses(messages: readonly TranscriptMessage[]): FileUses {
  const uses = { read: [] as string[], changed: [] as string[] };
  const asked = new Map<string, { readonly call: Item; readonly tool: string }>();
  for (const { view, names } of messages)
    for (const [at, item] of view.items.entries()) {
      const id = item.callId ?? '';
      if (item.kind === 'call') asked.set(id, { call: item, tool: names[at] ?? '' });
      const { call, tool } = asked.get(id) ?? {};
      if (item.kind !== 'result' || !call || tool === undefined || hasFailed(item)) continue;
      // Ids may repeat: a result belongs to the newest call with its id.
      asked.delete(id);
      uses[changesFile(call, tool) ? 'changed' : 'read'].push(...pathsOf(call), ...callFiles(call).patched);
    }
  return uses;
}

const plainName = (name: string): string => name.slice(0, 40).replaceAll('_', '').toLowerCase();

/** What a call's arguments reveal about files. */
interface CallFiles {
  /** Paths in display form: on one line, at most 300 characters. */
  readonly paths: readonly string[];
  /** Paths inside a patch. */
  readonly patched: readonly string[];
  /** Files by their last two path segments, including words of commands. */
  readonly files: ReadonlySet<string>;
  /** A read-only command such as `view`, even if the call carries content. */
  readonly isRead: boolean;
  /** The call carries content to write. */
  readonly hasContent: boolean;
}

/** Cached while the call is alive: a compaction asks often, and each answer parses the arguments. */
const known = new WeakMap<Item, CallFiles>();

function callFiles(call: Item): CallFiles {
  const before = known.get(call);
  if (before) return before;
  const args = call.args && argumentsOf(call.text);
  const entries = Object.entries(args ?? {});
  // Codex sends a patch as plain text.
  const patches = patched(args ?? { input: call.text });
  const found = {
    paths: namedPaths(entries),
    patched: patches,
    files: filesIn(args ?? call.text),
    isRead: args !== null && READING_COMMANDS.has(args['command']),
    hasContent: patches.length > 0 || entries.some(([name]) => CONTENT_NAMES.has(plainName(name))),
  };
  known.set(call, found);
  return found;
}

/** Paths in the arguments of a call. */
export function pathsOf(call: Item): readonly string[] {
  return callFiles(call).paths;
}

/** What a call is about: its first path, else the first line of its command or query; empty if it has none. */
export function subjectOf(call: Item): string {
  const args = call.args && argumentsOf(call.text);
  const said = QUERIES.map((name) => args?.[name]).find((value) => typeof value === 'string');
  return (
    pathsOf(call)[0] ??
    oneLine(
      /^[^\r\n]{1,200}/.exec(
        String(said ?? '')
          .slice(0, 200)
          .trim(),
      )?.[0] ?? '',
    )
  );
}
const QUERIES = ['command', 'cmd', 'query', 'pattern', 'url', 'script', 'code'];

/**
 * Files a call deals with, by their last two path segments: from its arguments, and from words of commands that look
 * like files.
 */
export function filesOf(call: Item): ReadonlySet<string> {
  return callFiles(call).files;
}

/** Whether a call of `tool` is meant to change a file, by the tool's name and, if known, the call's arguments. */
export function changesFile(call: Item | null, tool: string): boolean {
  const { isRead = false, hasContent = false } = call ? callFiles(call) : {};
  return !isRead && (hasContent || WRITING_TOOL.test(tool.slice(0, 200)));
}

/** Commands that only print files, optionally after one `cd`. */
const PRINTING = /^\s*(?:cd [^\n;&|]+(?:&&|;)\s*)?((?:cat|nl|head|tail|less|more|bat|sed -n)\s(?:[^>]|2>)*)$/;

/** Files that a call of `tool` reads, named as in `filesOf`: by its paths, or by a command that prints them. */
export function filesRead(call: Item, tool: string): readonly string[] {
  if (changesFile(call, tool)) return [];
  if (pathsOf(call).length > 0) return [...filesOf(call)];
  for (const [name, value] of Object.entries(argumentsOf(call.text) ?? {})) {
    // Codex sends a command as a word list whose last word is the shell line.
    const line = COMMAND_NAMES.has(plainName(name)) && String(Array.isArray(value) ? value.at(-1) : value);
    const printed = line ? PRINTING.exec(line)?.[1] : undefined;
    if (printed !== undefined)
      return [...new Set(commandFiles(printed.replace(/2>\S*/g, '')).map(lastNames))];
  }
  return [];
}

function namedPaths(args: readonly (readonly [name: string, value: unknown])[]): string[] {
  const paths: string[] = [];
  for (const [name, value] of args) {
    if (!PATH_NAMES.has(plainName(name))) continue;
    for (const one of Array.isArray(value) ? value.slice(0, MAX_PATHS_OF_CALL) : [value])
      if (typeof one === 'string' && one.trim() !== '' && one.length <= MAX_PATH && !/[\r\n]/.test(one))
        paths.push(shown(one));
  }
  return paths.slice(0, MAX_PATHS_OF_CALL);
}

/** Arguments that hold a command line. */
const COMMAND_NAMES: ReadonlySet<string> = new Set(['command', 'cmd', 'script', 'code', 'input']);
/** A command word that may be a file: it contains a folder or ends in an extension. */
const FILE_WORD = /[\w.@~+-]*(?:\/[\w.@+-]+)+|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}(?![\w(])/g;
const MAX_COMMAND = 2000;
const MAX_WORDS = 50;
const MAX_LEVELS = 4;
/** Path segments that identify a file. The folder is included because commands and tools use different base folders. */
const LAST_SEGMENTS = 2;
const lastNames = (path: string): string => path.split(/[/\\]/).slice(-LAST_SEGMENTS).join('/');

function filesIn(input: unknown): ReadonlySet<string> {
  const files = new Set<string>();
  const add = (path: string): void => {
    if (files.size < MAX_PATHS_OF_CALL) files.add(lastNames(path));
  };
  const visit = (name: string, value: unknown, level: number): void => {
    if (typeof value === 'string') {
      const key = plainName(name);
      if (PATH_NAMES.has(key)) {
        if (value.length <= MAX_PATH && !/[\r\n]/.test(value)) add(value.trim());
      } else if (COMMAND_NAMES.has(key)) commandFiles(value).forEach(add);
    } else if (Array.isArray(value)) for (const one of value.slice(0, MAX_WORDS)) visit(name, one, level + 1);
    else if (typeof value === 'object' && value !== null && level < MAX_LEVELS)
      for (const [inner, one] of Object.entries(value)) visit(inner, one, level + 1);
  };
  visit('input', input, 0);
  return files;
}

function commandFiles(command: string): string[] {
  if (command.startsWith(PATCH)) return patched({ patch: command });
  const words = command.slice(0, MAX_COMMAND).matchAll(FILE_WORD);
  return [...words]
    .slice(0, MAX_WORDS)
    .map(([word]) => word)
    .filter((word) => !word.startsWith('/dev/'));
}

/** Files in a patch in the `apply_patch` format. */
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
