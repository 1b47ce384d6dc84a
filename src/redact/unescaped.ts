// Text without the marks that Markdown and JSON put inside a token: `sk\\_live`, `a\\/b`, `AK**IA**`.

/** A backslash before a character that no escape of a program needs, and the marks of bold text. */
const MARKS = /\\(?=[_/+=.~!@#$%^&|<>()[\]{}*-])|\*\*/g;

/** A text without marks, and where its characters are in the one with them. */
export interface Unescaped {
  readonly plain: string;
  placeOf(at: number): number;
}

/** Undefined if there is nothing to leave out. */
export function unescaped(text: string): Unescaped | undefined {
  /** Offsets in the plain text at which a piece starts, and by how much it is farther on in `text`. */
  const starts: number[] = [];
  const shifts: number[] = [];
  let plain = '';
  let end = 0;
  for (const mark of text.matchAll(MARKS)) {
    plain += text.slice(end, mark.index);
    end = mark.index + mark[0].length;
    starts.push(plain.length);
    shifts.push(end - plain.length);
  }
  if (starts.length === 0) return undefined;
  plain += text.slice(end);
  return {
    plain,
    placeOf: (at) => {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= at) low = middle + 1;
        else high = middle;
      }
      return at + (shifts[low - 1] ?? 0);
    },
  };
}
