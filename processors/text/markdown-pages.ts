// Shows Markdown: its lines, or one of its tables by number.

import {
  type ProcessContext,
  ReaderError,
  type Source,
  type TextPart,
  type TextSource,
} from '../../src/contract/index.ts';
import { linePages } from './lines.ts';
import { Headings } from './markdown-outline.ts';
import { lineStarts } from './text-lines.ts';

/** A text by pages of lines, or one of its tables. */
export async function* markdownPages(source: Source, context: ProcessContext): AsyncGenerator<TextPart> {
  const { table, rows, columns, format } = context.selection;
  if (table !== undefined) {
    const { noTable, tableOf, tableParts } = await import('../../src/table/index.ts');
    const { found, count } = await tableRows(await context.text(source), table, context);
    if (!found) throw noTable(table, count);
    yield* tableParts(tableOf(found), context);
    return;
  }
  if (rows ?? columns)
    throw new ReaderError(
      'BAD_INPUT',
      '`rows` and `columns` select parts of a table, and no table is named.',
      'Pass `table`, such as `"1"`, with them.',
    );
  if (format === 'csv' || format === 'json')
    context.warn({
      code: 'IGNORED_FIELD',
      message: `\`format\` \`${format}\` has no effect without \`table\`.`,
    });
  yield* linePages(source, context);
}

/** The rows of table `wanted`, its header first; without such a table, the number of tables. */
async function tableRows(
  text: TextSource,
  wanted: number,
  context: ProcessContext,
): Promise<{ readonly found?: readonly string[][]; readonly count: number }> {
  const headings = new Headings();
  let rows: string[][] | undefined;
  let before = '';
  for await (const lines of lineStarts(text, context, context.limits.maxBytesInMemory))
    for (const line of lines) {
      if (rows) {
        // A table ends at a blank line or where another block begins (GFM 4.10).
        if (line.trim() === '' || /^ {0,3}(?:>|#{1,6}(?:[ \t]|$)|`{3}|~{3})/.test(line))
          return { found: rows, count: wanted };
        rows.push(cellsOf(line));
        continue;
      }
      headings.add(line);
      if (headings.tables === wanted) rows = [cellsOf(before)];
      before = line;
    }
  return { ...(rows && { found: rows }), count: headings.tables };
}

/** The cells of a row, without the pipes at its ends; `\|` is a pipe. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const line = row.trim().replace(/^\|/, '');
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === '|') {
      cells.push(cell.trim());
      cell = '';
    } else if (char === '\\' && line[at + 1] === '|') {
      cell += '|';
      at += 1;
    } else cell += char;
  }
  if (cell.trim() !== '' || !line.endsWith('|')) cells.push(cell.trim());
  return cells;
}
