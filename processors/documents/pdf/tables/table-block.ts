// Turns a table found on a page as a block.

import { type Block, tableBlock as pipeTable } from '../../../../src/document/index.ts';
import { cellOf, type InlineContext } from '../layout/inline.ts';
import type { Table } from './table.ts';

/** The table as a GFM pipe table; the text of a merged cell is in the first cell it covers. */
export function tableBlock(table: Table, context: Omit<InlineContext, 'notes'>): Block {
  const rows = table.rows.map((cells) => {
    const texts = Array.from({ length: table.columns }, () => '');
    for (const { column, lines } of cells) texts[column] = cellOf(lines, context);
    return texts;
  });
  return pipeTable(rows);
}
