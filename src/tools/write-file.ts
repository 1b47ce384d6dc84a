// The tool write_file: writes a whole file.

import { z } from 'zod';
import { named, plural, ReaderError } from '../contract/index.ts';
import { inTurn, isOverrun, overrun } from './changes.ts';
import { anyOf, type DefinedTool, defineTool } from './definition.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { textAnswer } from './tool.ts';

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
    try {
      const written = await inTurn(room.workspace, path, signal, () =>
        room.workspace.write(path, content, { overwrite: overwrite === true, signal }),
      );
      const how = written.replaced ? 'replacing the previous content' : 'new';
      const lost = (written.notes ?? []).map((note) => `${note}\n`).join('');
      return textAnswer(`Wrote ${named(written.path)}: ${plural(written.bytes, 'byte')}, ${how}.\n${lost}`);
    } catch (error) {
      if (isOverrun(error)) throw overrun(path, 'write it', error);
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
