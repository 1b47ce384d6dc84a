// Page and slide numbers in words.

import { countBefore } from '../../src/contract/index.ts';

interface NumberRange {
  readonly from: number;
  to: number;
  /** Index of `from` in the list. */
  readonly at: number;
}

function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const [at, number] of numbers.entries()) {
    const last = ranges.at(-1);
    if (last && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number, at });
  }
  return ranges;
}

const worded = (ranges: readonly Pick<NumberRange, 'from' | 'to'>[]): string =>
  ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');

/** Formats ascending numbers as `1-3,7`. */
export const inRanges = (numbers: readonly number[]): string => worded(rangesOf(numbers));

/** The same for the numbers from an index on, at the cost of the ranges that are left. */
export function endsInRanges(numbers: readonly number[]): (from: number) => string {
  const ranges = rangesOf(numbers);
  return (from) => {
    const next = countBefore(ranges.length, (index) => (ranges[index]?.at ?? from) <= from);
    const first = numbers[from];
    const range = ranges[next - 1];
    return worded([
      ...(first !== undefined && range ? [{ from: first, to: range.to }] : []),
      ...ranges.slice(next),
    ]);
  };
}
