// Text without the marks that Markdown and JSON put inside a token: `sk\\_live`, `a\\/b`, `AK**IA**`.

import { countBefore } from '../contract/index.ts';

/** A backslash before a character that no escape of a program needs, and the marks of bold text. */
const MARKS = /\\(?=[_/+=.~!@#$%^&|<>()[\]{}*-])|\*\*/g;
/** Text before and after marks that is looked at without them. A long token has several. */
const AROUND = 512;

/** A stretch of a text without its marks, and where its characters are in that text. */
export interface Unescaped {
  readonly plain: string;
  placeOf(at: number): number;
}

/** The stretches of `text` around its marks. */
export function unescaped(text: string): Unescaped[] {
  const stretches: Unescaped[] = [];
  let marks: { readonly from: number; readonly to: number }[] = [];
  const end = (): void => {
    const [first] = marks;
    const last = marks.at(-1);
    if (first && last)
      stretches.push(withoutMarks(text, marks, Math.max(0, first.from - AROUND), last.to + AROUND));
    marks = [];
  };
  for (const { index: from, 0: mark } of text.matchAll(MARKS)) {
    if (from - (marks.at(-1)?.to ?? from) > 2 * AROUND) end();
    marks.push({ from, to: from + mark.length });
  }
  end();
  return stretches;
}

function withoutMarks(
  text: string,
  marks: readonly { readonly from: number; readonly to: number }[],
  start: number,
  stop: number,
): Unescaped {
  /** Offsets in the plain text from which its characters are farther on in `text`, and by how much. */
  const starts = [0];
  const shifts = [start];
  let plain = '';
  let place = start;
  for (const { from, to } of marks) {
    plain += text.slice(place, from);
    place = to;
    starts.push(plain.length);
    shifts.push(to - plain.length);
  }
  plain += text.slice(place, stop);
  return {
    plain,
    placeOf: (at) => {
      const before = countBefore(starts.length, (index) => (starts[index] ?? 0) <= at);
      return at + (shifts[before - 1] ?? 0);
    },
  };
}
