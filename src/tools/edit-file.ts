// The tool edit_file: replaces exact text, inserts lines or applies a diff. Keeps the file's encoding and line breaks,
// and does not write if someone else changed the file in the meantime.

import { z } from 'zod';
import { named, type Passages, plural, quoted, ReaderError } from '../contract/index.ts';
import type { Written } from '../workspace/index.ts';
import { bad, type Draft } from './argument-rules.ts';
import { conflict } from './arguments.ts';
import { isOverrun, overrun } from './changes.ts';
import { jsonOf } from './coercion.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { checkNames, diffOf } from './diff-edits.ts';
import { type Change, changesOf, type Edit, NotThere, replacementOf } from './edits.ts';
import { lineAt } from './exact-search.ts';
import { type Flattened, flatten } from './line-breaks.ts';
import { nearMiss } from './near-miss.ts';
import { cutToBudget } from './page.ts';
import { editPassages } from './passage-edits.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { changesAroundSecrets } from './secret-edits.ts';
import { MAX_TEXT_BYTES, readTextFile, type TextFile } from './text-file.ts';
import { type ToolAnswer, textAnswer } from './tool.ts';

/** Enough when others write now and then; a constant writer causes an error. */
const MAX_ATTEMPTS = 5;
const MAX_EDITS = 100;

/** Converts the argument forms of other editing tools to those of this one. */
function arrange(draft: Draft): void {
  const command = draft.get('command');
  const list: unknown = command?.value;
  if (command && Array.isArray(list)) {
    draft.delete('command');
    draft.set('patch', { value: list.at(-1), as: command.as });
  } else if (command && /^(?:str_replace|insert|edit|apply_patch)$/.test(String(list)))
    draft.delete('command');
  else if (command && /^(?:create|write)$/.test(String(list)))
    throw bad(`${quoted(String(list))} is not a command of this tool.`, 'Use `write_file` for a whole file.');
  const path = draft.get('path');
  if (path && /^(?:\*\*\* Begin Patch|--- |diff --git )/.test(String(path.value))) {
    draft.delete('path');
    draft.set('patch', path);
  }
  const edit = draft.get('edit');
  if (edit) {
    draft.delete('edit');
    draft.set('edits', { value: Array.isArray(edit.value) ? edit.value : [edit.value], as: edit.as });
  }
  const edits = draft.get('edits');
  const listed = edits && typeof edits.value === 'string' ? jsonOf(edits.value) : edits?.value;
  if (edits && Array.isArray(listed) && listed.length === 1 && !FORMS.some((name) => draft.has(name))) {
    const { old, next, all } = replacementOf(listed[0], 1);
    draft.delete('edits');
    draft.set('old_text', { value: old, as: edits.as });
    draft.set('new_text', { value: next, as: edits.as });
    if (all) draft.set('replace_all', { value: true, as: edits.as });
  }
  const multiple = draft.get('allow_multiple');
  if (multiple) {
    draft.delete('allow_multiple');
    if (!draft.has('replace_all')) draft.set('replace_all', multiple);
  }
  if (/^(?:false|no|0)$/i.test(String(draft.get('dry_run')?.value))) draft.delete('dry_run');
  const patch = draft.get('patch');
  if (!patch || typeof patch.value !== 'string') return;
  const named = diffOf(patch.value).path;
  if (named !== undefined && !draft.has('path')) draft.set('path', { value: named, as: patch.as });
}

/** Arguments that specify an edit; next to them, a list of edits stays a list. */
const FORMS: readonly string[] = ['old_text', 'new_text', 'insert_line', 'patch'];

const ADVERTISED = z.object({
  path: z.string().min(1),
  old_text: z.string().optional().describe('Exactly as in the file, with enough context to be unique'),
  new_text: z.string().optional(),
  replace_all: z.boolean().optional().describe('Default: only if unique'),
  edits: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .max(MAX_EDITS)
    .optional()
    .describe('All or none: [{"old_text", "new_text", "replace_all"}]'),
  insert_line: z.int().min(0).optional().describe('`new_text` goes below this line; 0: start'),
  patch: z.string().min(1).optional().describe('Unified diff'),
});
const INPUT = ADVERTISED.extend({
  expected_replacements: z.int().min(1).optional(),
  encoding: z.string().min(1).optional(),
});

/** Replaces text in a file. */
export const EDIT_FILE: DefinedTool = defineTool({
  name: 'edit_file',
  title: 'Edit a file',
  readOnly: false,
  destructive: true,
  leadsTo: 'changed',
  input: INPUT,
  advertised: ADVERTISED,
  aliases: {
    ...PATH_ALIASES,
    old_string: 'old_text',
    old_str: 'old_text',
    old_content: 'old_text',
    original_text: 'old_text',
    search: 'old_text',
    find: 'old_text',
    new_string: 'new_text',
    new_str: 'new_text',
    new_content: 'new_text',
    replacement: 'new_text',
    replace: 'new_text',
    replace_with: 'new_text',
    insert_text: 'new_text',
    input: 'patch',
    patch_text: 'patch',
    diff: 'patch',
    all: 'replace_all',
    global: 'replace_all',
    charset: 'encoding',
  },
  main: 'path',
  contents: ['old_text', 'new_text', 'patch'],
  arrange,
  describe: (names) => {
    const write = anyOf(names, 'write_file');
    return `Edits a text file, keeping its line breaks and encoding.${write === '' ? '' : ` For a new file, use ${write}.`}`;
  },
  run: async ({ path, encoding, ...args }, room, { signal }) => {
    if (args.old_text === '') throw emptyText(room);
    const edits = editsOf(path, args);
    for (let attempt = 1; ; attempt += 1)
      try {
        return await edited(path, edits, encoding, room, signal);
      } catch (error) {
        if (!isOverrun(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw overrun(path, 'edit it', error);
      }
  },
});

/** Empty text matches everywhere. Other editing tools create a file this way; here another tool does. */
function emptyText({ names }: ToolRoom): ReaderError {
  const write = anyOf(names, 'write_file');
  return bad(
    '`old_text` is empty; nothing was changed.',
    `To add text, use \`insert_line\` (0: at the start).${write === '' ? '' : ` For a new file, use ${write} with \`content\`.`}`,
  );
}

/** The arguments that specify an edit. */
interface Asked {
  readonly old_text?: string | undefined;
  readonly new_text?: string | undefined;
  readonly replace_all?: boolean | undefined;
  readonly expected_replacements?: number | undefined;
  readonly edits?: readonly unknown[] | undefined;
  readonly insert_line?: number | undefined;
  readonly patch?: string | undefined;
}

/**
 * The edits a call specifies, in one of its forms. @throws {ReaderError} BAD_INPUT, also for an argument that would
 * have no effect
 */
function editsOf(path: string, asked: Asked): readonly Edit[] {
  const { old_text: old, new_text: next, replace_all: all, expected_replacements: expected } = asked;
  const { edits, insert_line: line, patch } = asked;
  checkForms(asked);
  if (patch !== undefined) {
    const diff = diffOf(patch);
    checkNames(path, diff);
    return diff.hunks;
  }
  if (edits !== undefined)
    return edits.map((given, at) => {
      const edit = replacementOf(given, at + 1);
      return { ...edit, all: edit.all || all === true };
    });
  if (line !== undefined) {
    if (next === undefined) throw bad('`new_text` is missing.', 'Pass the text to insert as `new_text`.');
    return [{ kind: 'insertion', line, text: next }];
  }
  if (old === undefined)
    throw bad(
      '`old_text` is missing.',
      'Pass `old_text` and `new_text`, or `edits`, `insert_line` or `patch`.',
    );
  return [{ kind: 'replacement', old, next: next ?? '', all: all === true, expected }];
}

/** @throws {ReaderError} BAD_INPUT for arguments of two forms, one of which would be dropped */
function checkForms({ old_text, new_text, replace_all, expected_replacements, ...asked }: Asked): void {
  const { edits, insert_line, patch } = asked;
  const [form, other] = namesGiven({ old_text, edits, insert_line, patch });
  if (form === undefined || form === 'old_text') {
    if (form !== undefined && other !== undefined) throw conflict([form, other]);
    return;
  }
  const [useless] = namesGiven({
    new_text: form === 'insert_line' ? undefined : new_text,
    replace_all: form === 'edits' || replace_all === false ? undefined : replace_all,
    // Each place is changed at most once anyway.
    expected_replacements: expected_replacements === 1 ? undefined : expected_replacements,
  });
  const second = other ?? useless;
  if (second !== undefined) throw conflict([second, form]);
}

const namesGiven = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));

/** @throws {ReaderError} also CONFLICT when the file changed after it was read */
async function edited(
  path: string,
  edits: readonly Edit[],
  encoding: string | undefined,
  room: ToolRoom,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const file = await readTextFile(room.workspace, room.reader, path, encoding, signal);
  if (file.passages) return editedInside(file, file.passages, edits, room, signal);
  let { text } = file;
  const shows = showsAsIs(room);
  let places = 0;
  let first = 0;
  for (const [at, edit] of edits.entries()) {
    const flattened = flatten(text);
    const changes = changesIn(
      edit,
      flattened.flat,
      file.path,
      edits.length > 1 ? at + 1 : undefined,
      room,
      shows,
    );
    if (at === 0) first = lineAt(flattened.flat, changes[0]?.at ?? 0);
    const fresh = file.unsureOf && newCharacter(flattened.flat, changes);
    if (file.unsureOf && fresh !== undefined) throw file.unsureOf(fresh);
    places += changes.length;
    text = changed(text, flattened, changes);
  }
  const { written, others } = await replaced(file, text, room, signal);
  const line = `line ${first}${file.isShownConverted ? ' of its source' : ''}`;
  const where = places === 1 ? `at ${line}` : `in ${places} places, first at ${line}`;
  const size = plural(written.bytes, 'byte');
  return textAnswer(`Edited ${named(written.path)} ${where}; it now has ${size}.\n${others}`);
}

/** Edits the texts inside a file, and writes them back where they are. */
async function editedInside(
  file: TextFile,
  passages: Passages,
  edits: readonly Edit[],
  room: ToolRoom,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { texts, names } = editPassages(passages.list, edits, named(file.path), (edit, text, number) =>
    changesIn(edit, text, file.path, number, room, undefined),
  );
  const { written, others } = await replaced(file, await passages.replaced(texts), room, signal);
  const where = names.length > MAX_NAMED ? `${names.length} cells` : names.join(', ');
  return textAnswer(
    `Edited ${named(written.path)} in ${where}, leaving all outputs as they were; it now has ${plural(written.bytes, 'byte')}.\n${others}`,
  );
}

/** Cells named one by one. */
const MAX_NAMED = 10;

/** @throws {ReaderError} CONFLICT if the file is not what was read */
async function replaced(
  { path, encode, bytes: before, sha256 }: TextFile,
  text: string,
  { workspace, seen }: ToolRoom,
  signal: AbortSignal,
): Promise<{ readonly written: Written; readonly others: string }> {
  const bytes = encode(text);
  const written = await workspace.write(path, bytes, { ifSha256: sha256, signal });
  const difference = seen?.differenceIn(workspace, path, before);
  // What is not shown here stays unseen: a later write of the whole file is refused.
  if (difference?.isWhole !== false) seen?.remember(workspace, path, bytes);
  const others = difference
    ? `Someone else changed the file since you last saw it. Before this edit: ${difference.text}`
    : '';
  return { written, others };
}

/** The first non-ASCII character that a change adds more often than it removes. */
function newCharacter(flat: string, changes: readonly Change[]): string | undefined {
  for (const { at, length, next } of changes) {
    const left = new Map<string, number>();
    for (const [character] of flat.slice(at, at + length).matchAll(BEYOND_ASCII))
      left.set(character, (left.get(character) ?? 0) + 1);
    for (const [character] of next.matchAll(BEYOND_ASCII)) {
      const before = left.get(character) ?? 0;
      if (before === 0) return character;
      left.set(character, before - 1);
    }
  }
  return undefined;
}

const BEYOND_ASCII = /[^\0-\x7f]/gu;

/** @throws {ReaderError} BAD_INPUT naming the edit that failed */
function changesIn(
  edit: Edit,
  flat: string,
  path: string,
  number: number | undefined,
  room: ToolRoom,
  shows: string | undefined,
): readonly Change[] {
  const { redactor } = room.reader;
  try {
    if (!redactor) return changesOf(edit, flat, named(path));
    return changesAroundSecrets(flat, oldOf(edit), redactor, (text) => changesOf(edit, text, named(path)));
  } catch (error) {
    const seen = redactor?.text(flat) ?? flat;
    const failed =
      error instanceof NotThere ? notFound(path, error.wanted, seen, edit.kind, room, shows) : error;
    if (number === undefined || !(failed instanceof ReaderError)) throw failed;
    throw new ReaderError(failed.code, `In edit ${number}: ${failed.message}`, failed.hint, failed);
  }
}

/** What an edit names of the text that it changes. */
function oldOf(edit: Edit): string {
  if (edit.kind === 'insertion') return '';
  return edit.kind === 'replacement' ? edit.old : edit.lines.map(({ old = '' }) => old).join('\n');
}

/** The call that shows a file exactly as on disk, which tables, JSON and similar formats need. */
function showsAsIs({ names }: ToolRoom): string | undefined {
  const read = anyOf(names, 'read_file');
  return read === '' ? undefined : `${read} with \`format\` "text"`;
}

function notFound(
  path: string,
  wanted: string,
  flat: string,
  kind: Edit['kind'],
  room: ToolRoom,
  shown: string | undefined,
): ReaderError {
  const near = cutToBudget(nearMiss(flat, wanted, shown), Math.max(1, room.budget - 100), room.count);
  const what = kind === 'hunk' ? 'A part of the diff' : '`old_text`';
  const again = shown === undefined ? 'Copy it exactly from the file.' : `Read the file again with ${shown}.`;
  return bad(`${what} is not in ${named(path)}; nothing was changed.`, near || again);
}

/** @throws {ReaderError} LIMIT_EXCEEDED before building a text that is too long */
function changed(text: string, { original, restored }: Flattened, changes: readonly Change[]): string {
  const grown = changes.reduce((sum, { length, next }) => sum + next.length - length, text.length);
  if (grown > MAX_TEXT_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The edited file would have more than ${MAX_TEXT_BYTES} characters, the maximum for edits.`,
      'Replace fewer places, or use shorter text.',
    );
  const pieces: string[] = [];
  let from = 0;
  for (const { at, length, next } of changes) {
    pieces.push(text.slice(from, original(at)), restored(next, at, at + length));
    from = original(at + length);
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
