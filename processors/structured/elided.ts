// Shows a source text with parts elided, and walks what the view left out. Shared by YAML and TOML.

import {
  type Next,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  type RequestFields,
  type TextPart,
} from '../../src/contract/index.ts';
import {
  type Elision,
  type ElisionLimits,
  elisionLimits,
  fitElision,
  type Gap,
  gapsOf,
  type Stretch,
} from './elision.ts';
import { gapPages, Lines, lineHeading } from './source-pages.ts';
import { limitFields, limitsIn } from './tree/limit-fields.ts';

/** A document, or part of one, that can be shown with stretches left out. */
export interface Elidable {
  readonly source: string;
  /** The stretches of the source to show, ascending. */
  readonly scope: readonly Stretch[];
  /** Text before the view that makes a part of a document valid on its own. */
  readonly prefix: string;
  elide(limits: ElisionLimits): Elision;
}

/** Limits that show only the counts of the root. */
const BARE: ElisionLimits = { depth: 1, items: 0, keys: 0, string: 1, comment: Number.POSITIVE_INFINITY };

/** The view of `document` that fits, then by cursor what it left out; the source itself if no view fits. */
export async function* showElided(document: Elidable, context: ProcessContext): AsyncGenerator<Part> {
  const { source, scope } = document;
  const { selection, budget } = context;
  const lines = new Lines(source);
  if (selection.resume) {
    yield* walk(document, selection.resume, lines, context);
    return;
  }
  if (selection.all) {
    for (const { from, to } of scope)
      yield { kind: 'text', text: source.slice(from, to), shown: lines.extents(from, to) };
    return;
  }
  const limits = elisionLimits(context.limits);
  if (budget.tokens < 1 || budget.characters < 1) {
    const [root] = document.elide(BARE).wholes;
    if (root) context.whole(root);
    return;
  }
  const view = await fitElision(source, scope, document.prefix, limits, budget, (tried) =>
    document.elide(tried),
  );
  if (!view) {
    yield* walk(document, ['source', scope[0]?.from ?? 0], lines, context);
    return;
  }
  for (const whole of view.wholes) context.whole(whole);
  if (view.text === '') return;
  const gaps = gapsOf(view.edits);
  const [gap] = gaps;
  yield {
    kind: 'text',
    text: view.text,
    shown: view.shown,
    ...(gap && { next: { position: [...viewFields(view.limits), gap.from], ...inLines(gaps, lines) } }),
  };
}

/**
 * Maximum share of the lines between the first and last gap that may already be shown for a request that covers all of
 * them.
 */
const MOST_REPEATED = 0.5;

/** A request for all lines left out, or for the longest gap if too many lines in between are already shown. */
function inLines(gaps: readonly Gap[], lines: Lines): Pick<Next, 'request' | 'skip'> {
  const from = gaps[0]?.from ?? 0;
  const to = gaps.at(-1)?.to ?? 0;
  const left = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  if (left < (to - from) * MOST_REPEATED) return { skip: longest(gaps, lines) };
  return { request: { lines: `${lines.at(from)}-${lines.at(to - 1)}` } };
}

/** The lines of the longest of `gaps`. */
function longest(gaps: readonly Gap[], lines: Lines): RequestFields {
  const size = ({ from, to }: Gap): number => to - from;
  const { from, to } = gaps.reduce((most, gap) => (size(gap) > size(most) ? gap : most));
  return { lines: `${lines.at(from)}-${lines.at(to - 1)}` };
}

function* walk(
  document: Elidable,
  position: Position,
  lines: Lines,
  context: ProcessContext,
): Generator<TextPart> {
  const { source, scope } = document;
  const fields = new PositionReader(position, 'The cursor points to a place this file does not have.');
  let gaps: Gap[];
  let head: readonly (number | string)[];
  if (fields.oneOf(['source', 'view']) === 'source') {
    head = ['source'];
    gaps = scope.map((stretch) => ({ ...stretch, pointer: '' }));
  } else {
    const limits = { ...limitsIn(fields), comment: unlessNone(fields.count(NO_LIMIT)) };
    head = viewFields(limits);
    gaps = gapsOf(document.elide(limits).edits);
  }
  const offset = fields.count(source.length);
  fields.check(gaps.some(({ from, to }) => offset >= from && offset < to));
  context.whole({ unit: 'line', of: lines.count });
  const next = (at: number): Next => ({ position: [...head, at] });
  yield* gapPages(source, gaps, offset, {
    budget: context.budget,
    heading: (gap, from) => lineHeading(gap, from, lines),
    shown: (from, to) => lines.extents(from, to),
    next,
  });
}

/** In a cursor: comments are shown whole. */
const NO_LIMIT = 2 ** 31;

const unlessNone = (limit: number): number => (limit === NO_LIMIT ? Number.POSITIVE_INFINITY : limit);

const viewFields = (limits: ElisionLimits): (number | string)[] => [
  'view',
  ...limitFields(limits),
  Math.min(limits.comment, NO_LIMIT),
];
