// One slide as Markdown blocks: its title, then its shapes in reading order. Speaker notes and comments are `remarks.ts`.

import type { Warning } from '../../../src/contract/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { Block } from '../document.ts';
import { headingBlock } from '../markdown/index.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';
import { inReadingOrder } from '../slide-order.ts';
import { Frame } from './box.ts';
import type { Layout } from './layout.ts';
import { SlideWalk } from './slide-walk.ts';

/** What is on a slide. */
export interface SlideContent {
  readonly title: string;
  /** Without the title. */
  readonly blocks: readonly Block[];
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
  const blocks = inReadingOrder(items).flatMap((item) => item.blocks);
  return { title: walk.title, blocks, footers: walk.footers, warnings: walk.warnings() };
}

/** A slide's blocks from what is on it. */
export function slideBlocks(hidden: boolean, content: SlideContent): Block[] {
  const blocks: Block[] = [];
  const title = headingBlock(2, content.title);
  if (title !== '') blocks.push(title);
  if (hidden) blocks.push('(hidden slide)\n');
  return [...blocks, ...content.blocks];
}
