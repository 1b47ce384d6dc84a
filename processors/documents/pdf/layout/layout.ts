// Converts one PDF page to blocks, given its ink and the document's profile. Pure: the same ink and profile
// give the same blocks.

import { cleanText, paragraphBlock } from '../../../../src/document/index.ts';
import type { OutlineEntry } from '../../document.ts';
import type { Ink } from '../ink/ink.ts';
import { blocksOf } from './blocks.ts';
import { plainOf } from './inline.ts';
import { linesOf } from './line.ts';
import { type PlacedTable, pageLines, pageRows } from './page.ts';
import { paragraphsOf } from './paragraphs.ts';
import { pictureBlocks } from './pictures.ts';
import type { Profile } from './profile.ts';
import { partPage } from './running-text.ts';
import type { LaidBlock, PlacedBlock } from './words.ts';

/** A page in reading order. */
export interface LaidPage {
  readonly blocks: readonly LaidBlock[];
  /** Running text of this and other pages, of which one shows it. */
  readonly repeated: readonly string[];
  /** As printed; left out. */
  readonly pageNumber?: string;
  /** Number of pictures without a mark. */
  readonly unmarked: number;
}

const MAX_OBJECTS = 200;

/**
 * The blocks of one page in reading order.
 *
 * @param found the tables `findTables` found on this page, already written; the glyphs of those that are placed appear in
 * no other block
 * @param outline the entries of the document's outline that lead to this page
 */
export function layOut(
  ink: Ink,
  profile: Profile,
  found: readonly PlacedTable[],
  outline: readonly OutlineEntry[] = [],
): LaidPage {
  const tables = found.slice(0, MAX_OBJECTS);
  const rows = pageRows(
    ink,
    tables.map(({ glyphs }) => glyphs),
  );
  const { body, turned, shown, repeated, pageNumber } = partPage(rows, ink.page, profile.running);
  const { blocks: pictures, unmarked } = pictureBlocks(ink);
  const objects: PlacedBlock[] = [
    ...tables.map((table) => ({ ...table.box, block: table.block })),
    ...pictures,
  ];
  const upright = rows.angle === 0;
  const lines = pageLines(body, upright ? objects : [], ink);
  const main = blocksOf(paragraphsOf(lines, profile), ink, profile, outline);
  const blocks: LaidBlock[] = upright ? main : main.map(({ block }) => ({ block }));
  if (!upright) for (const object of objects) blocks.push({ block: object.block, box: object });
  for (const { rows: others, angle } of turned) {
    const paragraphs = paragraphsOf(linesOf(others, 0, ink.fonts, new Set()), profile);
    // Slanted text is a watermark, however large: never a heading.
    if (angle % 90 === 0)
      for (const { block } of blocksOf(paragraphs, ink, profile, [])) blocks.push({ block });
    else
      for (const { lines: slanted } of paragraphs)
        blocks.push({ block: paragraphBlock(cleanText(plainOf(slanted, profile))) });
  }
  const margins = shown.map(({ place, text, box }) => {
    const block = paragraphBlock(cleanText(`Page ${place}: ${text}`));
    return { place, laid: upright && box ? { block, box } : { block } };
  });
  const at = (head: boolean): LaidBlock[] =>
    margins.filter(({ place }) => (place === 'header') === head).map(({ laid }) => laid);
  return {
    blocks: [...at(true), ...blocks, ...at(false)],
    repeated,
    unmarked,
    ...(pageNumber !== undefined && { pageNumber }),
  };
}
