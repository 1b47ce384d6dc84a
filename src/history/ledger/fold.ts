// Messages that left for good, as one figure: a list that holds all of them is known again by it, and a ledger does not grow
// with what no list holds any more. A polynomial of the marks, so that two folds in a row are one.

/** A Mersenne prime, 2^127 - 1; marks are of 128 bits. */
const PRIME = (1n << 127n) - 1n;
/** Any large number does. */
const BASE = 0x9e3779b97f4a7c15f39cc0605cedc834n % PRIME;
const HEX_DIGITS = 32;

export interface Fold {
  readonly mark: string;
  /** Messages. */
  readonly count: number;
}

/** One message. A mark is hex, as `fingerprint` gives it. */
export function foldOf(mark: string): Fold {
  return { mark: hex(numberOf(mark)), count: 1 };
}

/** `first`, and `next` after it. */
export function joined(first: Fold, next: Fold): Fold {
  const mark = (numberOf(first.mark) * power(next.count) + numberOf(next.mark)) % PRIME;
  return { mark: hex(mark), count: first.count + next.count };
}

/** The mark of messages in a row. */
export function foldedMark(marks: readonly string[]): string {
  let value = 0n;
  for (const mark of marks) value = (value * BASE + numberOf(mark)) % PRIME;
  return hex(value);
}

/** Marks of a state may be any text: what is no hex is 0, and knows nothing again. */
const numberOf = (mark: string): bigint => (/^[0-9a-f]{1,32}$/.test(mark) ? BigInt(`0x${mark}`) % PRIME : 0n);
const hex = (value: bigint): string => value.toString(16).padStart(HEX_DIGITS, '0');

function power(exponent: number): bigint {
  let result = 1n;
  let square = BASE;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
}
