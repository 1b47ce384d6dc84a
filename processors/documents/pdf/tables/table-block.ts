// Turns a table found on a page as a block.

import { type Block, cleanText, tableBlock as pipeTable } from '../../../../src/document/index.ts';
import { joinWords } from '../layout/words.ts';
import type { Line } from './lines.ts';
import type { Table } from './table.ts';

/** The table as a GFM pipe table; the text of a merged cell is in the first cell it covers. */
export function tableBlock(table: Table): Block {
  const rows = table.rows.map((cells) => {
    const texts = Array.from({ length: table.columns }, () => '');
    for (const cell of cells) texts[cell.column] = cleanText(cellText(cell.lines));
    return texts;
  });
  return pipeTable(rows);
}

/** The text of a cell's lines, joined, with hyphenated words rejoined. */
export function cellText(lines: readonly Line[]): string {
  let text = '';
  for (const line of lines) {
    const next = joinWords(line.words);
    if (text === '') text = next;
    else if (/\p{L}[\u00AD]$/u.test(text)) text = text.slice(0, -1) + next;
    else if (/\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)) text = text.slice(0, -1) + next;
    else if (/[\p{L}\d][-\u2010/]$/u.test(text)) text += next;
    else text += ` ${next}`;
  }
  return text;
}
