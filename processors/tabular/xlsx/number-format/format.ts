// Number formats (ECMA-376 part 1, 18.8.30 and 18.8.31): compiles a format code into a function that formats a number
// or text like Excel with English (United States) settings. Rounding is decimal, on the 15 significant digits Excel
// keeps. Fill characters (`*x`) are dropped, because cells have no width here.

import { showDate } from './date.ts';
import { general } from './decimal.ts';
import { showFixed, showFraction, showScientific } from './digits.ts';
import { type Condition, plain, type Section, sectionsOf, type Token } from './section.ts';

export interface NumberFormat {
  /** Undefined if Excel shows nothing, or only `#` because a date is outside 1900 to 9999. */
  number(value: number): string | undefined;
  /** Undefined if Excel shows nothing. */
  text(value: string): string | undefined;
  /** True if whole numbers in this format are days or times. */
  readonly isDate: boolean;
}

/** Longer codes are cut here; Excel allows 255 characters. */
const MAX_CODE_LENGTH = 1024;

/** Compiles a format code. Never throws: invalid content is shown literally. */
export function compileFormat(code: string, date1904: boolean): NumberFormat {
  const sections = sectionsOf(code.slice(0, MAX_CODE_LENGTH));
  const last = sections.at(-1);
  const textSection = sections.length === 4 || last?.hasText ? last : undefined;
  const numeric = sections.slice(0, 3);
  if (textSection === last && numeric.length > 1 && sections.length < 4) numeric.pop();
  // Excel writes `-0.0` only if the code has a section for negative numbers or a condition.
  const dropsZeroMinus = sections.length === 1 && last?.condition === undefined;
  return {
    isDate: numeric[0]?.isDate ?? false,
    number: (value) => {
      const chosen = choose(numeric, value);
      if (!chosen) return general(value);
      const { section, signed } = chosen;
      const { label, condition } = section;
      const isOneValue = condition?.operator === '=' || (value === 0 && section === numeric[2]);
      if (label !== undefined && !(isOneValue && label !== '')) return labelled(label, general(value));
      if (section.isDate) return showDate(section, signed ? value : Math.abs(value), date1904);
      return showNumber(section.tokens, value, signed, dropsZeroMinus);
    },
    text: (value) => {
      if (textSection?.label !== undefined && value !== '') return labelled(textSection.label, value);
      return textSection ? showText(textSection, value) : value;
    },
  };
}

/** A fixed text that Excel shows in place of many values, with the value; undefined without a text. */
function labelled(label: string, value: string): string | undefined {
  return label === '' ? undefined : `${label} (${value})`;
}

/** A section with a digit or date placeholder leaves text unchanged. */
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

function showNumber(
  tokens: readonly Token[],
  value: number,
  signed: boolean,
  dropsZeroMinus: boolean,
): string {
  const minus = value < 0 && signed ? '-' : '';
  const magnitude = Math.abs(value);
  const slash = tokens.findIndex((token) => token.kind === 'slash');
  if (slash > 0 && tokens.slice(0, slash).some((token) => token.kind === 'digit')) {
    const shown = showFraction(tokens, slash, magnitude);
    if (shown !== undefined) return minus + shown;
  }
  if (!tokens.some((token) => token.kind === 'digit'))
    return minus + tokens.map((token) => plain(token, magnitude)).join('');
  if (tokens.some((token) => token.kind === 'exponent')) return minus + showScientific(tokens, magnitude);
  const { text, isZero } = showFixed(tokens, magnitude);
  return isZero && dropsZeroMinus ? text : minus + text;
}
