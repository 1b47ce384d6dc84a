// Pages of what a shorter view left out: the file's own text, each piece below a line that names the place. A language
// says where a piece may end, and how places are named.

import { type Budget, type Extent, type Next, safeCut, type TextPart } from '../../src/contract/index.ts';
import type { Gap } from './elision.ts';

/** A place in a gap; more of it is the language's own. */
export interface Place {
  readonly offset: number;
}

/** What a language knows of a walk over gaps. Offsets are in units of its own. */
export interface Walk<P extends Place> {
  start(gap: Gap): P;
  /** About `most` UTF-16 units from `place` on, or what the gap has. */
  read(gap: Gap, place: P, most: number): string | Promise<string>;
  /** The line above a piece that starts at `place`; `''` for none. */
  heading(gap: Gap, place: P): string;
  /** Where a piece of `text` ends, which has at most `fits` units. */
  end(gap: Gap, place: P, text: string, fits: number): number | Promise<number>;
  /** The place after `text`, which is at `place`. */
  after(gap: Gap, place: P, text: string): P | Promise<P>;
  shown(gap: Gap, from: P, to: P): readonly Extent[];
  /** How to continue at `place`, which is in the first of the `gaps` left. */
  next(gaps: readonly Gap[], place: P): Next;
}

/** Maximum share of the remaining budget for a heading. */
const HEADING_SHARE = 0.25;

export interface PageOptions {
  readonly budget: Budget;
  /** Leaves out the headings. */
  readonly plain: boolean;
  /** Where the answer ends, but not the walk. */
  readonly stop?: number | undefined;
}

/** Yields pieces of `gaps` from `place` on, one for each gap, as many as fit the budget. */
export async function* gapPages<P extends Place>(
  walk: Walk<P>,
  gaps: readonly Gap[],
  place: P,
  { budget, plain, stop = Number.POSITIVE_INFINITY }: PageOptions,
): AsyncGenerator<TextPart> {
  let tokens = budget.tokensBesideNotes;
  let characters = budget.charactersBesideNotes;
  let from = place;
  for (const [index, whole] of gaps.entries()) {
    const gap = { ...whole, to: Math.min(whole.to, stop) };
    if (whole.to <= from.offset) continue;
    if (from.offset < gap.from) from = walk.start(gap);
    while (from.offset < gap.to) {
      const heading = plain ? '' : walk.heading(gap, from);
      const cost = budget.count(heading);
      const headed = cost <= tokens * HEADING_SHARE && heading.length <= characters * HEADING_SHARE;
      // Without its heading, a piece would read as the end of the one before.
      if (!headed && tokens < budget.tokensBesideNotes) return;
      const share = tokens - (headed ? cost : 0);
      const room = characters - (headed ? heading.length : 0);
      const rest = await walk.read(gap, from, room);
      const end = (fits: number): number | Promise<number> => walk.end(gap, from, rest, fits);
      // Reserve room for a line end unless that leaves none for the text.
      const beside = await cutAt(rest, share - 1, room - 1, budget, end);
      const text = rest.slice(0, beside > 0 ? beside : await cutAt(rest, share, room, budget, end));
      if (text === '') return;
      const after = await walk.after(gap, from, text);
      const ended = text.endsWith('\n') || beside === 0;
      const view = `${headed ? heading : ''}${text}${ended ? '' : '\n'}`;
      const left = gaps.slice(after.offset < whole.to ? index : index + 1);
      const [first] = left;
      yield {
        kind: 'text',
        text,
        ...(view !== text && { view }),
        shown: walk.shown(whole, from, after),
        ...(first && { next: walk.next(left, first === whole ? after : walk.start(first)) }),
      };
      from = after;
      if (from.offset >= stop || (from.offset < gap.to && tokens < Number.POSITIVE_INFINITY)) return;
      tokens -= budget.count(view);
      characters -= view.length;
    }
  }
}

/** How much of `text` to take within a budget. */
async function cutAt(
  text: string,
  tokens: number,
  characters: number,
  budget: Budget,
  end: (fits: number) => number | Promise<number>,
): Promise<number> {
  if (tokens < 1 || characters < 1) return 0;
  const most = text.length <= characters ? text : text.slice(0, safeCut(text, characters));
  const fits = budget.fits(most, tokens, characters) ? most.length : budget.prefix(most, tokens);
  return fits === 0 ? 0 : end(fits);
}

/** The end of the last line in the first `fits` units of `text`; all of them if there is none. */
export function lineEnd(text: string, fits: number): number {
  if (fits === text.length) return fits;
  const line = text.lastIndexOf('\n', fits - 1);
  return line >= 0 ? line + 1 : safeCut(text, fits);
}
