// Formats a magnitude by a section with digit placeholders: fixed, scientific, or as a fraction. The caller adds the
// sign.

import { decimalOf, fractionOf, groupsOf, roundAt } from './decimal.ts';
import { plain, type Token } from './section.ts';

/** Fills integer placeholders with digits from the right; excess digits go before the first placeholder. */
function fillInteger(tokens: readonly Token[], digits: string, grouped: boolean): string {
  const places = tokens.filter((token) => token.kind === 'digit').length;
  let place = places;
  let shown = '';
  for (const token of tokens) {
    if (token.kind !== 'digit') {
      if (token.kind !== 'comma') shown += plain(token, 0);
      continue;
    }
    place--;
    const at = digits.length - 1 - place;
    if (place === places - 1 && at > 0) {
      shown += groupsOf(digits.slice(0, at), digits.length, grouped);
    }
    const digit = at >= 0 ? digits.charAt(at) : token.text === '0' ? '0' : token.text === '?' ? ' ' : '';
    shown += digit;
    if (grouped && place > 0 && place % 3 === 0 && digit !== '' && digit !== ' ') shown += ',';
  }
  return shown;
}

function fillDecimals(tokens: readonly Token[], digits: string): string {
  let significant = digits.length;
  while (significant > 0 && digits.charAt(significant - 1) === '0') significant--;
  let place = 0;
  let shown = '';
  for (const token of tokens) {
    if (token.kind !== 'digit') {
      if (token.kind !== 'comma') shown += plain(token, 0);
      continue;
    }
    const digit = digits.charAt(place);
    if (token.text === '0' || place < significant) shown += digit === '' ? '0' : digit;
    else if (token.text === '?') shown += ' ';
    place++;
  }
  return shown;
}

export interface Fixed {
  readonly text: string;
  /** All digits left after rounding are zeros. */
  readonly isZero: boolean;
}

export function showFixed(tokens: readonly Token[], magnitude: number): Fixed {
  const point = tokens.findIndex((token) => token.kind === 'point');
  const integer = point < 0 ? tokens : tokens.slice(0, point);
  const decimals = point < 0 ? [] : tokens.slice(point + 1);
  const firstDigit = integer.findIndex((token) => token.kind === 'digit');
  const lastDigit = integer.findLastIndex((token) => token.kind === 'digit');
  let thousands = 0;
  let grouped = false;
  integer.forEach((token, index) => {
    if (token.kind !== 'comma' || index < firstDigit || firstDigit < 0) return;
    if (index < lastDigit) grouped = true;
    else if (index > lastDigit) thousands++;
  });
  if (point >= 0) {
    const lastDecimal = decimals.findLastIndex((token) => token.kind === 'digit');
    decimals.forEach((token, index) => {
      if (token.kind === 'comma' && index > lastDecimal) thousands++;
    });
  }
  const percents = tokens.filter((token) => token.kind === 'percent').length;
  const places = decimals.filter((token) => token.kind === 'digit').length;
  const rounded = roundAt(decimalOf(magnitude, 2 * percents - 3 * thousands), places);
  const isZero = rounded.integer === '' && /^0*$/.test(rounded.decimals);
  if (firstDigit < 0) {
    const head = integer.map((token) => (token.kind === 'comma' ? '' : plain(token, magnitude))).join('');
    return { text: `${head}${rounded.integer}.${fillDecimals(decimals, rounded.decimals)}`, isZero };
  }
  const shown = fillInteger(integer, rounded.integer, grouped);
  const text = point < 0 ? shown : `${shown}.${fillDecimals(decimals, rounded.decimals)}`;
  return { text, isZero };
}

export function showScientific(tokens: readonly Token[], magnitude: number): string {
  const mark = tokens.findIndex((token) => token.kind === 'exponent');
  const sign = tokens[mark];
  const mantissa = tokens.slice(0, mark);
  const point = mantissa.findIndex((token) => token.kind === 'point');
  const integer = point < 0 ? mantissa : mantissa.slice(0, point);
  const decimals = point < 0 ? [] : mantissa.slice(point + 1);
  const step = Math.max(1, integer.filter((token) => token.kind === 'digit').length);
  const places = decimals.filter((token) => token.kind === 'digit').length;
  let decimal = decimalOf(magnitude, 0);
  let exponent = magnitude === 0 ? 0 : Math.floor((decimal.point - 1) / step) * step;
  let rounded = roundAt({ ...decimal, point: decimal.point - exponent }, places);
  if (rounded.integer.length > step) {
    exponent += step;
    decimal = decimalOf(magnitude, -exponent);
    rounded = roundAt(decimal, places);
  }
  const head = fillInteger(integer, rounded.integer === '' ? '0' : rounded.integer, false);
  const tail = tokens.slice(mark + 1);
  const minus = exponent < 0 ? '-' : sign?.kind === 'exponent' && sign.text === '+' ? '+' : '';
  return `${head}${point < 0 ? '' : `.${fillDecimals(decimals, rounded.decimals)}`}E${minus}${fillInteger(tail, exponent === 0 ? '' : String(Math.abs(exponent)), false)}`;
}

/** Undefined if the tokens around the slash are not a fraction. */
export function showFraction(tokens: readonly Token[], slash: number, magnitude: number): string | undefined {
  let start = slash;
  while (start > 0 && tokens[start - 1]?.kind === 'digit') start--;
  if (start === slash) return undefined;
  let end = slash + 1;
  let fixed = '';
  const at = (index: number): string => {
    const token = tokens[index];
    if (token?.kind === 'digit') return token.text;
    return token?.kind === 'literal' && /^[1-9]$/.test(token.text) ? token.text : '';
  };
  while (at(end) !== '') fixed += at(end++);
  if (end === slash + 1) return undefined;
  const isFixed = /^[1-9]\d*$/.test(fixed) && fixed.length < 8;
  const width = end - slash - 1;
  const head = tokens.slice(0, start);
  const mixed = head.some((token) => token.kind === 'digit');
  const [whole, over, under] = fractionOf(
    magnitude,
    mixed,
    isFixed ? Number(fixed) : undefined,
    10 ** Math.min(width, 7) - 1,
  );
  const numerator = tokens.slice(start, slash);
  const integer = whole > 0 ? roundAt(decimalOf(whole, 0), 0).integer : mixed && over === 0 ? '0' : '';
  const before = fillInteger(head, integer, false);
  const after = tokens
    .slice(end)
    .map((token) => plain(token, 0))
    .join('');
  if (over === 0 && mixed) return `${before}${' '.repeat(numerator.length + 1 + width)}${after}`;
  const top = fillInteger(numerator, String(over), false);
  const bottom = isFixed ? fixed : String(under).padEnd(width, ' ');
  return `${before}${top}/${bottom}${after}`;
}
