// Tables that the tags of a page name: taken where the ink agrees, ignored where it does not.

import { describe, expect, it } from 'vitest';
import type { Glyph, StructureNode } from '../../../../processors/documents/pdf/ink/ink.ts';
import { inkOf } from './layout-ink.ts';
import { columns, lines, pipes, typed, written } from './tables-ink.ts';

interface Content {
  readonly glyphs: readonly Glyph[];
  readonly role?: 'TD' | 'TH';
}

const cell = (
  texts: string | readonly string[],
  x: number,
  y: number,
  role: 'TD' | 'TH' = 'TD',
): Content => ({
  glyphs: typeof texts === 'string' ? typed(texts, x, y) : lines(texts, x, y),
  role,
});

/** A page with one tagged table; each cell is marked content of its own. */
function tagged(rows: readonly (readonly Content[])[], others: readonly Glyph[] = []) {
  let id = 0;
  const glyphs: Glyph[] = [];
  const children = rows.map((row): StructureNode => {
    const cells = row.map((content): StructureNode => {
      const mcid = id++;
      for (const glyph of content.glyphs) glyphs.push({ ...glyph, mcid });
      return { role: content.role ?? 'TD', children: [{ role: 'NonStruct', children: [mcid] }] };
    });
    return { role: 'TR', children: cells };
  });
  const table: StructureNode = { role: 'Table', children: [{ role: 'TBody', children }] };
  const structure: StructureNode = { role: 'Root', children: [{ role: 'Document', children: [table] }] };
  return inkOf([...glyphs, ...others], { structure });
}

const HEAD = [
  cell('Name', 60, 100, 'TH'),
  cell('Description', 160, 100, 'TH'),
  cell('Price', 300, 100, 'TH'),
];
const WRAPPED = [
  HEAD,
  // In the middle of its row, which only the tags show.
  [cell('Alpha', 60, 126), cell(['A long text', 'that wraps', 'twice'], 160, 114), cell('12.50', 300, 126)],
  // An empty cell that the program left out of the tags.
  [cell('Beta', 60, 154), cell('8.00', 300, 154)],
  [cell('Gamma', 60, 172), cell('Short', 160, 172)],
];

describe('tagged tables', () => {
  it('keep wrapped cells together and leave empty ones empty', () => {
    expect(written(tagged(WRAPPED))).toEqual([
      pipes([
        ['Name', 'Description', 'Price'],
        ['Alpha', 'A long text that wraps twice', '12.50'],
        ['Beta', '', '8.00'],
        ['Gamma', 'Short', ''],
      ]),
    ]);
  });

  it('place a cell that spans columns where it begins', () => {
    const total = [cell('Total of all the items named', 60, 190), cell('20.50', 300, 190)];
    expect(written(tagged([...WRAPPED, total]))[0]).toContain('| Total of all the items named |  | 20.50 |');
  });

  it.each([
    ['rows that stand beside each other', [HEAD, [cell('a', 60, 100), cell('b', 160, 112)]], []],
    [
      'columns that reach into each other',
      [HEAD, [cell('Alpha reaches far to the right', 60, 114), cell('b', 160, 114), cell('c', 300, 114)]],
      [],
    ],
    [
      'text between the cells that is not theirs',
      WRAPPED,
      lines(['other words stand', 'here, in between'], 210, 140),
    ],
    ['one column', [[cell('a', 60, 100)], [cell('b', 60, 112)]], []],
    ['one row', [HEAD], []],
  ])('are ignored with %s', (_, rows, others) => {
    const plain = { ...tagged(rows, others), structure: undefined };
    const { structure: _structure, ...untagged } = plain;
    expect(written(tagged(rows, others))).toEqual(written(untagged));
  });

  it('are ignored when they lay out the paragraphs of a page', () => {
    const text = Array.from({ length: 12 }, () => 'the water of the canal stands higher');
    const rows = [0, 200].map((y) => [cell(text, 60, 100 + y), cell(text, 320, 100 + y)]);
    expect(written(tagged(rows))).toEqual([]);
  });

  it('are ignored when one cell holds the text of the page', () => {
    const text = Array.from({ length: 20 }, () => 'the water of the canal stands higher');
    const rows = [
      [cell(['Menu', 'item one', 'item two'], 60, 100), cell(text, 320, 100)],
      [cell('Foot', 60, 360), cell('of the page', 320, 360)],
    ];
    expect(written(tagged(rows))).toEqual([]);
  });

  it('end soon for tags that nest without end', () => {
    let node: StructureNode = { role: 'TR', children: [0] };
    for (let depth = 0; depth < 1000; depth += 1) node = { role: 'Table', children: [node, node] };
    const rows = [
      ['Gauge', 'Low', 'High'],
      ['Upper lock', '1.20', '3.75'],
      ['Lower lock', '0.95', '3.10'],
      ['Weir', '1.05', '2.80'],
      ['Harbour', '2.10', '4.40'],
    ];
    const ink = inkOf(columns(rows, [60, 200, 300], 112), { structure: { role: 'Root', children: [node] } });
    expect(written(ink)).toEqual([pipes(rows)]);
  });
});
