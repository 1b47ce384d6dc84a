// The tool read_file: the reader, with arguments under the names models write.

import { z } from 'zod';
import { OWN, OWN_LINES_RULE, quoted } from '../contract/index.ts';
import type { ReadRequest } from '../reader/index.ts';
import { bad, type Draft, listed } from './argument-rules.ts';
import { conflict, snake } from './arguments.ts';
import {
  anyOf,
  type DefinedTool,
  defineTool,
  type RunContext,
  type ToolRoom,
  withNote,
} from './definition.ts';
import { folderTree, listsFor } from './folder-tree.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { present } from './present.ts';
import { arrangeRange, type RangeForms } from './range-forms.ts';
import { MAX_PATHS, mediaOf, readSeveral } from './read-several.ts';
import { errorAnswer, type ToolAnswer, textAnswer } from './tool.ts';

const LINES: RangeForms = {
  target: 'lines',
  from: ['offset', 'start_line', 'line_start', 'from_line', 'first_line', 'line_offset', 'start'],
  to: ['end_line', 'line_end', 'to_line', 'last_line', 'end'],
  count: ['limit', 'n_lines', 'num_lines', 'max_lines', 'line_count', 'length'],
  head: ['head', 'head_lines'],
  tail: ['tail', 'tail_lines'],
  pairs: true,
};
const ROWS: RangeForms = {
  target: 'rows',
  from: ['start_row', 'row_start', 'from_row', 'first_row', 'row_offset'],
  to: ['end_row', 'row_end', 'to_row', 'last_row'],
  count: ['n_rows', 'num_rows', 'max_rows', 'row_limit', 'row_count'],
  head: ['head_rows'],
  tail: ['tail_rows'],
  pairs: true,
};
const PAGES: RangeForms = {
  target: 'pages',
  from: ['start_page', 'page_start', 'from_page', 'first_page'],
  to: ['end_page', 'page_end', 'to_page', 'last_page'],
  count: ['n_pages', 'num_pages', 'max_pages', 'page_limit'],
  head: [],
  tail: [],
  pairs: false,
};

const ALIASES: Readonly<Record<string, string>> = {
  ...PATH_ALIASES,
  files: 'paths',
  include: 'paths',
  file_paths: 'paths',
  filenames: 'paths',
  line: 'lines',
  line_range: 'lines',
  view_range: 'lines',
  range: 'lines',
  row: 'rows',
  row_range: 'rows',
  page: 'pages',
  page_number: 'pages',
  column: 'columns',
  cols: 'columns',
  usecols: 'columns',
  sheet_name: 'sheet',
  sheets: 'sheet',
  worksheet: 'sheet',
  json_pointer: 'pointer',
  symbol_name: 'symbol',
  definition: 'symbol',
  crop: 'region',
  bbox: 'region',
  next_cursor: 'cursor',
  page_token: 'cursor',
  continuation: 'cursor',
  line_numbers: 'numbered',
  show_line_numbers: 'numbered',
  with_line_numbers: 'numbered',
  output_format: 'format',
  charset: 'encoding',
  max_output_tokens: 'max_tokens',
  token_limit: 'max_tokens',
  token_budget: 'max_tokens',
  tracked_changes: 'changes',
};

/** Converts all forms of paths: several to `paths`, one to `path`. */
function arrangePaths(draft: Draft): void {
  if (draft.has('path') && draft.has('paths')) return;
  for (const name of ['path', 'paths']) {
    const given = draft.get(name);
    const listed = given && listIn(given.value);
    if (!given || (name === 'path' && !listed)) continue;
    draft.delete(name);
    const list = listed?.map((item) => pathIn(item, given.as, listed.length, draft));
    const [only] = list ?? [given.value];
    if (list && list.length !== 1) draft.set('paths', { ...given, value: list });
    else draft.set('path', { ...given, value: only });
    return;
  }
}

/**
 * The path in an item that is an object. Its other fields only apply to a single file. @throws {ReaderError} BAD_INPUT
 */
function pathIn(item: unknown, as: string, count: number, draft: Draft): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const fields = Object.entries(item).filter(([, value]) => value !== null && value !== undefined);
  const at = fields.findIndex(isPath);
  const [[, path] = []] = at < 0 ? [] : fields.splice(at, 1);
  if (typeof path !== 'string')
    throw bad(`An item of ${quoted(as)} has no path.`, 'Pass `paths` as a list of strings.');
  const [other] = fields;
  if (other && count > 1)
    throw bad(
      `${quoted(other[0])} cannot be set for one of several files.`,
      'Omit it, or call the tool once per file.',
    );
  for (const [name, value] of fields) {
    const plain = snake(name);
    const field = ALIASES[plain] ?? plain;
    if (draft.has(field)) throw conflict([name, draft.get(field)?.as ?? field]);
    draft.set(field, { value, as: name });
  }
  return path;
}

const isPath = ([name]: readonly [string, unknown]): boolean =>
  name === 'path' || PATH_ALIASES[snake(name)] === 'path';

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).some(isPath) ? [value] : undefined;
  if (typeof value !== 'string' || !/^\s*\[\s*["{]/.test(value)) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined; // a file name may look like this
  }
}

/** Converts forms that span arguments, and types the reader does not take. */
function arrange(draft: Draft): void {
  arrangePaths(draft);
  const pageRange = draft.get('page_range');
  if (pageRange && !draft.has('pages')) {
    draft.delete('page_range');
    const [start, end] = Array.isArray(pageRange.value) ? pageRange.value : [];
    const value = end === undefined ? pageRange.value : `${String(start)}-${String(end)}`;
    draft.set('pages', { ...pageRange, value });
  }
  for (const forms of [LINES, ROWS, PAGES]) arrangeRange(draft, forms);
  const columns = draft.get('columns');
  if (columns && Array.isArray(columns.value))
    draft.set('columns', { ...columns, value: columns.value.map(columnName).join(',') });
  const region = draft.get('region');
  if (region) draft.set('region', { ...region, value: regionText(region.value) });
}

/** A column's name as the reader takes it in a list. */
function columnName(name: unknown): string {
  const text = String(name);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function regionText(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return value;
  const sides = new Map(Object.entries(value));
  return [
    sides.get('left') ?? sides.get('x'),
    sides.get('top') ?? sides.get('y'),
    sides.get('width') ?? sides.get('w'),
    sides.get('height') ?? sides.get('h'),
  ].join(',');
}

const text = (description: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(description);

const INPUT = z.object({
  path: text('File, or folder for its tree; in archives `a.zip!/b.csv`; places `b.pdf#page=2`'),
  paths: z
    .array(z.string().min(1))
    .min(1)
    .max(MAX_PATHS)
    .optional()
    .describe('Several files, sharing the budget'),
  cursor: text('From the previous answer'),
  lines: text('"201-400", "201-", "-100" (last 100)'),
  rows: text('Table rows: "21-40", "-10"'),
  columns: text('Table columns: "id,name", "1-5", "A-F"'),
  header: z.boolean().optional(),
  sheet: text('Sheet name or number'),
  pages: text('PDF pages or slides: "1-3,7"'),
  pointer: text('JSON Pointer: "/items/3", "/items/*/price"'),
  symbol: text('Definition in code: "Reader.read"'),
  region: text('Image crop: "left,top,width,height"'),
  bytes: text('Of a text: "1-8388608"'),
  detail: z.enum(['low', 'auto', 'full']).optional().describe('Size of an image or scanned page'),
  outline: z.boolean().optional().describe('Headings, sheets, keys, symbols if not all fits'),
  format: z
    .enum(['csv', 'markdown', 'json', 'text'])
    .optional()
    .describe('How tables are written; text: unchanged file'),
  numbered: z.boolean().optional().describe('Default: in code'),
  changes: z.enum(['accept', 'mark']).optional().describe('Tracked changes'),
  encoding: text('Overrides detection'),
  password: text('Of a protected file'),
  max_tokens: z.int().min(1).optional().describe('Budget of the answer'),
});

/** Reads one file within a budget. */
export const READ_FILE: DefinedTool = defineTool({
  name: 'read_file',
  title: 'Read a file',
  readOnly: true,
  destructive: false,
  leadsTo: 'file',
  input: INPUT,
  aliases: ALIASES,
  main: 'path',
  arrange,
  describe: (names) => {
    const search = anyOf(names, 'search_files');
    return `Reads a file of any kind: text, code, CSV, Excel, JSON, YAML, XML, PDF, Word, PowerPoint, HTML, e-mail, archives, images, audio. The answer stays within a token budget and says what it left out and how to continue: repeat the call with the lines, rows or cursor it names. ${OWN_LINES_RULE}${search === '' ? '' : ` To find something in a large file, use ${search} first.`}`;
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
    onProgress: ({ bytes, of }) =>
      context.progress({ progress: bytes, total: Math.max(of, bytes), unit: 'bytes' }),
  };
  const noted = (answer: ToolAnswer): ToolAnswer => (note === '' ? answer : withNote(answer, note));
  if (paths !== undefined && path !== undefined) throw conflict(['path', 'paths']);
  if (paths !== undefined) return noted(await readSeveral(paths, { ...request, maxTokens }, room));
  if (path === undefined) throw bad('`path` is missing.', 'Pass `path`, or several as `paths`.');
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
