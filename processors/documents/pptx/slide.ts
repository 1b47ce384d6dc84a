// One slide as blocks: its title, then its shapes in reading order. `remarks.ts` handles speaker notes and
// comments.

import type { Warning } from '../../../src/contract/index.ts';
import { type Block, headingBlock, isEmpty, linesBlock } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { Rectangle, SectionLayout } from '../document.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';
import { type Box, inReadingOrder } from '../slide-order.ts';
import { Frame } from './box.ts';
import type { Layout } from './layout.ts';
import { SlideWalk } from './slide-walk.ts';

/** A block, and the box of its shape if it states one. */
export interface SlideBlock {
  readonly block: Block;
  readonly box?: Box | undefined;
}

/** The content of a slide. */
export interface SlideContent {
  readonly title: SlideBlock;
  /** Without the title. */
  readonly blocks: readonly SlideBlock[];
  /** Text of its footer and date placeholders. */
  readonly footers: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Reads the slide with root `slide`. `relations` are the slide part's. */
export async function readSlide(
  slide: XmlElement,
  layout: Layout,
  relations: ReadonlyMap<string, Relationship>,
  pack: OoxmlPackage,
  signal: AbortSignal,
): Promise<SlideContent> {
  const walk = new SlideWalk(layout, relations, pack, signal);
  const tree = slide.at('cSld', 'spTree');
  const items = tree ? await walk.items(tree, Frame.SLIDE, 0) : [];
  const blocks = inReadingOrder(items).flatMap(({ blocks, box }) => blocks.map((block) => ({ block, box })));
  const title = { block: headingBlock(2, walk.title), box: walk.titleBox };
  return { title, blocks, footers: walk.footers, warnings: walk.warnings() };
}

/** English Metric Units in a tenth of a point. */
const UNITS = 1270;
const tenths = (units: number): number => Math.round(units / UNITS) / 10;

/** The positions of a slide's blocks; `size` in English Metric Units. */
export function layoutOf(
  blocks: readonly SlideBlock[],
  { width, height }: { readonly width: number; readonly height: number },
): SectionLayout {
  const boxes = blocks.map(({ box }): Rectangle | null =>
    box ? [tenths(box.x), tenths(box.y), tenths(box.x + box.width), tenths(box.y + box.height)] : null,
  );
  return { width: tenths(width), height: tenths(height), boxes };
}

/** A slide's blocks from its content. */
export function slideBlocks(hidden: boolean, { title, ...content }: SlideContent): SlideBlock[] {
  const blocks: SlideBlock[] = [];
  if (!isEmpty(title.block)) blocks.push(title);
  if (hidden) blocks.push({ block: linesBlock('(hidden slide)') });
  return [...blocks, ...content.blocks];
}
