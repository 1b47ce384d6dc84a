// The shape of a structured document in place of its content: names, types and counts to the second level.

import {
  isCount,
  type Part,
  type ProcessContext,
  quoted,
  staleCursor,
  type Unit,
} from '../../src/contract/index.ts';

/** One name of an outline; `inner` gives those one level down. */
export interface OutlineEntry {
  readonly name: string;
  /** `string`, `object of 12 keys`. */
  readonly type: string;
  inner(): readonly OutlineEntry[];
}

/** A name without quotes where it cannot be misread. */
const NAME = /^[\w.$@/-]{1,60}$/;

/** `what` describes the root; `unit` counts its entries. As many entries as fit; the cursor goes on with the next. */
export function* showOutline(
  what: string,
  entries: readonly OutlineEntry[],
  unit: Unit,
  { selection, limits, budget }: ProcessContext,
): Generator<Part> {
  const [kind, start = 0] = selection.resume ?? ['outline'];
  if (kind !== 'outline' || !isCount(start, entries.length))
    throw staleCursor('The cursor does not name a place in this file.');
  let text = start === 0 ? `${what}\n` : '';
  let tokens = budget.tokensBesideNotes - budget.count(text);
  let characters = budget.charactersBesideNotes - text.length;
  if (tokens < 0 || characters < 0) return;
  let index = start;
  for (; index < entries.length; index++) {
    const entry = entries[index];
    if (!entry) break;
    let lines = linesOf(entry, limits.maxObjectKeys);
    // An entry too long for a whole answer is shown without what is inside.
    if (index === start && !budget.fits(lines, tokens, characters)) lines = linesOf(entry, 0);
    const cost = budget.count(lines);
    if (cost > tokens || lines.length > characters) break;
    tokens -= cost;
    characters -= lines.length;
    text += lines;
  }
  if (text === '') return;
  const of = entries.length;
  yield {
    kind: 'text',
    text,
    shown: index > start ? [{ unit, from: start + 1, to: index, of }] : [],
    ...(index > start && index < of && { next: { position: ['outline', index] } }),
  };
}

function linesOf(entry: OutlineEntry, limit: number): string {
  const inner = entry.inner();
  const lines = [entry, ...inner.slice(0, limit)].map(
    ({ name, type }, level) =>
      `${level === 0 ? '' : '  '}${NAME.test(name) ? name : quoted(name)}: ${type}\n`,
  );
  if (inner.length > limit) lines.push(`  (${inner.length - limit} more)\n`);
  return lines.join('');
}
