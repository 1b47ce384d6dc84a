// Facts about all matches: how many of each type, distinct values, extremes and the sum. Bounded memory.

import { createHash } from 'node:crypto';
import { plural, quoted } from '../../../../src/contract/index.ts';
import { cutCell } from '../../../../src/table/index.ts';
import { WILDCARD } from '../../pointer.ts';

import { BYTE } from '../raw.ts';
import { compareNumbers, ExactSum, keyOfNumber, type Written } from './decimal.ts';
import { type Match, type Sink, textIn } from './search.ts';

/** Up to this number, distinct values are counted. */
const MAX_DISTINCT = 10_000;
/** Strings of more UTF-16 units are told apart by their SHA-256. */
const MAX_KEY_LENGTH = 128;
/** The beginning of strings that is compared, in UTF-16 units. */
const COMPARED_LENGTH = 1024;
const SHOWN_NUMBER = 40;
const SHOWN_STRING = 60;
const TYPES = ['number', 'string', 'boolean', 'null', 'object', 'array'] as const;
type Type = (typeof TYPES)[number];

/** Facts about the matches of a pattern, for metadata. Numbers are texts, because a double may not hold them. */
export interface MatchFacts {
  readonly count: number;
  readonly types: Readonly<Partial<Record<Type, number>>>;
  /** Exact number of distinct strings, numbers, names; absent if there are more than `distinctOver`. */
  readonly distinct?: number;
  readonly distinctOver?: number;
  readonly numbers?: { readonly min: string; readonly max: string; readonly sum?: string };
  readonly strings?: { readonly min: string; readonly max: string };
  /** Values without what the token of this number (from 1) names. */
  readonly missing: readonly { readonly segment: number; readonly count: number }[];
}

/** Counts what a search finds. */
export class Statistics implements Sink {
  readonly named = false;
  count = 0;
  readonly #counts = new Map<Type, number>();
  readonly #missing: number[];
  readonly #sum = new ExactSum();
  #numbers: { least: Written; most: Written } | undefined;
  #strings: { least: string; most: string } | undefined;
  #distinct: Set<string | number> | undefined = new Set();
  /** Types with a scalar that was too long to compare with others. */
  readonly #uncompared = new Set<Type>();

  constructor(levels: number) {
    this.#missing = new Array<number>(levels).fill(0);
  }

  missing(level: number): void {
    this.#missing[level] = (this.#missing[level] ?? 0) + 1;
  }

  match({ bytes, from, to, start, end }: Match): void {
    this.count++;
    const first = bytes[from];
    const isCut = to - from < end - start;
    if (first === BYTE.openArray || first === BYTE.openObject) {
      this.#add(first === BYTE.openArray ? 'array' : 'object');
    } else if (first === BYTE.quote) {
      this.#add('string');
      if (isCut) this.#uncompared.add('string');
      else this.#string(textIn(bytes, from + 1, to - 1));
    } else if (isCut) {
      this.#add('number');
      this.#uncompared.add('number');
    } else {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
      const type = text === 'null' ? 'null' : text === 'true' || text === 'false' ? 'boolean' : 'number';
      this.#add(type);
      if (type === 'number') this.#number({ value: Number(text), text });
      else this.#tell(text);
    }
  }

  #number(number: Written): void {
    this.#sum.add(number);
    this.#tell(keyOfNumber(number));
    const known = this.#numbers;
    if (!known) this.#numbers = { least: number, most: number };
    else if (number.value > known.least.value && number.value < known.most.value) return;
    else if (compareNumbers(number, known.least) < 0) known.least = number;
    else if (compareNumbers(number, known.most) > 0) known.most = number;
  }

  #string(text: string): void {
    this.#tell(text.length > MAX_KEY_LENGTH ? `h${hash(text)}` : `s${text}`);
    this.#compare(text);
  }

  #add(type: Type): void {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  #tell(key: string | number): void {
    if (!this.#distinct) return;
    this.#distinct.add(key);
    if (this.#distinct.size > MAX_DISTINCT) this.#distinct = undefined;
  }

  #compare(text: string): void {
    const known = this.#strings;
    const start = text.slice(0, COMPARED_LENGTH);
    if (!known) this.#strings = { least: start, most: start };
    else if (isBefore(start, known.least)) known.least = start;
    else if (isBefore(known.most, start)) known.most = start;
  }

  facts(): MatchFacts {
    const types = Object.fromEntries(
      TYPES.flatMap((type) => (this.#counts.has(type) ? [[type, this.#counts.get(type)]] : [])),
    );
    const scalars = this.count - (this.#counts.get('object') ?? 0) - (this.#counts.get('array') ?? 0);
    const distinct = this.#distinct;
    const numbers = !this.#uncompared.has('number') && this.#numbers;
    const strings = !this.#uncompared.has('string') && this.#strings;
    return {
      count: this.count,
      types,
      ...(scalars > 0 && this.#uncompared.size === 0 && distinct && { distinct: distinct.size }),
      ...(scalars > 0 && !distinct && { distinctOver: MAX_DISTINCT }),
      ...(numbers && {
        numbers: {
          min: shownNumber(numbers.least.text),
          max: shownNumber(numbers.most.text),
          ...(this.#sum.left === 0 && { sum: this.#sum.text() }),
        },
      }),
      ...(strings && { strings: { min: shownString(strings.least), max: shownString(strings.most) } }),
      missing: this.#missing.flatMap((count, level) => (count > 0 ? [{ segment: level + 1, count }] : [])),
    };
  }
}

const shownNumber = (text: string): string => cutCell(text, SHOWN_NUMBER);

const shownString = (text: string): string => cutCell(text, SHOWN_STRING);

/** Characters whose order in UTF-16 is not that of code points. */
const HIGH = /[\ud800-\uffff]/;

/** True if `a` comes before `b` in the order of code points. */
const isBefore = (a: string, b: string): boolean =>
  HIGH.test(a) && HIGH.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;

const hash = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('base64');

/** The facts in one line. `tokens` are those of the pattern. */
export function factsLine(pointer: string, tokens: readonly string[], facts: MatchFacts): string {
  const { count, types, numbers, strings } = facts;
  const kinds = TYPES.flatMap((type) => {
    const of = types[type];
    if (of === undefined) return [];
    const named = type === 'null' ? `${of} null` : plural(of, type);
    if (type === 'number' && numbers)
      return [`${named} from ${numbers.min} to ${numbers.max}, sum ${numbers.sum ?? 'not computed'}`];
    if (type === 'string' && strings)
      return [`${named} from ${JSON.stringify(strings.min)} to ${JSON.stringify(strings.max)}`];
    return [named];
  });
  const scalars = count - (types.object ?? 0) - (types.array ?? 0);
  const distinct =
    facts.distinct !== undefined
      ? [plural(facts.distinct, `distinct ${scalars < count ? 'scalar' : 'value'}`)]
      : facts.distinctOver !== undefined
        ? [`more than ${facts.distinctOver} distinct values`]
        : scalars > 0
          ? ['distinct values not counted']
          : [];
  const missing = facts.missing.map(({ segment, count: of }) => {
    const token = tokens[segment - 1] ?? '';
    return token === WILDCARD
      ? `${plural(of, 'scalar')} in place of an array or object at segment ${segment}`
      : `missing ${quoted(token)}: ${of}`;
  });
  return [
    `${count} ${count === 1 ? 'match' : 'matches'} of ${quoted(pointer)}`,
    ...kinds,
    ...distinct,
    ...missing,
  ].join('; ');
}
