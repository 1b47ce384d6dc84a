// Slides as sections, whatever their format: title, shapes in reading order, footers where they change, notes, comments.

import { plural, quoted, type Warning } from '../../src/contract/index.ts';
import {
  type Block,
  type Byline,
  commentBlock,
  headingBlock,
  isEmpty,
  linesBlock,
  noteMark,
  paragraphBlock,
} from '../../src/document/index.ts';
import type { Rectangle, Section, SectionLayout } from './document.ts';
import { inRanges } from './number-ranges.ts';
import { type Box, inReadingOrder } from './slide-order.ts';

/** A block, and the box of its shape if it states one. */
interface SlideBlock {
  readonly block: Block;
  readonly box?: Box | undefined;
}

/** A shape, or a group of them. */
export interface SlideItem {
  readonly box: Box | undefined;
  readonly blocks: readonly Block[];
}

/** The content of a slide. */
export interface Slide {
  /** `''` without one. */
  readonly title: string;
  readonly titleBox?: Box | undefined;
  readonly isHidden: boolean;
  /** In file order, without the title. */
  readonly items: readonly SlideItem[];
  /** Its footer and date, and of what its master says. */
  readonly footers: readonly string[];
  /** Of the speaker. */
  readonly notes: readonly Block[];
  /** Comments and the notes of its text. */
  readonly remarks: readonly Block[];
  readonly warnings: readonly Warning[];
}

/** In English Metric Units. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Slide `number`; undefined if it is missing. Footers that the slide `before` has are not repeated. */
export function slideSection(
  number: number,
  slide: Slide | undefined,
  before: readonly string[],
  size?: Size,
): Section {
  if (!slide)
    return {
      blocks: [],
      warnings: [
        { code: 'SKIPPED_CONTENT', message: `Slide ${number} is missing from the file, or damaged.` },
      ],
    };
  const shapes = inReadingOrder(slide.items).flatMap(({ blocks, box }) =>
    blocks.map((block) => ({ block, box })),
  );
  const footers = [...new Set(slide.footers)].filter((footer) => !before.includes(footer));
  const blocks: SlideBlock[] = [
    { block: headingBlock(2, slide.title), box: slide.titleBox },
    ...(slide.isHidden ? [{ block: linesBlock('(hidden slide)') }] : []),
    ...shapes,
    ...footers.map((footer) => ({ block: paragraphBlock(`Slide footer: ${footer}`) })),
    ...(slide.notes.length > 0 ? [{ block: headingBlock(3, 'Notes') }] : []),
    ...[...slide.notes, ...slide.remarks].map((block) => ({ block })),
  ].filter(({ block }) => !isEmpty(block));
  const warnings = slide.warnings.map((one) => ({ ...one, message: `Slide ${number}: ${one.message}` }));
  return {
    blocks: blocks.map(({ block }) => block),
    ...(size && { layout: layoutOf(blocks, size) }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** English Metric Units in a tenth of a point. */
const UNITS = 1270;
const tenths = (units: number): number => Math.round(units / UNITS) / 10;

function layoutOf(blocks: readonly SlideBlock[], { width, height }: Size): SectionLayout {
  const boxes = blocks.map(({ box }): Rectangle | null =>
    box ? [tenths(box.x), tenths(box.y), tenths(box.x + box.width), tenths(box.y + box.height)] : null,
  );
  return { width: tenths(width), height: tenths(height), boxes };
}

/** What is known of all slides: `hidden` are the numbers of those that the show leaves out. */
export const slideFacts = (count: number, hidden: readonly number[]): Record<string, unknown> => ({
  ...(count === 0 && { slides: 0 }),
  ...(hidden.length > 0 && { hiddenSlides: inRanges(hidden) }),
});

export const NO_SLIDES: Warning = { code: 'EMPTY_FILE', message: 'The presentation has no slides.' };

/** The warning about hidden shapes; `sample`: text of one. */
export const hiddenShapes = (count: number, sample: string): Warning => ({
  code: 'HIDDEN_TEXT',
  message: `${plural(count, 'hidden shape')} left out${sample === '' ? '' : `, starting with ${quoted(sample)}`}.`,
});

/** `text`: on one line. */
export interface SlideComment {
  readonly by: Byline;
  readonly text: string;
}

/** The comments of slide `number`, after a line that refers to them. */
export function commentList(comments: readonly SlideComment[], number: number): Block[] {
  if (comments.length === 0) return [];
  const mark = (at: number): string => `c${number}-${at + 1}`;
  return [
    linesBlock(`Comments: ${comments.map((_, at) => noteMark(mark(at))).join(' ')}`),
    ...comments.map(({ by, text }, at) => commentBlock(mark(at), by, [text])),
  ];
}
