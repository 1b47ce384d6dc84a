// Numbers of JSON as exact decimals: compared, told apart and added up without rounding.

import { withoutEnd } from '../../../../src/contract/index.ts';

/** Digits that every double holds exactly. */
const EXACT_DIGITS = 15;
/** Numbers beyond these bounds are compared, but not added up. */
const MAX_ADDED_DIGITS = 1000;
const MAX_ADDED_EXPONENT = 1000;
const MAX_EXPONENT = 1e15;
/** A longer sum is rounded for display. */
const MAX_SHOWN_DIGITS = 40;
const ROUNDED_DIGITS = 17;

/** `digits` times ten to the `exponent`: without zeros at its ends, `''` for zero. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const negative = text.startsWith('-');
  const [mantissa = '', power = '0'] = text.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let start = 0;
  while (all.charCodeAt(start) === 48) start++;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === 48) end--;
  const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(power)));
  return {
    negative: negative && end > start,
    digits: all.slice(start, end),
    exponent: exponent - fraction.length + all.length - end,
  };
}

/** A number as written, and the nearest double. */
export interface Written {
  readonly value: number;
  readonly text: string;
}

/** Below zero if `a` is the lesser number. */
export function compareNumbers(a: Written, b: Written): number {
  if (a.value !== b.value) return a.value - b.value;
  if (a.text === b.text || (isExact(a.text) && isExact(b.text))) return 0;
  const one = decimalOf(a.text);
  const two = decimalOf(b.text);
  if (one.digits === '' || two.digits === '' || one.negative !== two.negative)
    return signOf(one) - signOf(two);
  const size = one.digits.length + one.exponent - two.digits.length - two.exponent;
  const order = size !== 0 ? size : one.digits < two.digits ? -1 : one.digits > two.digits ? 1 : 0;
  return one.negative ? -order : order;
}

const signOf = ({ digits, negative }: Decimal): number => (digits === '' ? 0 : negative ? -1 : 1);
/** True for a number as written that its double determines. */
const isExact = (text: string): boolean => text.length <= EXACT_DIGITS && !/[eE]/.test(text);

/** Equal for equal numbers only; a double where that is exact. */
export function keyOfNumber({ value, text }: Written): number | string {
  if (isExact(text)) return value;
  const { negative, digits, exponent } = decimalOf(text);
  if (digits.length <= EXACT_DIGITS && Math.abs(exponent + digits.length) < 300) return value;
  return `${negative ? '-' : ''}${digits}e${exponent}`;
}

/** Adds up decimals exactly. */
export class ExactSum {
  /** Sums of short numbers by the digits after their points, moved to the exact ones before they could round. */
  readonly #short = new Float64Array(EXACT_DIGITS + 1);
  readonly #exact = new Map<number, bigint>();
  /** Numbers too large, too small or too long to add. */
  left = 0;

  add({ value, text }: Written): void {
    if (isExact(text)) {
      const point = text.indexOf('.');
      const scale = point < 0 ? 0 : text.length - point - 1;
      // So few digits that the product is less than a half away from an integer.
      const sum = (this.#short[scale] ?? 0) + Math.round(value * 10 ** scale);
      this.#short[scale] = sum;
      // The next number has at most 15 digits.
      if (Math.abs(sum) > 2 ** 52) this.#move(scale);
      return;
    }
    const { negative, digits, exponent } = decimalOf(text);
    if (digits === '') return;
    if (digits.length > MAX_ADDED_DIGITS || Math.abs(exponent + digits.length) > MAX_ADDED_EXPONENT) {
      this.left++;
      return;
    }
    const size = BigInt(digits) * 10n ** BigInt(Math.max(0, exponent));
    this.#addExact(Math.max(0, -exponent), negative ? -size : size);
  }

  #move(scale: number): void {
    this.#addExact(scale, BigInt(this.#short[scale] ?? 0));
    this.#short[scale] = 0;
  }

  #addExact(scale: number, value: bigint): void {
    this.#exact.set(scale, (this.#exact.get(scale) ?? 0n) + value);
  }

  /** The sum with all its digits; one too long to show as `about 1.2345e+300`. */
  text(): string {
    for (let scale = 0; scale < this.#short.length; scale++) if (this.#short[scale] !== 0) this.#move(scale);
    const places = Math.max(0, ...this.#exact.keys());
    let sum = 0n;
    for (const [scale, value] of this.#exact) sum += value * 10n ** BigInt(places - scale);
    const sign = sum < 0n ? '-' : '';
    const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
    const whole = digits.slice(0, digits.length - places);
    const fraction = withoutEnd(digits.slice(digits.length - places), '0');
    if (whole.length + fraction.length <= MAX_SHOWN_DIGITS)
      return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
    const significant = digits.replace(/^0+/, '');
    const exponent = significant.length - 1 - places;
    const kept = significant.slice(0, ROUNDED_DIGITS);
    return `about ${sign}${kept[0]}.${kept.slice(1)}e${exponent < 0 ? '' : '+'}${exponent}`;
  }
}
