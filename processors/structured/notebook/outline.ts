// Notebook cells, one line each: kind and beginning.

import { type OutlineLine, plural, safeCut } from '../../../src/contract/index.ts';
import { kindOf, type Notebook, sourceOf } from './cells.ts';

const MAX_LINE = 120;

/** The number of cells of each kind, then one line per cell, nested under its heading. */
export function* cellsOutline({ cells, language }: Notebook): Generator<OutlineLine> {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(kindOf(cell), (counts.get(kindOf(cell)) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  yield {
    level: 0,
    text: `${plural(cells.length, 'cell')}: ${kinds}${language === '' ? '' : `; language ${language}`}`,
  };
  for (const [index, cell] of cells.entries()) {
    const lines = sourceOf(cell)
      .split('\n')
      .map((line) => line.trim());
    const heading = kindOf(cell) === 'markdown' ? lines.find((line) => /^#{1,6} /.test(line)) : undefined;
    const first = heading ?? lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '';
    const end = safeCut(first, MAX_LINE);
    const level = heading === undefined ? 7 : heading.indexOf(' ');
    const shown = `${first.slice(0, end)}${end < first.length ? '…' : ''}`;
    yield { level, text: `${index + 1} ${kindOf(cell)}: ${shown}`.trimEnd() };
  }
}
