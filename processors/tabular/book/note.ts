// Lines below a sheet's table: what the sheet holds besides its cells, as many items as there is room for.

import { largestFitting, oneLine } from '../../../src/contract/index.ts';
import { cutCell } from '../../../src/table/index.ts';

/** A line of items of one kind. */
export interface Note {
  readonly title: string;
  /** Most useful first. */
  readonly items: readonly string[];
  /** Their number, if not all are among `items`. */
  readonly count?: number;
  /** It tells about cells that are shown themselves, and is left out first. */
  readonly isAside?: true;
}

/** A shorter piece of an item is not worth its line. */
const LEAST_LENGTH = 40;

/** The note with its first `shown` items. */
export function noteLine(note: Note, shown: number = note.items.length): string {
  const { title, items, count = items.length } = note;
  const share = shown < count ? ` (${shown} of ${count})` : '';
  const flat = items
    .slice(0, shown)
    .join('; ')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return `${title}${share}: ${oneLine(flat)}`;
}

/** The longest line for a note that `fits`, if one does. What it leaves out is in its count. */
export function fittedLine(note: Note, fits: (line: string) => boolean): string | undefined {
  const most = longest(note.items.length, (shown) => fits(noteLine(note, shown)));
  if (most > 0) return noteLine(note, most);
  const [first = ''] = note.items;
  const { title, items, count = items.length } = note;
  const cut = (length: number): string =>
    noteLine({ title: `${title} (cut)`, items: [cutCell(first, length)], count });
  const length = longest(first.length, (end) => fits(cut(end)));
  return length < LEAST_LENGTH ? undefined : cut(length);
}

/** The largest number up to `most` that `fits`; often all of it. */
const longest = (most: number, fits: (size: number) => boolean): number =>
  most > 0 && fits(most) ? most : largestFitting(most - 1, fits);
