// Forms in which models write the arguments of read_file: other names, ranges in parts, several paths, fields in objects.

import { quoted } from '../contract/index.ts';
import { bad, type Draft } from './argument-rules.ts';
import { conflict, snake } from './arguments.ts';
import { jsonOf } from './coercion.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { arrangeRange, type RangeForms } from './range-forms.ts';

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

export const READ_ALIASES: Readonly<Record<string, string>> = {
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
    throw bad(`An item of ${quoted(as)} has no path.`, 'Pass `path` as a list of strings.');
  const [other] = fields;
  if (other && count > 1)
    throw bad(
      `${quoted(other[0])} cannot be set for one of several files.`,
      'Omit it, or call the tool once per file.',
    );
  addFields(fields, draft);
  return path;
}

/** Arguments that stand inside another one. @throws {ReaderError} BAD_INPUT for one that is given twice */
function addFields(fields: readonly (readonly [name: string, value: unknown])[], draft: Draft): void {
  for (const [name, value] of fields) {
    const plain = snake(name);
    const field = READ_ALIASES[plain] ?? plain;
    if (draft.has(field)) throw conflict([name, draft.get(field)?.as ?? field]);
    draft.set(field, { value, as: name });
  }
}

/** Lifts the fields of `options`, an object or its JSON. @throws {ReaderError} BAD_INPUT */
function arrangeOptions(draft: Draft): void {
  const given = draft.get('options');
  if (!given) return;
  draft.delete('options');
  const value = typeof given.value === 'string' ? jsonOf(given.value) : given.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad(
      `${quoted(given.as)} is not a JSON object.`,
      'Write it as `{"format": "text"}`, or pass its fields as arguments.',
    );
  addFields(
    Object.entries(value).filter(([, field]) => field !== null && field !== undefined),
    draft,
  );
}

const isPath = ([name]: readonly [string, unknown]): boolean =>
  name === 'path' || PATH_ALIASES[snake(name)] === 'path';

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).some(isPath) ? [value] : undefined;
  if (typeof value !== 'string' || !/^\s*\[\s*["{]/.test(value)) return undefined;
  // A file name may look like this.
  const list = jsonOf(value);
  return Array.isArray(list) ? list : undefined;
}

/** Converts forms that span arguments, and types the reader does not take. */
export function arrangeRead(draft: Draft): void {
  arrangeOptions(draft);
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
