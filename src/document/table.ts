// GFM pipe tables without padding: aligning a wide table would cost more spaces than text.

import type { Inline } from './inline.ts';

/** With more cells, short rows are not filled up; GFM treats missing cells as empty. */
const MAX_FILLED_CELLS = 1_000_000;

/** Inline Markdown as a table cell: pipes escaped, line breaks as `<br>`. */
export function escapeCell(markdown: string): string {
  let lines = markdown.trim();
  if (lines.includes('\n'))
    lines = lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('<br>');
  if (!lines.includes('|')) return lines;
  // A pipe that is already escaped stays so; after two backslashes it is not escaped.
  return lines.replace(/\\.|\|/g, (mark) => (mark === '|' ? '\\|' : mark));
}

/** A table, `''` without columns; the first row is the header. `write`: a cell's content on one line. */
export function tableMarkdown(
  rows: readonly (readonly Inline[])[],
  write: (content: Inline) => string,
): string {
  let columns = 0;
  for (const row of rows) columns = Math.max(columns, row.length);
  if (columns === 0) return '';
  const filled = columns * rows.length <= MAX_FILLED_CELLS;
  const lines: string[] = [];
  const rule = `|${' --- |'.repeat(columns)}\n`;
  for (const row of rows) {
    let line = '|';
    for (const cell of row) line += ` ${write(cell)} |`;
    const short = columns - row.length;
    lines.push(short > 0 && (filled || lines.length === 0) ? `${line}${'  |'.repeat(short)}\n` : `${line}\n`);
    if (lines.length === 1) lines.push(rule);
  }
  return lines.join('');
}

/**
 * A table inside a cell, where a block is not possible: a line for each row, with its cells in their places. Empty
 * columns are dropped; a table inside one of the cells is in parentheses.
 */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const filled: boolean[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) if (cell.trim() !== '') filled[at] = true;
  const lines: string[] = [];
  for (const row of rows) {
    const cells = row.filter((_, at) => filled[at] === true).map(onOneLine);
    while (cells.at(-1) === '') cells.pop();
    if (cells.length > 0) lines.push(cells.join(SEPARATOR));
  }
  return lines;
}

const SEPARATOR = ' / ';

function onOneLine(cell: string): string {
  const lines = cell.split('\n').map((line) => line.trim());
  const text = lines.filter((line) => line !== '');
  return text.length > 1 && text.some((line) => line.includes(SEPARATOR))
    ? `(${text.join('; ')})`
    : text.join(' ');
}
