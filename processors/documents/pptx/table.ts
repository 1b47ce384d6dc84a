// A table on a slide (DrawingML, ECMA-376 part 1, 21.1.3) as rows of inline Markdown.

import { type Block, tableBlock } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { cellText, paragraphsOf, type TextContext } from './text.ts';

const MAX_COLUMNS = 1000;
const MAX_CELLS = 1_000_000;
/** Maximum characters repeated by the merged cells of one table. */
const MAX_REPEATED = 1_000_000;

/** The table as one block. A merged cell's text is repeated in every cell it spans, at most 1000 columns. */
export function slideTable(table: XmlElement, context: TextContext): Block {
  const rows: string[][] = [];
  let cells = 0;
  let room = MAX_REPEATED;
  const again = (text: string): string => {
    room -= text.length;
    return room < 0 ? '' : text;
  };
  for (const tr of table.elements('tr')) {
    const row: string[] = [];
    for (const tc of tr.elements('tc')) {
      if (row.length >= MAX_COLUMNS || cells >= MAX_CELLS) break;
      cells += 1;
      // Cells covered by a merge exist, and state only the direction of the merge.
      const above = rows.at(-1)?.[row.length];
      if (isOn(tc.get('hMerge')) && row.length > 0) row.push(again(row.at(-1) ?? ''));
      else if (isOn(tc.get('vMerge')) && above !== undefined) row.push(again(above));
      else {
        const body = tc.child('txBody');
        row.push(body ? cellText(paragraphsOf(body, [], context)) : '');
      }
    }
    rows.push(row);
  }
  if (rows.every((row) => row.every((cell) => cell === ''))) return tableBlock([]);
  return tableBlock(rows);
}

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';
