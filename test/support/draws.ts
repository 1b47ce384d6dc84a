// How many cases properties draw: all of them where `CI` is set, a part in between, so that the suite is quick enough to be
// run often. Seeds are fixed, so the part is the same each time.

const PART = 10;
const LEAST = 20;

/** Of `full` cases a tenth, at least 20, or all under `CI`. */
export function draws(full: number): number {
  return process.env['CI'] ? full : Math.min(full, Math.max(LEAST, Math.ceil(full / PART)));
}
