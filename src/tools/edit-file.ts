// edit_file: one exact text of a file replaced by another. The file keeps its encoding and its line breaks, and is not
// touched when someone else has changed it meanwhile.

import { z } from 'zod';
import { named, plural, ReaderError } from '../contract/index.ts';
import type { Draft } from './argument-rules.ts';
import { inTurn, isOverrun, overrun } from './changes.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { lineAt, occurrences } from './exact-search.ts';
import { type Flattened, flatten, lf } from './line-breaks.ts';
import { nearMiss } from './near-miss.ts';
import { cutToBudget } from './page.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { MAX_TEXT_BYTES, readTextFile } from './text-file.ts';
import { errorAnswer, type ToolAnswer, textAnswer } from './tool.ts';

const MAX_LINES_NAMED = 10;

/** Enough for others who write now and then; who writes without a pause is told of. */
const MAX_ATTEMPTS = 5;

/** One edit in a list of edits is that edit. */
function arrange(draft: Draft): void {
  const edits = draft.get('edits');
  if (!edits) return;
  const list: unknown = typeof edits.value === 'string' ? jsonOf(edits.value) : edits.value;
  if (!Array.isArray(list) || list.length !== 1)
    throw new ReaderError(
      'BAD_INPUT',
      `\`edits\` holds ${Array.isArray(list) ? plural(list.length, 'edit') : 'no list'}; one edit is made in a call.`,
      'Call once for each, with `old_text` and `new_text`.',
    );
  draft.delete('edits');
  for (const [name, value] of Object.entries(list[0] ?? {})) {
    const key = EDIT_KEYS.get(name.replaceAll('_', '').toLowerCase());
    if (key !== undefined && !draft.has(key)) draft.set(key, { value, as: name });
  }
}

const EDIT_KEYS: ReadonlyMap<string, string> = new Map([
  ['oldtext', 'old_text'],
  ['oldstring', 'old_text'],
  ['oldstr', 'old_text'],
  ['search', 'old_text'],
  ['newtext', 'new_text'],
  ['newstring', 'new_text'],
  ['newstr', 'new_text'],
  ['replace', 'new_text'],
  ['replaceall', 'replace_all'],
]);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces text in a file. */
export const EDIT_FILE: DefinedTool = defineTool({
  name: 'edit_file',
  title: 'Edit a file',
  readOnly: false,
  destructive: true,
  input: z.object({
    path: z.string().min(1),
    old_text: z.string().min(1).describe('Exactly as in the file, with enough around it to be there once'),
    new_text: z.string(),
    replace_all: z.boolean().optional().describe('Every place; default: only if there is one'),
    encoding: z.string().min(1).optional().describe('Of the file, where it cannot be told for sure'),
  }),
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
    all: 'replace_all',
    global: 'replace_all',
    charset: 'encoding',
  },
  main: 'path',
  contents: ['old_text', 'new_text'],
  arrange,
  describe: (names) => {
    const write = anyOf(names, 'write_file');
    return `Replaces one text in a text file; line breaks and encoding stay.${write === '' ? '' : ` For a new file, use ${write}.`}`;
  },
  run: ({ path, old_text: old, new_text: next, replace_all: all, encoding }, room, { signal }) =>
    inTurn(room.workspace, path, signal, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await edited({ path, old, next, all: all === true, encoding }, room, signal);
        } catch (error) {
          if (!isOverrun(error)) throw error;
          if (attempt === MAX_ATTEMPTS) throw overrun(path, 'edit it', error);
        }
      }
    }),
});

interface Edit {
  readonly path: string;
  readonly old: string;
  readonly next: string;
  readonly all: boolean;
  readonly encoding: string | undefined;
}

/** @throws {ReaderError} also CONFLICT when the file changed after it was read */
async function edited(
  { path, old, next, all, encoding }: Edit,
  room: ToolRoom,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const file = await readTextFile(room.workspace, room.reader, path, encoding, signal);
  const flattened = flatten(file.text);
  const { flat } = flattened;
  const wanted = lf(old);
  if (wanted === lf(next))
    throw new ReaderError(
      'BAD_INPUT',
      '`old_text` and `new_text` are the same, so nothing would change.',
      'Give the text as it is to become in `new_text`.',
    );
  const places = occurrences(flat, wanted);
  if (places.length === 0) {
    const { code, message, hint } = notFound(file.path, room);
    const near = nearMiss(flat, wanted, showsAsIs(room));
    return errorAnswer({
      code,
      message,
      hint: cutToBudget(near, Math.max(1, room.budget - 100), room.count) || hint,
    });
  }
  if (places.length > 1 && !all) throw severalTimes(file.path, flat, places);
  const changed = replaced(file.text, flattened, places, wanted.length, next);
  const written = await room.workspace.write(file.path, file.encode(changed), {
    ifSha256: file.sha256,
    signal,
  });
  const first = lineAt(flat, places[0] ?? 0);
  const where =
    places.length === 1 ? `in line ${first}` : `in ${places.length} places, the first in line ${first}`;
  return textAnswer(`Edited ${named(written.path)} ${where}; it has ${plural(written.bytes, 'byte')} now.\n`);
}

/** The call that shows a file as it is on disk, which tables, JSON and the like are not shown as otherwise. */
function showsAsIs({ names }: ToolRoom): string | undefined {
  const read = anyOf(names, 'read_file');
  return read === '' ? undefined : `${read} with \`format\` "text"`;
}

function notFound(path: string, room: ToolRoom): ReaderError {
  const shown = showsAsIs(room);
  return new ReaderError(
    'BAD_INPUT',
    `\`old_text\` is not in ${named(path)}; nothing was changed.`,
    shown === undefined ? 'Copy it from the file as it is.' : `Read the file again by ${shown}.`,
  );
}

function severalTimes(path: string, flat: string, places: readonly number[]): ReaderError {
  const lines = places.slice(0, MAX_LINES_NAMED).map((at) => lineAt(flat, at));
  const more = places.length > lines.length ? ' and more' : '';
  return new ReaderError(
    'BAD_INPUT',
    `\`old_text\` is in ${named(path)} ${places.length} times (lines ${lines.join(', ')}${more}); nothing was changed.`,
    'Add lines around it until it is there once, or set `replace_all` to true.',
  );
}

/** @throws {ReaderError} LIMIT_EXCEEDED before a text that is too long is made */
function replaced(
  text: string,
  { original, restored }: Flattened,
  places: readonly number[],
  length: number,
  next: string,
): string {
  if (text.length + places.length * (next.length - length) > MAX_TEXT_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The file would have more than ${MAX_TEXT_BYTES} characters, the most that is edited in place.`,
      'Replace fewer places, or with less.',
    );
  const pieces: string[] = [];
  let from = 0;
  for (const at of places) {
    pieces.push(text.slice(from, original(at)), restored(next, at, at + length));
    from = original(at + length);
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
