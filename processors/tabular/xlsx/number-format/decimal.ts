// Decimal arithmetic on the 15 significant digits a spreadsheet keeps, rounded half away from zero.

import { withoutEnd } from '../../../../src/contract/index.ts';

/** 0.DIGITS times ten to the power of `point`. */
export interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** The 15 significant digits of `magnitude` (not negative) times ten to the power of `shift`. */
export function decimalOf(magnitude: number, shift: number): Decimal {
  if (magnitude === 0) return { digits: '', point: 0 };
  const shown = magnitude.toExponential(14);
  const mark = shown.indexOf('e');
  return {
    digits: shown.charAt(0) + shown.slice(2, mark),
    point: Number(shown.slice(mark + 1)) + 1 + shift,
  };
}

/** Rounded to `places` decimals. `integer` has no leading zeros and is empty for 0; `decimals` has `places` digits. */
export function roundAt(
  { digits, point }: Decimal,
  places: number,
): { readonly integer: string; readonly decimals: string } {
  const keep = point + places;
  let kept = '';
  if (keep >= 0 && digits !== '') {
    const all = digits.padEnd(keep + 1, '0');
    kept = all.slice(0, keep);
    if (all.charCodeAt(keep) >= 53) kept = increment(kept);
  }
  // A carry adds a digit; a number below one needs its zeros restored.
  const padded = kept.padStart(places, '0');
  const split = padded.length - places;
  return { integer: padded.slice(0, split).replace(/^0+/, ''), decimals: padded.slice(split) };
}

function increment(digits: string): string {
  let at = digits.length - 1;
  while (at >= 0 && digits.charCodeAt(at) === 57) at--;
  const zeros = '0'.repeat(digits.length - 1 - at);
  return at < 0 ? `1${zeros}` : `${digits.slice(0, at)}${Number(digits.charAt(at)) + 1}${zeros}`;
}

/** Leading digits of a number of `total` digits, with a comma after every group of three if `grouped`. */
export function groupsOf(leading: string, total: number, grouped: boolean): string {
  if (!grouped) return leading;
  let shown = '';
  for (let at = 0; at < leading.length; at++) {
    shown += leading.charAt(at);
    const left = total - 1 - at;
    if (left > 0 && left % 3 === 0) shown += ',';
  }
  return shown;
}

/** The format `General` in a sufficiently wide cell: up to 11 characters besides the sign, else scientific. */
export function general(value: number): string {
  if (value < 0) return `-${general(-value)}`;
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return '#NUM!';
  if (value >= 1e-4 && value < 1e11) {
    // The common case: a number this short needs no rounding.
    const short = String(value);
    if (short.length <= 11) return short;
  }
  const { point } = decimalOf(value, 0);
  if (point > 11) return scientific(value);
  if (point >= -3) {
    const shown = fixed(value, point > 0 ? 10 - point : 9);
    // 99999999999.9 rounds up to twelve digits.
    return shown.length > 11 && !shown.includes('.') ? scientific(value) : shown;
  }
  const shown = fixed(value, 20);
  return shown.length <= 11 && shown !== '0' ? shown : scientific(value);
}

function fixed(value: number, places: number): string {
  const { integer, decimals } = roundAt(decimalOf(value, 0), Math.max(0, places));
  const tail = withoutEnd(decimals, '0');
  return `${integer === '' ? '0' : integer}${tail === '' ? '' : `.${tail}`}`;
}

function scientific(value: number): string {
  const { digits, point } = decimalOf(value, 0);
  let exponent = point - 1;
  let { integer, decimals } = roundAt({ digits, point: 1 }, 5);
  if (integer.length > 1) {
    exponent++;
    integer = '1';
    decimals = '';
  }
  const tail = withoutEnd(decimals, '0');
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${integer}${tail === '' ? '' : `.${tail}`}E${exponent < 0 ? '-' : '+'}${power}`;
}

/**
 * The fraction nearest to `magnitude`: whole part (0 unless `mixed`), numerator, denominator. The denominator is
 * `fixed` if given, else the best one up to `max`, found by continued fractions.
 */
export function fractionOf(
  magnitude: number,
  mixed: boolean,
  fixedDenominator: number | undefined,
  max: number,
): readonly [whole: number, numerator: number, denominator: number] {
  const base = mixed ? Math.floor(magnitude) : 0;
  const part = magnitude - base;
  let [over, under] =
    fixedDenominator === undefined
      ? convergent(part, max)
      : [Math.round(Number(part.toPrecision(15)) * fixedDenominator), fixedDenominator];
  let whole = base;
  if (mixed && over >= under) {
    whole++;
    over -= under;
  }
  return [whole, over, under];
}

/** The last convergent of the continued fraction of `value` whose denominator is at most `max`. */
function convergent(value: number, max: number): [over: number, under: number] {
  let [over, under, previousOver, previousUnder] = [Math.floor(value), 1, 1, 0];
  let rest = value - over;
  // The continued fraction of a double ends within 40 steps; differences below 5e-8 are treated as rounding errors.
  for (let step = 0; step < 40 && rest >= 5e-8; step++) {
    const inverse = 1 / rest;
    const term = Math.floor(inverse);
    const nextUnder = term * under + previousUnder;
    if (nextUnder > max) break;
    [over, previousOver] = [term * over + previousOver, over];
    [under, previousUnder] = [nextUnder, under];
    rest = inverse - term;
  }
  return [over, under];
}
