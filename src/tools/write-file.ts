// The tool write_file: writes a whole file.

import { z } from 'zod';
import { named, plural, ReaderError } from '../contract/index.ts';
import type { Workspace, Written } from '../workspace/index.ts';
import { isOverrun, overrun } from './changes.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { type Formed, inFormOf } from './kept-form.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { refusePlaceholders } from './secret-edits.ts';
import { readBytes, sha256Of, textFileOf } from './text-file.ts';
import { type ToolAnswer, textAnswer } from './tool.ts';

/** Other names of the content argument. */
export const CONTENT_ALIASES: Readonly<Record<string, string>> = {
  contents: 'content',
  text: 'content',
  file_text: 'content',
  file_content: 'content',
  new_content: 'content',
  code_content: 'content',
  body: 'content',
  data: 'content',
};

/** Writes a file. */
export const WRITE_FILE: DefinedTool = defineTool({
  name: 'write_file',
  title: 'Write a file',
  readOnly: false,
  destructive: true,
  leadsTo: 'new',
  input: z.object({
    path: z.string().min(1),
    content: z.string().describe('The whole text'),
    overwrite: z.boolean().optional().describe('Replace an existing file; default false'),
  }),
  aliases: { ...PATH_ALIASES, ...CONTENT_ALIASES, force: 'overwrite', replace: 'overwrite' },
  main: 'path',
  contents: ['content'],
  arrange: (draft) => {
    if (/^(?:create|write)$/.test(String(draft.get('command')?.value))) draft.delete('command');
    const mode = draft.get('mode');
    if (!mode || !/^(?:overwrite|write|w|create)$/.test(String(mode.value))) return;
    draft.delete('mode');
    if (mode.value === 'overwrite' && !draft.has('overwrite'))
      draft.set('overwrite', { value: true, as: mode.as });
  },
  describe: (names) => {
    const edit = anyOf(names, 'edit_file');
    return `Writes a text file, creating missing parent folders.${edit === '' ? '' : ` To change part of a file, use ${edit}.`}`;
  },
  run: async ({ path, content, overwrite }, room, { signal }) => {
    if (room.reader.redactor) refusePlaceholders(content, 'content');
    try {
      return overwrite === true
        ? await replaced(path, content, room, signal)
        : await created(path, content, room, signal);
    } catch (error) {
      if (
        error instanceof ReaderError &&
        error.code === 'NOT_A_FILE' &&
        (await room.workspace.kind(path)) === 'directory'
      )
        throw new ReaderError(
          'NOT_A_FILE',
          `${named(path)} is a folder; nothing was written.`,
          'Pass a `path` that ends with a file name, in this folder or another.',
          error,
        );
      if (!(error instanceof ReaderError) || error.code !== 'ALREADY_EXISTS') throw error;
      const edit = anyOf(room.names, 'edit_file');
      throw new ReaderError(
        'ALREADY_EXISTS',
        `${named(path)} already exists; nothing was written.`,
        `Set \`overwrite\` to true to replace all of it${edit === '' ? '' : `, or change part of it with ${edit}`}.`,
        error,
      );
    }
  },
});

async function created(
  path: string,
  content: string,
  { workspace, seen }: ToolRoom,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const written = await workspace.write(path, content, { signal });
  seen?.remember(workspace, path, Buffer.from(content));
  return answerOf(written, 'new');
}

/** @throws {ReaderError} CONFLICT if the file is not what the model last saw, BUSY if it changes meanwhile */
async function replaced(
  path: string,
  content: string,
  room: ToolRoom,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { workspace, reader, seen } = room;
  const before = await present(workspace, path, signal);
  if (before === undefined) return created(path, content, room, signal);
  const difference = before.bytes && seen?.differenceIn(workspace, path, before.bytes);
  if (difference) {
    if (difference.isWhole) seen?.remember(workspace, path, before.bytes ?? Buffer.alloc(0));
    throw new ReaderError(
      'CONFLICT',
      `${named(path)} was changed by someone else since you last saw it; nothing was written. ${difference.text}`,
      difference.isWhole
        ? 'Write it again with these changes kept, or as before to discard them.'
        : 'Read it again, then write it with these changes kept.',
    );
  }
  const { bytes, words } = await formed(before, content, reader, signal);
  const options = before.bytes ? { ifSha256: sha256Of(before.bytes) } : { overwrite: true };
  try {
    const written = await workspace.write(path, bytes, { ...options, signal });
    seen?.remember(workspace, path, bytes);
    return answerOf(written, `replacing the previous content${words}`);
  } catch (error) {
    throw isOverrun(error) ? overrun(path, 'write it', error) : error;
  }
}

/** A file that is there; without `bytes` if it is too large to be compared. */
interface Present {
  readonly path: string;
  readonly bytes?: Buffer;
}

async function present(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<Present | undefined> {
  try {
    return await readBytes(workspace, path, signal);
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    if (error.code === 'FILE_NOT_FOUND') return undefined;
    if (error.code === 'LIMIT_EXCEEDED') return { path };
    throw error;
  }
}

async function formed(
  { path, bytes }: Present,
  content: string,
  reader: ToolRoom['reader'],
  signal: AbortSignal,
): Promise<Formed> {
  const plain = Buffer.from(content);
  if (!bytes) return { bytes: plain, words: ', whose line breaks and byte order mark were not checked' };
  try {
    return inFormOf(await textFileOf({ path, bytes }, reader, undefined, signal), content);
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'UNSUPPORTED_FORMAT') throw error;
    return { bytes: plain, words: ', which was not plain text; it is now UTF-8 text' };
  }
}

function answerOf({ path, bytes, notes = [] }: Written, how: string): ToolAnswer {
  const lost = notes.map((note) => `${note}\n`).join('');
  return textAnswer(`Wrote ${named(path)}: ${plural(bytes, 'byte')}, ${how}.\n${lost}`);
}
