// Checks the values of options by a table: of each option, what it may be, and that in words.

import { checkOptions, quoted, ReaderError } from '../contract/index.ts';

/** No conversation fits below the minimum; no model has a window above the maximum. */
const LEAST_WINDOW = 256;
const MOST_WINDOW = 100_000_000;

export const isText = (value: unknown): boolean => typeof value === 'string';
export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const has = (value: unknown, ...methods: readonly string[]): boolean =>
  isRecord(value) && methods.every((name) => isFunction(Reflect.get(value, name)));
export const isWindow = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= LEAST_WINDOW && Number(value) <= MOST_WINDOW;

type Check = readonly [is: (value: unknown) => boolean, expected: string];
/** The check of an option and the expected value in words, or the options inside it. */
export type Kind = Check | Fields;

export interface Fields {
  readonly [name: string]: Kind;
}

/** A kind for every option of `T`. */
export type Kinds<T> = Readonly<Record<keyof T, Kind>>;

export const WINDOW: Kind = [
  isWindow,
  `a whole number of tokens, ${LEAST_WINDOW} to ${MOST_WINDOW}, such as 200000`,
];
export const FLAG: Check = [(value) => typeof value === 'boolean', '`true` or `false`'];
export const FUNCTION: Kind = [isFunction, 'a function'];
export const TEXT: Kind = [isText, 'a string'];
/** Checked elsewhere. */
export const ANYTHING: Kind = [() => true, 'anything'];
export const whole = (least: number): Check => [
  (value) => Number.isSafeInteger(value) && Number(value) >= least,
  `a whole number from ${least}`,
];
export const share = (of: string, most: number): Check => [
  (value) => typeof value === 'number' && value >= 0 && value <= most,
  `a fraction of ${of}, 0 to ${most}`,
];
export const oneOf = (...values: readonly string[]): Check => [
  (value) => values.some((one) => one === value),
  values.map((one) => `\`${one}\``).join(', '),
];

/** A kind inside an option that may be left out. */
export const maybe = ([is, expected]: Check): Kind => [(value) => value === undefined || is(value), expected];

export function shownKind(value: unknown): string {
  if (isText(value) || typeof value === 'number') return quoted(String(value));
  return Array.isArray(value) ? 'an array' : `\`${value === null ? 'null' : typeof value}\``;
}

/**
 * Checks the options `given` of `what`; `false` turns an option off that has others inside it.
 * @throws {ReaderError} BAD_INPUT for an unknown option of `what`, or an invalid value
 */
export function checkKinds(what: string, given: unknown, kinds: Fields, path = ''): void {
  checkOptions(what, given, kinds);
  const values: Readonly<Record<string, unknown>> = { ...Object(given) };
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    // All options may be left out, but not all of what is in one.
    if (value === undefined && path === '') continue;
    const own = path + name;
    if (!isCheck(kind)) {
      if (value !== false)
        checkKinds(own, isRecord(value) ? value : refuse(what, own, value, 'an object'), kind, `${own}.`);
    } else if (!kind[0](value)) refuse(what, own, value, kind[1]);
  }
}

const isCheck = (kind: Kind): kind is Check => Array.isArray(kind);

/** @throws {ReaderError} BAD_INPUT */
export function refuse(what: string, name: string, value: unknown, expected: string): never {
  throw new ReaderError(
    'BAD_INPUT',
    `\`${name}\` is ${shownKind(value)}; expected ${expected}.`,
    `Pass a valid \`${name}\` to \`${what}\`, or leave it out.`,
  );
}
