// Parses one section of a number format code (ECMA-376 part 1, 18.8.31) into tokens, and formats single tokens.

import { general } from './decimal.ts';

export type Token =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'digit'; readonly text: string }
  | { readonly kind: 'point' | 'comma' | 'percent' | 'slash' | 'general' | 'text' }
  | { readonly kind: 'exponent'; readonly text: string }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'meridiem'; readonly text: string }
  | { readonly kind: 'elapsed'; readonly text: string }
  | { readonly kind: 'subsecond'; readonly digits: number };

export interface Condition {
  readonly operator: string;
  readonly limit: number;
}

export interface Section {
  readonly tokens: readonly Token[];
  readonly condition: Condition | undefined;
  readonly isDate: boolean;
  readonly hasText: boolean;
  /** The fixed text of a section that shows no part of the value. */
  readonly label: string | undefined;
}

const FIXED: ReadonlySet<Token['kind']> = new Set(['literal', 'point', 'comma', 'percent', 'slash']);

const LONG_DATE = 'dddd, mmmm d, yyyy';
const LONG_TIME = 'h:mm:ss AM/PM';
const EAST_ASIAN_MERIDIEM = /^(?:上午\/下午|午前\/午後|오전\/오후)/;

/** The sections of a code. A semicolon inside quotes or brackets, or after `\`, `_` or `*`, does not end one. */
export function sectionsOf(code: string): Section[] {
  const sections: Section[] = [];
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
      sections.push(new SectionReader(code.slice(start, at)).read());
      start = at + 1;
    }
  }
  sections.push(new SectionReader(code.slice(start)).read());
  return sections;
}

class SectionReader {
  readonly #code: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #condition: Condition | undefined;

  constructor(code: string) {
    this.#code = code;
  }

  /** Never throws: invalid content becomes a literal. */
  read(): Section {
    while (this.#at < this.#code.length) {
      const char = this.#code.charAt(this.#at);
      if (char === '[') {
        const replaced = this.#bracket();
        if (replaced !== undefined)
          return { ...new SectionReader(replaced).read(), condition: this.#condition };
      } else if (!(this.#literal(char) || this.#word() || this.#dateLetters(char) || this.#subsecond(char)))
        this.#mark(char);
    }
    const isDate = this.#tokens.some(
      ({ kind }) => kind === 'date' || kind === 'elapsed' || kind === 'meridiem' || kind === 'subsecond',
    );
    return {
      tokens: isDate ? settleMinutes(this.#tokens) : this.#tokens,
      condition: this.#condition,
      isDate,
      hasText: this.#tokens.some(({ kind }) => kind === 'text'),
      label: this.#tokens.every(({ kind }) => FIXED.has(kind))
        ? this.#tokens
            .map((token) => plain(token, 0))
            .join('')
            .trim()
        : undefined,
    };
  }

  #push(token: Token, length: number): true {
    this.#tokens.push(token);
    this.#at += length;
    return true;
  }

  /** Quoted text, an escaped character, a space as wide as a character, or a fill character, which is dropped. */
  #literal(char: string): boolean {
    const code = this.#code;
    const next = code.charAt(this.#at + 1);
    if (char === '\\') return this.#push({ kind: 'literal', text: next }, 2);
    if (char === '_') return this.#push({ kind: 'literal', text: ' ' }, 2);
    if (char === '*') {
      this.#at += 2;
      return true;
    }
    if (char !== '"') return false;
    const closing = code.indexOf('"', this.#at + 1);
    const end = closing < 0 ? code.length : closing;
    const text = code.slice(this.#at + 1, end);
    return this.#push({ kind: 'literal', text }, end + 1 - this.#at);
  }

  /** A condition, an elapsed time, a currency, a colour. Returns the code that replaces the whole section, if any. */
  #bracket(): string | undefined {
    const closing = this.#code.indexOf(']', this.#at + 1);
    const end = closing < 0 ? this.#code.length : closing;
    const inside = this.#code.slice(this.#at + 1, end);
    this.#at = end + 1;
    const test = /^(<=|>=|<>|<|>|=)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)$/.exec(inside.trim());
    if (test) this.#condition = { operator: test[1] ?? '=', limit: Number(test[2]) };
    else if (/^(?:h+|m+|s+)$/i.test(inside))
      this.#push({ kind: 'elapsed', text: inside.toLowerCase().replaceAll('m', 'n') }, 0);
    else if (inside.startsWith('$')) {
      // [$-F800] and [$-F400] are the long date and long time of the system locale, and replace the section.
      if (/^\$-(?:x-sysdate|f800)$/i.test(inside)) return LONG_DATE;
      if (/^\$-(?:x-systime|f400)$/i.test(inside)) return LONG_TIME;
      const dash = inside.lastIndexOf('-');
      this.#push({ kind: 'literal', text: inside.slice(1, dash > 0 ? dash : undefined) }, 0);
    }
    return undefined;
  }

  #word(): boolean {
    const rest = this.#code.slice(this.#at, this.#at + 7);
    if (/^general/i.test(rest)) return this.#push({ kind: 'general' }, 7);
    if (/^am\/pm/i.test(rest)) return this.#push({ kind: 'meridiem', text: 'AM/PM' }, 5);
    const [halves] = EAST_ASIAN_MERIDIEM.exec(rest) ?? [];
    if (halves !== undefined) return this.#push({ kind: 'meridiem', text: halves }, halves.length);
    // Switches to the Hijri calendar and back; dates are shown in the Gregorian one.
    if (/^b[12]/i.test(rest)) return this.#push({ kind: 'literal', text: '' }, 2);
    const [weekday] = /^a{3,4}/i.exec(rest) ?? [];
    if (weekday !== undefined)
      return this.#push({ kind: 'date', text: 'd'.repeat(weekday.length) }, weekday.length);
    if (/^a\/p/i.test(rest)) return this.#push({ kind: 'meridiem', text: rest.slice(0, 3) }, 3);
    if (/^e[-+]/i.test(rest) && this.#tokens.some((token) => token.kind === 'digit'))
      return this.#push({ kind: 'exponent', text: rest.charAt(1) }, 2);
    return false;
  }

  #dateLetters(char: string): boolean {
    const lower = char.toLowerCase();
    if (!'ymdhsbge'.includes(lower)) return false;
    let end = this.#at + 1;
    while (this.#code.charAt(end).toLowerCase() === lower) end++;
    const text = lower === 'e' ? 'yyyy' : lower.repeat(end - this.#at);
    return this.#push({ kind: 'date', text }, end - this.#at);
  }

  /** `.0` to `.000` after seconds; elsewhere a point is a decimal point. */
  #subsecond(char: string): boolean {
    if (char !== '.') return false;
    let digits = 0;
    while (this.#code.charAt(this.#at + 1 + digits) === '0') digits++;
    const before = this.#tokens.findLast((token) => token.kind === 'date' || token.kind === 'elapsed');
    if (digits === 0 || !before || !('text' in before) || !before.text.startsWith('s')) return false;
    return this.#push({ kind: 'subsecond', digits: Math.min(digits, 3) }, 1 + digits);
  }

  #mark(char: string): void {
    if (char === '0' || char === '#' || char === '?') this.#push({ kind: 'digit', text: char }, 1);
    else if (char === '.') this.#push({ kind: 'point' }, 1);
    else if (char === ',') this.#push({ kind: 'comma' }, 1);
    else if (char === '%') this.#push({ kind: 'percent' }, 1);
    else if (char === '/') this.#push({ kind: 'slash' }, 1);
    else if (char === '@') this.#push({ kind: 'text' }, 1);
    else this.#push({ kind: 'literal', text: char }, 1);
  }
}

/** `m` after an hour or before a second is a minute (written `n` from here on), otherwise a month. */
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

/** The text of a token outside a run of digits. */
export function plain(token: Token, magnitude: number): string {
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
