// Walks what a view left out, range after range in document order, each byte once. A piece is the file's own text:
// whole child elements if they fit, else the children of an oversized one, else characters.

import type { Budget, Bytes, Next, RequestFields, TextPart } from '../../../src/contract/index.ts';
import type { XmlDocument } from './document.ts';
import { PieceMaker, type Room } from './piece-maker.ts';
import { encodePosition, type Plan, type XmlPosition } from './position.ts';
import type { Cut } from './view.ts';

export interface WalkOptions {
  readonly document: XmlDocument;
  readonly plan: Plan;
  readonly cuts: readonly Cut[];
  readonly budget: Budget;
  /** Ends the response there, but not the walk. */
  readonly stop?: Bytes;
  /** Omits the line above each piece. */
  readonly plain: boolean;
}

/** The position at the start of a range. */
function startOf(cut: Cut): XmlPosition {
  return {
    offset: cut.start,
    anchor: cut.start,
    levels: [{ seen: cut.first - 1, of: cut.of }],
    hidden: 0,
  };
}

/** What follows `place`, as a part's `next`; undefined at the end. */
export function nextAfter(
  plan: Plan,
  cuts: readonly Cut[],
  place: XmlPosition | undefined,
): Next | undefined {
  const offset = place?.offset ?? -1;
  const cut = cuts.find(({ start, end }) => end > start && end > offset);
  if (!cut) return undefined;
  const at = place && offset > cut.start ? place : startOf(cut);
  const position = encodePosition(plan, at);
  const left = cuts.filter(({ start, end }) => end > start && start >= cut.start);
  const request = requestFor(cut, at);
  if (left.length === 1) return { position, ...(request && { request }) };
  // The request covers only the largest gap: the rest of one element.
  const size = ({ start, end }: Cut): Bytes => end - start;
  let skip: RequestFields | undefined;
  for (const other of left.toSorted((a, b) => size(b) - size(a)))
    skip ??= other === cut ? request : requestFor(other, startOf(other));
  return { position, ...(skip && { skip }) };
}

/** The request for the rest of one element, if it can be expressed. */
function requestFor(cut: Cut, place: XmlPosition): RequestFields | undefined {
  const [level, inner] = place.levels;
  if (cut.unit !== 'element' || !level || inner || place.hidden > 0 || place.anchor < place.offset)
    return undefined;
  if (level.seen >= cut.of || cut.path === '' || cut.path.includes('…')) return undefined;
  return { pointer: cut.path, rows: `${level.seen + 1}-${cut.of}` };
}

/** The parts of one response, from `from` on. */
export async function* walk(options: WalkOptions, from: XmlPosition | undefined): AsyncGenerator<TextPart> {
  const { document, plan, cuts, budget, plain, stop = Number.POSITIVE_INFINITY } = options;
  let room: Room = { tokens: budget.tokensBesideNotes, characters: budget.charactersBesideNotes };
  let place = from;
  let first = true;
  for (const cut of cuts) {
    if (cut.end <= cut.start || cut.end <= (place?.offset ?? -1) || cut.start >= stop) continue;
    if (!place || place.offset <= cut.start) place = startOf(cut);
    const end = Math.min(cut.end, stop);
    while (place.offset < end) {
      const piece = await new PieceMaker(document, cut, budget).make(place, end, room, plain, first);
      if (!piece) return;
      // A piece that does not fit the rest of a page whole starts the next page.
      if (!first && piece.parted && room.tokens < budget.tokensBesideNotes / 2) return;
      first = false;
      place = piece.after;
      // Token counts add up only at line ends.
      const last = !piece.view.endsWith('\n') && budget.tokensBesideNotes < Number.POSITIVE_INFINITY;
      room = {
        tokens: room.tokens - budget.count(piece.view),
        characters: room.characters - piece.view.length,
      };
      const next = nextAfter(plan, cuts, place);
      yield {
        kind: 'text',
        text: piece.text,
        ...(piece.view !== piece.text && { view: piece.view }),
        shown: piece.shown,
        ...(next && { next }),
      };
      if (last) return;
    }
  }
}
