// Represents a run of permanently removed messages as one number: a list that still holds them all is recognised, and
// the ledger does not grow with messages no list holds. It is a polynomial in the marks, so adjacent folds can be
// joined.

/** A Mersenne prime, 2^127 - 1; marks have 128 bits. */
const PRIME = (1n << 127n) - 1n;
/** An arbitrary large number. */
const BASE = 0x9e3779b97f4a7c15f39cc0605cedc834n % PRIME;
const HEX_DIGITS = 32;

export interface Fold {
  readonly mark: string;
  /** Number of messages. */
  readonly count: number;
}

/** Fold of one message. The mark is hex, from `fingerprint`. */
export function foldOf(mark: string): Fold {
  return { mark: hex(numberOf(mark)), count: 1 };
}

/** The fold of `first` followed by `next`. */
export function joined(first: Fold, next: Fold): Fold {
  const mark = (numberOf(first.mark) * power(next.count) + numberOf(next.mark)) % PRIME;
  return { mark: hex(mark), count: first.count + next.count };
}

/** The mark of consecutive messages. */
export function foldedMark(marks: readonly string[]): string {
  let value = 0n;
  for (const mark of marks) value = (value * BASE + numberOf(mark)) % PRIME;
  return hex(value);
}

/** A saved state may contain any text as a mark; non-hex marks become 0 and match nothing. */
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
