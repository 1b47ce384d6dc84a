// GFM pipe tables, never padded: the columns of a wide table would cost more spaces than text.

/** How a table is written. */
export interface TableOptions {
  /** The first row is the header. Without, an empty header stands above, since GFM has no table without one. Default true. */
  readonly header?: boolean;
}

/** Above this many cells short rows are not filled up; GFM reads missing cells as empty. */
const MAX_FILLED_CELLS = 1_000_000;

/** Inline Markdown as a table's cell: bars escaped, line breaks as `<br>`. */
export function escapeCell(markdown: string): string {
  let lines = markdown.trim();
  if (lines.includes('\n'))
    lines = lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('<br>');
  if (!lines.includes('|')) return lines;
  // A bar that has its backslash already keeps it; two backslashes are a backslash, and the bar after them is bare.
  return lines.replace(/\\.|\|/g, (mark) => (mark === '|' ? '\\|' : mark));
}

/**
 * A table as one block, empty without rows. Cells are inline Markdown (`escapeText`, `writeRuns`) and may hold line
 * breaks; rows may differ in length.
 */
export function tableBlock(rows: readonly (readonly string[])[], options: TableOptions = {}): string {
  let columns = 0;
  for (const row of rows) columns = Math.max(columns, row.length);
  if (columns === 0) return '';
  const filled = columns * rows.length <= MAX_FILLED_CELLS;
  const lines: string[] = [];
  const rule = `|${' --- |'.repeat(columns)}\n`;
  if (options.header === false) lines.push(`|${'  |'.repeat(columns)}\n`, rule);
  for (const row of rows) {
    let line = '|';
    for (const cell of row) line += ` ${escapeCell(cell)} |`;
    const short = columns - row.length;
    lines.push(short > 0 && (filled || lines.length === 0) ? `${line}${'  |'.repeat(short)}\n` : `${line}\n`);
    if (lines.length === 1) lines.push(rule);
  }
  return lines.join('');
}
