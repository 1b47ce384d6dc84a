// Converts one PDF page to Markdown blocks, given its ink and the document's profile. Pure: the same ink and profile
// give the same blocks.

import type { OutlineEntry } from '../../document.ts';
import { paragraphBlock } from '../../markdown/index.ts';
import type { Glyph, Ink } from '../ink/ink.ts';
import { blocksOf } from './blocks.ts';
import { isStamp, partFurniture } from './furniture.ts';
import { plainOf } from './inline.ts';
import { linesOf } from './line.ts';
import { type PlacedTable, pageLines, pageRows } from './page.ts';
import { paragraphsOf } from './paragraphs.ts';
import { pictureBlocks } from './pictures.ts';
import type { Profile } from './profile.ts';
import type { Row } from './rows.ts';
import type { LaidBlock, PlacedBlock } from './words.ts';

const MAX_OBJECTS = 200;

/**
 * The blocks of one page in reading order.
 *
 * @param tables the tables `findTables` found on this page, already written; their glyphs appear in no other block
 * @param outline the entries of the document's outline that lead to this page
 */
export function layOut(
  ink: Ink,
  profile: Profile,
  tables: readonly PlacedTable[],
  outline: readonly OutlineEntry[] = [],
): LaidBlock[] {
  const withheld: ReadonlySet<Glyph>[] = tables.map((table) => table.glyphs);
  const rows = pageRows(ink, withheld);
  const judged = { rows, page: ink.page, ink, tables: tables.map(({ box }) => box) };
  const { body, shown } = partFurniture(judged, profile.furniture);
  const objects: PlacedBlock[] = [
    ...tables.slice(0, MAX_OBJECTS).map((table) => ({ ...table.box, block: table.block })),
    ...pictureBlocks(ink),
  ];
  const upright = rows.angle === 0;
  const lines = pageLines(body, upright ? objects : [], ink);
  const main = blocksOf(paragraphsOf(lines, profile), ink, profile, outline);
  const blocks: LaidBlock[] = upright ? main : main.map(({ block }) => ({ block }));
  if (!upright) for (const object of objects) blocks.push({ block: object.block, box: object });
  for (const turned of rows.turned) {
    const rest = turned.rows.filter((row) => !isStamp(row, turned, profile.furniture, ink.page));
    const stamps = paragraphsOf(linesOf(rest, 0, ink.fonts, new Set()), profile);
    for (const { block } of blocksOf(stamps, ink, profile, [])) blocks.push({ block });
  }
  for (const one of plainRows(shown, ink, profile)) blocks.push(upright ? one : { block: one.block });
  return blocks;
}

/** The heads and feet this page shows: plain paragraphs, never headings or lists. */
function plainRows(rows: readonly Row[], ink: Ink, profile: Profile): LaidBlock[] {
  return linesOf(rows, 0, ink.fonts, new Set())
    .map((line) => ({ block: paragraphBlock(plainOf([line], profile)), box: line }))
    .filter(({ block }) => block !== '');
}
