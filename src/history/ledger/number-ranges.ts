// Sets of entry numbers as runs. A notice stands for nearly everything before it, each anew: told number by number, what a
// conversation decided would grow with the square of its compactions.

/** Numbers from the first to the last, both of them too. */
export type Run = readonly [first: number, last: number];

/** The numbers, upwards and each once; a run is as long as they follow upon each other. */
export function runsOf(numbers: readonly number[]): Run[] {
  const runs: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] + 1 === number) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

/** Every number of the runs. */
export function numbersOf(runs: readonly Run[]): number[] {
  const numbers: number[] = [];
  for (const [first, last] of runs)
    for (let number = first; number <= last; number += 1) numbers.push(number);
  return numbers;
}
