// A chart of an OpenDocument (ODF 1.3 part 3, 11) by the table that it keeps of its data.

import type { XmlElement } from '../../../src/package/index.ts';
import { escapeText } from '../markdown/index.ts';
import { type RepeatRoom, tableRows } from './table.ts';

/** Its title as plain text; empty without one. */
export function chartTitle(root: XmlElement): string {
  for (const chart of root.descendants('chart'))
    for (const element of chart.elements('title')) return element.text().replace(/\s+/g, ' ').trim();
  return '';
}

/** Its data: a header row of series, then a row a category. */
export function chartRows(table: XmlElement, room: RepeatRoom): string[][] {
  const rows = tableRows(table, (cell) => escapeText(cellText(cell)), room);
  // The header's first cell and missing values are written as such.
  return rows.map((row) => row.map((cell) => (cell === 'NaN' ? '' : cell)));
}

function cellText(cell: XmlElement): string {
  const shown = cell.elements('p').map((p) => p.text().trim());
  return shown.length > 0 ? shown.join(' ') : (cell.get('value') ?? '');
}
