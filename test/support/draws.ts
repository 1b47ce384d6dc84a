// How many cases properties draw: all of them where `CI` is set, a part in between, so that the suite is quick enough to be
// run often. Seeds are fixed, so the part is the same each time.

const PART = 20;
const LEAST = 6;

/** Of `full` cases a twentieth, but not fewer than `least`, or all under `CI`. */
export function draws(full: number, least: number = LEAST): number {
  return process.env['CI'] ? full : Math.min(full, Math.max(least, Math.ceil(full / PART)));
}

/** Of `list` every third, the first and the last among them, or all under `CI`. */
export function someOf<T>(list: readonly T[]): readonly T[] {
  return process.env['CI'] ? list : list.filter((_, at) => at % 3 === 0 || at === list.length - 1);
}
