// Sets of entry numbers as ranges. Each notice covers nearly everything before it, so listing every number would make
// the state grow with the square of the number of compactions.

/** An inclusive range. */
export type Run = readonly [first: number, last: number];

/** The numbers as ascending ranges, without repeats. */
export function runsOf(numbers: readonly number[]): Run[] {
  const runs: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] + 1 === number) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

/** All numbers in the ranges, below `limit`. */
export function numbersOf(runs: readonly Run[], limit: number = Number.POSITIVE_INFINITY): number[] {
  const numbers: number[] = [];
  for (const [first, last] of runs)
    for (let number = first; number <= last && number < limit; number += 1) numbers.push(number);
  return numbers;
}
