// Shows a source text with parts elided, and walks what the view left out. Shared by YAML, TOML and XML.

import { type Part, type Position, PositionReader, type ProcessContext } from '../../src/contract/index.ts';
import {
  type Edit,
  type ElidableText,
  type ElisionLimits,
  elisionLimits,
  fitElision,
  type Gap,
  gapsOf,
} from './elision.ts';
import { Lines, LineWalk } from './lines.ts';
import { gapPages, type Place, type Walk } from './source-pages.ts';
import { limitFields, limitsIn } from './tree/limit-fields.ts';

/** A document, or part of one, that is shown as its own text. */
export interface Elidable<P extends Place = Place> {
  /** Its text; undefined if it is too long under any limits. */
  readonly text: ElidableText | undefined;
  /** The loosest limits of its views. */
  readonly limits: ElisionLimits;
  /** What a position in a walk over all of it starts with. */
  readonly head: Position;
  /** The gaps that `edits` make in the file; without a view, all of the document. */
  gaps(edits?: readonly Edit[]): readonly Gap[] | Promise<readonly Gap[]>;
  walk(head: Position, gaps: readonly Gap[]): Walk<P>;
  /** The place that a position ends with, in one of `gaps`. */
  place(fields: PositionReader, gaps: readonly Gap[]): P;
  /** The whole that a walk counts. */
  count(): void;
}

/** Opens a document for views under `limits`, which an `exact` one must reach. */
export type OpenElidable<P extends Place> = (
  limits: ElisionLimits,
  exact: boolean,
) => Elidable<P> | Promise<Elidable<P>>;

/** Limits that show only the counts of the root. */
const BARE: ElisionLimits = { depth: 1, items: 0, keys: 0, string: 1, comment: Number.POSITIVE_INFINITY };
const VIEW = 'view';
const STALE = 'The cursor points to a place this file does not have.';

/** The view that fits, then by cursor what it left out; the source itself if no view fits. */
export async function* showElided<P extends Place>(
  open: OpenElidable<P>,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget, selection } = context;
  if (selection.resume) {
    yield* resumed(open, selection.resume, context);
    return;
  }
  const limits = elisionLimits(context.limits);
  if (budget.tokens < 1 || budget.characters < 1) {
    const [root] = (await open(BARE, false)).text?.elide(BARE).wholes ?? [];
    if (root) context.whole(root);
    return;
  }
  const document = await open(limits, false);
  const view = selection.all
    ? undefined
    : document.text && (await fitElision(document.text, document.limits, budget));
  if (!view) {
    yield* walkAll(document, context);
    return;
  }
  for (const whole of view.wholes) context.whole(whole);
  if (view.text === '') return;
  const gaps = await document.gaps(view.edits);
  const [gap] = gaps;
  const walk = document.walk(viewFields(view.limits), gaps);
  const next = gap && walk.next(gaps, walk.start(gap));
  yield { kind: 'text', text: view.text, shown: view.shown, ...(next && { next }) };
}

/** All of a document by pages; the first answer ends at `stop`. */
export async function* walkAll<P extends Place>(
  document: Elidable<P>,
  context: ProcessContext,
  stop?: number,
): AsyncGenerator<Part> {
  const gaps = await document.gaps();
  const [gap] = gaps;
  if (!gap) return;
  document.count();
  const { budget, selection } = context;
  const walk = document.walk(document.head, gaps);
  yield* gapPages(walk, gaps, walk.start(gap), { budget, plain: selection.all, stop });
}

async function* resumed<P extends Place>(
  open: OpenElidable<P>,
  position: Position,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const fields = new PositionReader(position, STALE);
  const isView = position[0] === VIEW;
  if (isView) fields.take(1);
  const limits = isView ? viewLimits(fields) : BARE;
  const document = await open(limits, isView);
  fields.check(!isView || document.text !== undefined);
  const gaps = await document.gaps(isView ? document.text?.elide(limits).edits : undefined);
  if (!isView) for (const field of document.head) fields.oneOf([field]);
  const head = isView ? viewFields(limits) : document.head;
  const place = document.place(fields, gaps);
  fields.end();
  fields.check(gaps.some(({ from, to }) => place.offset >= from && place.offset < to));
  document.count();
  const { budget, selection } = context;
  yield* gapPages(document.walk(head, gaps), gaps, place, { budget, plain: selection.all });
}

/** In a cursor: 0 for comments shown whole, else one more than the limit. */
const unlessNone = (field: number): number => (field === 0 ? Number.POSITIVE_INFINITY : field - 1);

const viewFields = ({ opening, comment, ...limits }: ElisionLimits): Position => [
  VIEW,
  ...limitFields(limits),
  comment === Number.POSITIVE_INFINITY ? 0 : comment + 1,
  ...(opening ? [opening.units, ...limitFields(opening)] : [0]),
];

function viewLimits(fields: PositionReader): ElisionLimits {
  const limits = { ...limitsIn(fields), comment: unlessNone(fields.count()) };
  const units = fields.count();
  return units === 0 ? limits : { ...limits, opening: { units, ...limitsIn(fields) } };
}

/** A text in memory whose pieces end at lines. */
export function elidableLines(text: ElidableText, context: ProcessContext): Elidable {
  const lines = new Lines(text.source);
  return {
    text,
    limits: elisionLimits(context.limits),
    head: ['source'],
    gaps: (edits) => (edits ? gapsOf(edits) : text.scope.map((stretch) => ({ ...stretch, pointer: '' }))),
    walk: (head, gaps) =>
      new LineWalk(text.source, lines, head, head[0] === VIEW ? gaps[0]?.from : undefined),
    place: (fields) => ({ offset: fields.count(text.source.length) }),
    count: () => context.whole({ unit: 'line', of: lines.count }),
  };
}
