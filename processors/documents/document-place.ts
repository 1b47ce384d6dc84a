// Finds a place of a document by what it is: a section by its heading, a table by its number, a comment by its mark.
// Converts only as many pages as it has to look at.

import {
  type ProcessContext,
  plural,
  quoted,
  ReaderError,
  throwIfAborted,
} from '../../src/contract/index.ts';
import {
  type Block,
  type Heading,
  type Inline,
  noHeading,
  noteMark,
  rankedBy,
  SURE,
  type Table,
  textsIn,
  titleOf,
} from '../../src/document/index.ts';
import { noTable } from '../../src/table/index.ts';
import type { KeptDocument } from './kept-document.ts';

/** A block by the number of its section and its place among the section's blocks, from 0. */
export interface BlockPlace {
  readonly section: number;
  readonly block: number;
}

/** From `from` to before `to`; to the end of the document without it. */
export interface BlockRange {
  readonly from: BlockPlace;
  readonly to?: BlockPlace;
}

interface PlacedBlock extends BlockPlace {
  readonly content: Block;
}

async function* blocksOf(
  document: KeptDocument,
  numbers: readonly number[],
  { signal }: ProcessContext,
): AsyncGenerator<PlacedBlock> {
  for (const section of numbers) {
    throwIfAborted(signal);
    for (const [block, content] of (await document.section(section)).blocks.entries())
      yield { section, block, content };
  }
}

const bad = (message: string, hint: string): ReaderError => new ReaderError('BAD_INPUT', message, hint);

/** The table with that number. @throws {ReaderError} BAD_INPUT if there are fewer */
export async function tableAt(
  document: KeptDocument,
  numbers: readonly number[],
  wanted: number,
  context: ProcessContext,
): Promise<Table & BlockPlace> {
  let count = 0;
  for await (const { content, ...place } of blocksOf(document, numbers, context)) {
    if (content.kind !== 'table') continue;
    count += 1;
    if (count < wanted) continue;
    return { ...content, ...place };
  }
  throw noTable(wanted, count);
}

/**
 * The section under the heading that `asked` names, up to the next heading of its level. Looks at all of `numbers`,
 * unless a heading has exactly these words or this number. @throws {ReaderError} BAD_INPUT if no heading does
 */
export async function sectionAt(
  document: KeptDocument,
  numbers: readonly number[],
  asked: string,
  context: ProcessContext,
): Promise<BlockRange> {
  const rankOf = rankedBy(asked);
  const titles: string[] = [];
  let page: BlockPlace | undefined;
  let best: { readonly rank: number; readonly heading: Heading; readonly range: BlockRange } | undefined;
  for await (const { content, ...place } of blocksOf(document, numbers, context)) {
    if (content.kind === 'page') page = place;
    if (content.kind !== 'heading') continue;
    const title = titleOf(content.text);
    titles.push(title);
    if (best && !best.range.to && content.level <= best.heading.level) {
      // The mark of a page belongs to what follows.
      const to = page?.section === place.section && page.block === place.block - 1 ? page : place;
      best = { ...best, range: { ...best.range, to } };
      if (best.rank <= SURE) return best.range;
    }
    const rank = rankOf(title);
    if (rank !== undefined && rank < (best?.rank ?? Number.POSITIVE_INFINITY))
      best = { rank, heading: content, range: { from: place } };
  }
  if (best) return best.range;
  throw noHeading(asked, titles);
}

/** The blocks that a comment stands on, and the comment. @throws {ReaderError} BAD_INPUT */
export async function commentAt(
  document: KeptDocument,
  numbers: readonly number[],
  asked: string,
  context: ProcessContext,
): Promise<readonly BlockRange[]> {
  const isMark = /^c/i.test(asked);
  let count = 0;
  // Comments follow the text of their section.
  let above: PlacedBlock[] = [];
  for await (const placed of blocksOf(document, numbers, context)) {
    if (above[0]?.section !== placed.section) above = [];
    above.push(placed);
    const { content } = placed;
    if (content.kind !== 'comment') continue;
    count += 1;
    if (isMark ? content.mark !== asked.toLowerCase() : String(count) !== asked) continue;
    const reference = noteMark(content.mark);
    return [...above.filter((one) => one !== placed && refersTo(one.content, reference)), placed].map(
      ({ section, block }) => ({ from: { section, block }, to: { section, block: block + 1 } }),
    );
  }
  throw bad(
    `\`comment\` is ${quoted(asked)}, but the document has ${plural(count, 'comment')}.`,
    count === 0 ? 'Omit `comment`.' : `Use a number from 1 to ${count}, or a mark such as "c1".`,
  );
}

const refersTo = (block: Block, reference: Inline): boolean =>
  textsIn(block).some((text) => text.includes(reference));
