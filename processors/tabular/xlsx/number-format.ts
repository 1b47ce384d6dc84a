// Number formats (ECMA-376 part 1, 18.8.30 and 18.8.31): a format code becomes a function that shows a number or a text
// the way Excel shows it with English (United States) settings. Rounding is decimal, on the 15 significant digits that
// Excel keeps. Fill characters (`*x`) are left out: a cell has no width here.

import { decimalOf, fractionOf, general, groupsOf, roundAt } from './decimal.ts';
import { type Clock, clockOf, datePiece } from './serial-date.ts';

export interface NumberFormat {
  /** Undefined when Excel fills the cell with `#` because a date lies outside 1900 to 9999. */
  number(value: number): string | undefined;
  text(value: string): string;
  /** A whole number shown by it stands for a day or a time. */
  readonly isDate: boolean;
}

type Token =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'digit'; readonly text: string }
  | { readonly kind: 'point' | 'comma' | 'percent' | 'slash' | 'general' | 'text' }
  | { readonly kind: 'exponent'; readonly text: string }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'meridiem'; readonly text: string }
  | { readonly kind: 'elapsed'; readonly text: string }
  | { readonly kind: 'subsecond'; readonly digits: number };

interface Condition {
  readonly operator: string;
  readonly limit: number;
}

interface Section {
  readonly tokens: readonly Token[];
  readonly condition: Condition | undefined;
  readonly isDate: boolean;
  readonly hasText: boolean;
}

/** A hostile code is cut here; Excel allows 255 characters. */
const MAX_CODE_LENGTH = 1024;
const LONG_DATE = 'dddd, mmmm d, yyyy';
const LONG_TIME = 'h:mm:ss AM/PM';

/** Compiles a format code. Never throws: what makes no sense is shown as it is written. */
export function compileFormat(code: string, date1904: boolean): NumberFormat {
  const sections = splitSections(code.slice(0, MAX_CODE_LENGTH)).map(readSection);
  const last = sections.at(-1);
  const textSection = sections.length === 4 || last?.hasText ? last : undefined;
  const numeric = sections.slice(0, 3);
  if (textSection === last && numeric.length > 1 && sections.length < 4) numeric.pop();
  return {
    isDate: numeric[0]?.isDate ?? false,
    number: (value) => {
      const chosen = choose(numeric, value);
      if (!chosen) return general(value);
      return showNumber(chosen.section, value, chosen.signed, date1904);
    },
    text: (value) => (textSection ? showText(textSection, value) : value),
  };
}

/** A section that a text cannot fill, because it has a place for digits or a date, leaves the text as it is. */
function showText({ tokens }: Section, value: string): string {
  let shown = '';
  for (const token of tokens) {
    switch (token.kind) {
      case 'general':
      case 'text':
        shown += value;
        break;
      case 'digit':
      case 'exponent':
      case 'date':
      case 'meridiem':
      case 'elapsed':
      case 'subsecond':
        return value;
      default:
        shown += plain(token, 0);
    }
  }
  return shown;
}

function splitSections(code: string): string[] {
  const sections: string[] = [];
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const char = code[at];
    if (char === '"') {
      const end = code.indexOf('"', at + 1);
      at = end < 0 ? code.length : end;
    } else if (char === '\\' || char === '_' || char === '*') at++;
    else if (char === '[') {
      const end = code.indexOf(']', at + 1);
      if (end >= 0) at = end;
    } else if (char === ';') {
      sections.push(code.slice(start, at));
      start = at + 1;
    }
  }
  sections.push(code.slice(start));
  return sections;
}

function readSection(code: string): Section {
  const tokens: Token[] = [];
  let condition: Condition | undefined;
  let at = 0;
  const literal = (text: string): void => {
    tokens.push({ kind: 'literal', text });
  };
  while (at < code.length) {
    const rest = code.slice(at);
    const char = rest.charAt(0);
    const lower = char.toLowerCase();
    if (char === '"') {
      const end = code.indexOf('"', at + 1);
      literal(code.slice(at + 1, end < 0 ? code.length : end));
      at = end < 0 ? code.length : end + 1;
    } else if (char === '\\') {
      literal(rest.charAt(1));
      at += 2;
    } else if (char === '_') {
      literal(' ');
      at += 2;
    } else if (char === '*') {
      at += 2;
    } else if (char === '[') {
      const end = code.indexOf(']', at + 1);
      const inside = code.slice(at + 1, end < 0 ? code.length : end);
      at = end < 0 ? code.length : end + 1;
      const test = /^(<=|>=|<>|<|>|=)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)$/.exec(inside.trim());
      if (test) condition = { operator: test[1] ?? '=', limit: Number(test[2]) };
      else if (/^(?:h+|m+|s+)$/i.test(inside))
        tokens.push({ kind: 'elapsed', text: inside.toLowerCase().replaceAll('m', 'n') });
      else if (inside.startsWith('$')) {
        // [$-F800] and [$-F400] stand for the long date and the long time of the machine, whatever follows.
        if (/^\$-(?:x-sysdate|f800)$/i.test(inside)) return { ...readSection(LONG_DATE), condition };
        if (/^\$-(?:x-systime|f400)$/i.test(inside)) return { ...readSection(LONG_TIME), condition };
        const dash = inside.lastIndexOf('-');
        literal(inside.slice(1, dash > 0 ? dash : undefined));
      }
    } else if (/^general/i.test(rest)) {
      tokens.push({ kind: 'general' });
      at += 7;
    } else if (/^am\/pm/i.test(rest)) {
      tokens.push({ kind: 'meridiem', text: 'AM/PM' });
      at += 5;
    } else if (/^a\/p/i.test(rest)) {
      tokens.push({ kind: 'meridiem', text: rest.slice(0, 3) });
      at += 3;
    } else if (/^e[-+]/i.test(rest) && tokens.some((token) => token.kind === 'digit')) {
      tokens.push({ kind: 'exponent', text: rest.charAt(1) });
      at += 2;
    } else if ('ymdhsbge'.includes(lower) && lower !== '') {
      let end = at + 1;
      while (code.charAt(end).toLowerCase() === lower) end++;
      const text = lower.repeat(end - at);
      tokens.push({ kind: 'date', text: lower === 'e' ? 'yyyy' : text });
      at = end;
    } else if (char === '.') {
      const digits = /^\.(0+)/.exec(rest)?.[1]?.length ?? 0;
      const before = tokens.findLast((token) => token.kind === 'date' || token.kind === 'elapsed');
      if (digits > 0 && before && 'text' in before && before.text.startsWith('s')) {
        tokens.push({ kind: 'subsecond', digits: Math.min(digits, 3) });
        at += 1 + digits;
      } else {
        tokens.push({ kind: 'point' });
        at++;
      }
    } else {
      if (char === '0' || char === '#' || char === '?') tokens.push({ kind: 'digit', text: char });
      else if (char === ',') tokens.push({ kind: 'comma' });
      else if (char === '%') tokens.push({ kind: 'percent' });
      else if (char === '/') tokens.push({ kind: 'slash' });
      else if (char === '@') tokens.push({ kind: 'text' });
      else literal(char);
      at++;
    }
  }
  const isDate = tokens.some(
    ({ kind }) => kind === 'date' || kind === 'elapsed' || kind === 'meridiem' || kind === 'subsecond',
  );
  return {
    tokens: isDate ? settleMinutes(tokens) : tokens,
    condition,
    isDate,
    hasText: tokens.some(({ kind }) => kind === 'text'),
  };
}

/** `m` after an hour or before a second is a minute (written `n` from here on), else a month. */
function settleMinutes(tokens: readonly Token[]): Token[] {
  const places = tokens.flatMap((token, index) =>
    token.kind === 'date' || token.kind === 'elapsed' ? [{ index, text: token.text }] : [],
  );
  const settled = [...tokens];
  places.forEach(({ index, text }, place) => {
    if (!text.startsWith('m') || text.length > 2) return;
    const before = places[place - 1]?.text ?? '';
    const after = places[place + 1]?.text ?? '';
    if (before.startsWith('h') || after.startsWith('s'))
      settled[index] = { kind: 'date', text: 'n'.repeat(text.length) };
  });
  return settled;
}

function holds({ operator, limit }: Condition, value: number): boolean {
  if (operator === '<') return value < limit;
  if (operator === '<=') return value <= limit;
  if (operator === '>') return value > limit;
  if (operator === '>=') return value >= limit;
  return operator === '=' ? value === limit : value !== limit;
}

/** The section for a value, and whether it writes a minus sign itself. */
function choose(
  sections: readonly Section[],
  value: number,
): { readonly section: Section; readonly signed: boolean } | undefined {
  const [first, second, third] = sections;
  if (!first) return undefined;
  if (!first.condition && !second?.condition) {
    if (value < 0 && second) return { section: second, signed: false };
    if (value === 0 && third) return { section: third, signed: false };
    return { section: first, signed: true };
  }
  for (const [index, section] of sections.entries()) {
    const { condition } = section;
    const isLast = index === sections.length - 1;
    const matches = condition ? holds(condition, value) : isLast || (index === 0 ? value > 0 : value < 0);
    if (!matches) continue;
    const onlyNegative = condition
      ? (condition.operator === '<' && condition.limit <= 0) ||
        (condition.operator === '<=' && condition.limit < 0)
      : index === 1 &&
        (!isLast || (first.condition?.limit === 0 && first.condition.operator.startsWith('>')));
    return { section, signed: !onlyNegative };
  }
  return undefined;
}

function showNumber(section: Section, value: number, signed: boolean, date1904: boolean): string | undefined {
  if (section.isDate) return showDate(section, signed ? value : Math.abs(value), date1904);
  const { tokens } = section;
  const minus = value < 0 && signed ? '-' : '';
  const magnitude = Math.abs(value);
  const slash = tokens.findIndex((token) => token.kind === 'slash');
  if (slash > 0 && tokens.slice(0, slash).some((token) => token.kind === 'digit')) {
    const shown = showFraction(tokens, slash, magnitude);
    if (shown !== undefined) return minus + shown;
  }
  if (tokens.some((token) => token.kind === 'digit')) {
    const shown = tokens.some((token) => token.kind === 'exponent')
      ? showScientific(tokens, magnitude)
      : showFixed(tokens, magnitude);
    return minus + shown;
  }
  return minus + tokens.map((token) => plain(token, magnitude)).join('');
}

/** What a token writes outside a run of digits. */
function plain(token: Token, magnitude: number): string {
  switch (token.kind) {
    case 'literal':
      return token.text;
    case 'general':
    case 'text':
      return general(magnitude);
    case 'percent':
      return '%';
    case 'point':
      return '.';
    case 'slash':
      return '/';
    case 'comma':
      return ',';
    default:
      return '';
  }
}

function showDate({ tokens }: Section, value: number, date1904: boolean): string | undefined {
  let timed = false;
  let subseconds = 0;
  let twelve = false;
  for (const token of tokens) {
    if (token.kind === 'subsecond') subseconds = Math.max(subseconds, token.digits);
    else if (token.kind === 'meridiem') twelve = true;
    else if ((token.kind === 'date' || token.kind === 'elapsed') && /^[hns]/.test(token.text)) timed = true;
  }
  // A time is rounded to what is shown of its seconds, at least to the second; a date alone is not rounded up.
  const clock: Clock | undefined = clockOf(value, date1904, timed ? subseconds : 3);
  if (!clock) return undefined;
  return tokens
    .map((token) => {
      switch (token.kind) {
        case 'date':
          return datePiece(token.text, clock, twelve);
        case 'elapsed': {
          const whole =
            token.text[0] === 'h'
              ? clock.elapsedHours
              : token.text[0] === 'n'
                ? clock.elapsedMinutes
                : clock.elapsedSeconds;
          return String(whole).padStart(token.text.length, '0');
        }
        case 'subsecond':
          return `.${String(clock.millisecond).padStart(3, '0').slice(0, token.digits)}`;
        case 'meridiem':
          return token.text === 'AM/PM'
            ? clock.hour < 12
              ? 'AM'
              : 'PM'
            : clock.hour < 12
              ? token.text.charAt(0)
              : token.text.charAt(2);
        case 'digit':
          return token.text;
        default:
          return plain(token, value);
      }
    })
    .join('');
}

/** Writes digits into integer placeholders from the right; what does not fit goes before the first placeholder. */
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

function showFixed(tokens: readonly Token[], magnitude: number): string {
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
  if (firstDigit < 0) {
    const head = integer.map((token) => (token.kind === 'comma' ? '' : plain(token, magnitude))).join('');
    return `${head}${rounded.integer}.${fillDecimals(decimals, rounded.decimals)}`;
  }
  const shown = fillInteger(integer, rounded.integer, grouped);
  return point < 0 ? shown : `${shown}.${fillDecimals(decimals, rounded.decimals)}`;
}

function showScientific(tokens: readonly Token[], magnitude: number): string {
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

/** Undefined when the tokens around the slash are no fraction. */
function showFraction(tokens: readonly Token[], slash: number, magnitude: number): string | undefined {
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
