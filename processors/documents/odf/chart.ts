// A chart of an OpenDocument (ODF 1.3 part 3, 11), shown as its data table.

import type { XmlElement } from '../../../src/package/index.ts';
import { escapeText } from '../markdown/index.ts';
import { type RepeatRoom, tableRows } from './table.ts';

/** Its title as plain text; `''` without one. */
export function chartTitle(root: XmlElement): string {
  for (const chart of root.descendants('chart'))
    for (const element of chart.elements('title')) return element.text().replace(/\s+/g, ' ').trim();
  return '';
}

/** Its data: a header row of series, then one row per category. */
export function chartRows(table: XmlElement, room: RepeatRoom): string[][] {
  const rows = tableRows(table, (cell) => escapeText(cellText(cell)), room);
  // The first header cell and missing values are stored as NaN.
  return rows.map((row) => row.map((cell) => (cell === 'NaN' ? '' : cell)));
}

function cellText(cell: XmlElement): string {
  const shown = cell.elements('p').map((p) => p.text().trim());
  return shown.length > 0 ? shown.join(' ') : (cell.get('value') ?? '');
}
