// Turns a table found on a page as a block.

import { type Block, cleanText, tableBlock as pipeTable } from '../../../../src/document/index.ts';
import { plainOf } from '../layout/inline.ts';
import type { Profile } from '../layout/profile.ts';
import { joinWords } from '../layout/words.ts';
import type { Table } from './table.ts';

/** The table as a GFM pipe table; the text of a merged cell is in the first cell it covers. */
export function tableBlock(table: Table, profile: Profile): Block {
  const rows = table.rows.map((cells) => {
    const texts = Array.from({ length: table.columns }, () => '');
    for (const { column, lines } of cells) {
      const plain = lines.map((line) => ({ text: joinWords(line.words) }));
      texts[column] = cleanText(plainOf(plain, profile));
    }
    return texts;
  });
  return pipeTable(rows);
}
