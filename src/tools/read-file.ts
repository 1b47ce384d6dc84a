// The tool read_file: the reader as a tool.

import { z } from 'zod';
import { OWN, OWN_LINES_RULE } from '../contract/index.ts';
import type { ReadRequest } from '../reader/index.ts';
import { bad, listed } from './argument-rules.ts';
import { conflict } from './arguments.ts';
import {
  anyOf,
  type DefinedTool,
  defineTool,
  type RunContext,
  type ToolRoom,
  withNote,
} from './definition.ts';
import { folderTree, listsFor } from './folder-tree.ts';
import { present } from './present.ts';
import { arrangeRead, READ_ALIASES } from './read-arguments.ts';
import { MAX_PATHS, mediaOf, readSeveral } from './read-several.ts';
import { errorAnswer, type ToolAnswer, textAnswer } from './tool.ts';

const text = (description: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(description);

/** The arguments in the definition; an answer names the others where they help. */
const ADVERTISED = z.object({
  path: z
    .string()
    .min(1)
    .describe(
      'File; folder; `a.zip!/b.csv`; `mail.eml!/c.pdf`; place `b.pdf#page=2`; several as a JSON list',
    ),
  cursor: text('From the previous answer'),
  lines: text('"201-400", "-100" (last 100)'),
  rows: text('Of a table: "21-40", "-10"'),
  columns: text('"id,name", "1-5", "A-F"'),
  sheet: text('Name or number'),
  pages: text('Of PDF, slides: "1-3,7"'),
  pointer: text('"/items/3", "/paths/*/*", also in XML'),
  symbol: text('Definition in code: "Reader.read"'),
  outline: z.boolean().optional().describe('Contents instead, if not all fits'),
  max_tokens: z.int().min(1).optional(),
  options: text(
    'Rare, as JSON: format (csv, markdown, json; text: as is), numbered, header, detail (low, auto, full), region, bytes, changes, encoding, password',
  ),
});
/** All arguments. */
const INPUT = ADVERTISED.omit({ options: true }).extend({
  path: z.string().optional(),
  paths: z.array(z.string().min(1)).min(1).max(MAX_PATHS).optional(),
  format: z.enum(['csv', 'markdown', 'json', 'text']).optional(),
  numbered: z.boolean().optional(),
  header: z.boolean().optional(),
  detail: z.enum(['low', 'auto', 'full']).optional(),
  region: z.string().optional(),
  bytes: z.string().optional(),
  changes: z.enum(['accept', 'mark']).optional(),
  encoding: z.string().optional(),
  password: z.string().optional(),
});

/** Reads one file within a budget. */
export const READ_FILE: DefinedTool = defineTool({
  name: 'read_file',
  title: 'Read a file',
  readOnly: true,
  destructive: false,
  leadsTo: 'file',
  input: INPUT,
  advertised: ADVERTISED,
  aliases: READ_ALIASES,
  main: 'path',
  arrange: arrangeRead,
  describe: (names) => {
    const search = anyOf(names, 'search_files');
    return `Reads a file of any kind: text, code, CSV, JSON, PDF, Office, HTML, mail, archives, images, audio. The answer stays within a token budget and says what it left out and how to continue. ${OWN_LINES_RULE}${search === '' ? '' : ` In a large file, use ${search} first.`}`;
  },
  run: readFile,
});

async function readFile(
  args: z.output<typeof INPUT>,
  room: ToolRoom,
  context: RunContext,
): Promise<ToolAnswer> {
  const { path, paths, max_tokens: asked, outline, numbered, ...rest } = args;
  const budget = Math.min(asked ?? room.budget, room.maxTokens);
  const note =
    asked !== undefined && asked > room.maxTokens
      ? `\n${OWN.note}\`max_tokens\` was ${asked}; the maximum is ${room.maxTokens}.]\n`
      : '';
  const maxTokens = note === '' ? budget : Math.max(1, budget - room.count(note));
  const request: ReadRequest = {
    ...present(rest),
    numbered: numbered ?? 'code',
    maxTokens,
    ...(outline === true && { overflow: 'outline' as const }),
    signal: context.signal,
    said: room.said,
    onProgress: ({ bytes, of }) =>
      context.progress({ progress: bytes, total: Math.max(of, bytes), unit: 'bytes' }),
  };
  const noted = (answer: ToolAnswer): ToolAnswer => (note === '' ? answer : withNote(answer, note));
  if (paths !== undefined && path !== undefined) throw conflict(['path', 'paths']);
  if (paths !== undefined) return noted(await readSeveral(paths, { ...request, maxTokens }, room));
  if (path === undefined) throw bad('`path` is missing.', 'Pass `path`.');
  if ((await room.workspace.kind(path)) === 'directory') {
    const useless = withoutEffect(args, room);
    const left = useless === '' ? maxTokens : Math.max(1, maxTokens - room.count(useless));
    const options = { ...room, maxTokens: left, lists: listsFor(room), signal: context.signal };
    const tree = textAnswer(await folderTree(path, options));
    return noted(useless === '' ? tree : withNote(tree, useless));
  }
  await room.seen?.look(room.workspace, path, context.signal);
  const result = await room.reader.read(path, request);
  if (!result.success) return errorAnswer(await advised(result.error, path, room));
  return noted({ isError: false, parts: [{ kind: 'text', text: result.text }, ...mediaOf(result)] });
}

/** Arguments that select a part of a file, which do not apply to a folder. */
function withoutEffect(args: z.output<typeof INPUT>, { names }: ToolRoom): string {
  const { path: _path, paths: _paths, max_tokens: _asked, ...others } = args;
  const given = Object.keys(present(others));
  if (given.length === 0) return '';
  const list = anyOf(names, 'list_files');
  const pages = list === '' ? '' : ` To page through one, use ${list}.`;
  return `\n${OWN.note}No effect on a folder: ${listed(given)}.${pages}]\n`;
}

/** Adds the tool that helps to the error, if available. */
async function advised(
  error: {
    readonly code: Parameters<typeof errorAnswer>[0]['code'];
    readonly message: string;
    readonly hint: string;
  },
  path: string,
  room: ToolRoom,
): Promise<typeof error> {
  // Those tools list files, not what is inside one.
  const find = path.includes('!/') ? '' : anyOf(room.names, 'find_files', 'list_files');
  if (error.code === 'FILE_NOT_FOUND' && find !== '' && !error.hint.startsWith('Did you mean'))
    return { ...error, hint: `Find the right path with ${find}.` };
  return error;
}
