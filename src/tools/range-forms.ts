// Converts the forms models use for a range (offset and limit, start and end, head, tail, pairs) to the one the reader
// takes: "201-400", "201-", "-100".

import { quoted } from '../contract/index.ts';
import { bad, type Draft, type Given } from './argument-rules.ts';
import { conflict } from './arguments.ts';
import { integerOf } from './coercion.ts';

/** The argument names for one kind of range, in snake_case. */
export interface RangeForms {
  /** The argument they are converted to. */
  readonly target: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly count: readonly string[];
  readonly head: readonly string[];
  readonly tail: readonly string[];
  /** A list of two numbers is a range; otherwise it is a list of single places. */
  readonly pairs: boolean;
}

/**
 * Replaces the forms in `draft` by `forms.target`.
 * @throws {ReaderError} BAD_INPUT for contradictory forms and for values that are not numbers
 */
export function arrangeRange(draft: Draft, forms: RangeForms): void {
  const direct = draft.get(forms.target);
  const from = taken(draft, forms.from);
  const to = taken(draft, forms.to);
  const count = taken(draft, forms.count);
  const head = taken(draft, forms.head);
  const tail = taken(draft, forms.tail);
  const span = from ?? to ?? count;
  const ways = [direct, span, head, tail].filter((given) => given !== undefined);
  const [first, second] = ways;
  if (first && second) throw conflict([first.as, second.as]);
  if (!first) return;
  const text = direct
    ? written(direct, forms)
    : head
      ? `1-${positive(head)}`
      : tail
        ? `-${positive(tail)}`
        : spanned(from, to, count, forms.target);
  if (text === undefined) draft.delete(forms.target);
  else draft.set(forms.target, { value: text, as: direct ? direct.as : forms.target });
}

/** Removes and returns the one of `names` that is given. */
function taken(draft: Draft, names: readonly string[]): Given | undefined {
  let found: Given | undefined;
  for (const name of names) {
    const given = draft.get(name);
    if (!given) continue;
    draft.delete(name);
    if (found && String(found.value) !== String(given.value)) throw conflict([found.as, given.as]);
    found = given;
  }
  return found;
}

function whole({ value, as }: Given): number {
  const number = integerOf(value);
  if (number !== undefined) return number;
  throw bad(
    `${quoted(as)} is ${typeof value === 'object' ? 'not a number' : quoted(String(value))}; expected an integer.`,
    `Pass ${quoted(as)} as an integer, or omit it.`,
  );
}

function positive(given: Given): number {
  const number = whole(given);
  if (number >= 1) return number;
  throw bad(
    `${quoted(given.as)} is ${number}, which would show nothing; expected 1 or more.`,
    `Set ${quoted(given.as)} to 1 or more, or omit it.`,
  );
}

function spanned(
  from: Given | undefined,
  to: Given | undefined,
  count: Given | undefined,
  target: string,
): string | undefined {
  const start = from === undefined ? 1 : whole(from);
  if (from && start < 0) {
    // A range of the last N. A smaller count would stop before the end, which no range can express.
    if ((to && whole(to) !== -1) || (count && positive(count) < -start))
      throw bad(
        `${quoted(from.as)} is ${start}, which counts from the end, and ${quoted((to ?? count ?? from).as)} would stop before it.`,
        `Ask for \`${target}\` \`"${start}"\` (the last ${-start}) alone.`,
      );
    return String(start);
  }
  const first = Math.max(1, start);
  const last = to === undefined ? undefined : whole(to);
  if (last !== undefined && count !== undefined && last !== first + positive(count) - 1)
    throw conflict([to?.as ?? '', count.as]);
  if (last === -1) return from === undefined ? undefined : `${first}-`;
  if (last !== undefined) return `${first}-${last}`;
  return count === undefined ? `${first}-` : `${first}-${first + positive(count) - 1}`;
}

/** The target argument: text is kept, a pair or a list of places becomes text. */
function written(given: Given, forms: RangeForms): unknown {
  const { value, as } = given;
  if (!Array.isArray(value)) {
    if (typeof value === 'string' && /^\s*\[[\s\d,-]*\]\s*$/.test(value))
      return written({ value: value.replace(/[[\]\s]/g, '').split(','), as }, forms);
    // `201:400` and `201..400`, as in code.
    if (typeof value === 'string')
      return value.replace(/^\s*(\d{1,15})\s*(?::|\.\.)\s*(\d{1,15})\s*$/, '$1-$2');
    return value;
  }
  if (value.length === 0) return undefined;
  const numbers = value.map((item: unknown) =>
    typeof item === 'string' && /\d-/.test(item) ? item : whole({ value: item, as }),
  );
  const [start, end] = numbers;
  if (forms.pairs && numbers.length === 2 && typeof start === 'number' && typeof end === 'number')
    return spanned({ value: start, as }, { value: end, as }, undefined, forms.target);
  return numbers.join(',');
}
