// The tool save_result: saves rows or text to a workspace file and returns a preview.

import { z } from 'zod';
import { named, oneLine, plural, ReaderError } from '../contract/index.ts';
import type { SavedResult, SaveOptions } from '../workspace/index.ts';
import type { Draft } from './argument-rules.ts';
import { jsonOf } from './coercion.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { cutToBudget, notesText } from './page.ts';
import { refusePlaceholders } from './secret-edits.ts';
import { textAnswer } from './tool.ts';

const ROWS: ReadonlySet<string> = new Set(['data', 'records', 'items', 'result', 'results', 'values']);
const MAX_COLUMNS = 50;

/** Accepts rows passed as text, and a list passed as text. */
function arrange(draft: Draft): void {
  for (const name of ROWS) {
    const given = draft.get(name);
    if (!given || draft.has('rows') || draft.has('text')) continue;
    draft.delete(name);
    const list = typeof given.value === 'string' ? jsonOf(given.value) : given.value;
    if (Array.isArray(list)) draft.set('rows', { ...given, value: list });
    else draft.set('text', given);
  }
  const text = draft.get('text');
  if (text && Array.isArray(text.value) && !draft.has('rows')) {
    draft.delete('text');
    draft.set('rows', text);
  }
}

/** Saves a result. */
export const SAVE_RESULT: DefinedTool = defineTool({
  name: 'save_result',
  title: 'Save a result',
  readOnly: false,
  destructive: false,
  input: z.object({
    rows: z.array(z.unknown()).optional().describe('Objects by column'),
    text: z.string().optional().describe('Instead of rows: text, CSV or JSON'),
    name: z.string().optional().describe('File name, in results/ unless it has a folder; numbered if taken'),
    format: z.enum(['csv', 'jsonl', 'json', 'xlsx', 'text']).optional(),
  }),
  aliases: {
    content: 'text',
    contents: 'text',
    csv: 'text',
    json: 'text',
    file_name: 'name',
    filename: 'name',
    path: 'name',
    file_path: 'name',
    filepath: 'name',
    output_path: 'name',
    file_format: 'format',
    type: 'format',
    output_format: 'format',
  },
  main: 'text',
  contents: ['text'],
  arrange,
  describe: (names) => {
    const read = anyOf(names, 'read_file', 'search_files');
    return `Saves rows or text as a file and returns its path, columns and a preview.${read === '' ? '' : ` Read the rest with ${read}.`}`;
  },
  run: async ({ rows, text, name, format }, room, { signal, progress }) => {
    if ((rows === undefined) === (text === undefined))
      throw new ReaderError(
        'BAD_INPUT',
        rows === undefined ? 'Neither `rows` nor `text` is given.' : 'Both `rows` and `text` are given.',
        'Pass one of the two.',
      );
    if (room.reader.redactor)
      refusePlaceholders(text ?? JSON.stringify(rows), text === undefined ? 'rows' : 'text');
    const saved = await room.workspace.saveResult(rows ?? resultOf(text ?? '', name, format), {
      ...(name !== undefined && { name }),
      ...(format !== undefined && { format }),
      previewTokens: Math.min(room.workspace.limits.previewTokens, Math.floor(room.budget / 2)),
      signal,
      onProgress: ({ bytes }) => progress({ progress: bytes, unit: 'bytes' }),
    });
    return textAnswer(savedText(saved, room));
  },
});

/** The rows of a JSON array saved in a format of rows; any other text unchanged. */
function resultOf(text: string, name: string | undefined, format: SaveOptions['format']): unknown {
  const ending = /\.(csv|jsonl|ndjson|xlsx)$/i.exec(name ?? '')?.[1]?.toLowerCase();
  const target = format ?? ending;
  if (target === undefined || target === 'text' || target === 'json') return text;
  const value = jsonOf(text);
  return Array.isArray(value) ? value : text;
}

function savedText(saved: SavedResult, { budget, count }: ToolRoom): string {
  const { path, bytes, format, rows, columns, preview, notes } = saved;
  const counted = rows === null ? '' : `${plural(rows, 'row')}, `;
  const names = columns
    ?.slice(0, MAX_COLUMNS)
    .map(({ name, type, nulls }) => `${oneLine(name)} ${type}${nulls > 0 ? ` (${nulls} empty)` : ''}`);
  const more = columns && columns.length > MAX_COLUMNS ? ` and ${columns.length - MAX_COLUMNS} more` : '';
  const head = `Saved ${named(path)}: ${counted}${plural(bytes, 'byte')}, ${format}.\n`;
  const schema = names && names.length > 0 ? `Columns: ${names.join(', ')}${more}.\n` : '';
  const noted = notes.length > 0 ? `${notesText(notes)}\n` : '';
  const whole = `${head}${noted}${schema}${preview === '' ? '' : `Preview:\n${preview}`}`;
  // The path first, then the columns, then their contents.
  return (
    [whole, `${head}${noted}${schema}`, `${head}${noted}`, head].find((text) => count(text) <= budget) ??
    cutToBudget(head, budget, count)
  );
}
