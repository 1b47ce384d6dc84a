// The shape of a structured document in place of its content: names, types and counts to the second level.

import { OUTLINE, type OutlineLine, type ProcessContext, quoted } from '../../src/contract/index.ts';

/** One name of an outline; `inner` gives those one level down. */
export interface OutlineEntry {
  readonly name: string;
  /** `string`, `object of 12 keys`. */
  readonly type: string;
  inner(): readonly OutlineEntry[];
}

/** A name without quotes where it cannot be misread. */
const NAME = /^[\w.$@/-]{1,60}$/;
const LEVELS = 2;

/** `what` describes the root, whose children are `entries`; `levels` is how deep it really is. */
export function* showOutline(
  what: string,
  entries: readonly OutlineEntry[],
  levels: number,
  context: ProcessContext,
): Generator<OutlineLine> {
  if (levels > LEVELS) context.whole({ unit: 'level', of: levels, name: OUTLINE });
  yield { level: 0, text: what };
  for (const entry of entries) {
    yield { level: 1, text: lineOf(entry) };
    for (const inner of entry.inner()) yield { level: 2, nested: true, text: `  ${lineOf(inner)}` };
  }
}

const lineOf = ({ name, type }: OutlineEntry): string => `${NAME.test(name) ? name : quoted(name)}: ${type}`;
