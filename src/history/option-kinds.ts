// Type checks for the options of the compactor.

import { checkOptions, quoted, ReaderError } from '../contract/index.ts';
import { notARole } from './policy/tool-roles.ts';

/** No conversation fits below the minimum; no model has a window above the maximum. */
const LEAST_WINDOW = 256;
const MOST_WINDOW = 100_000_000;

export const isText = (value: unknown): boolean => typeof value === 'string';
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const has = (value: unknown, ...methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((name) => isFunction(Reflect.get(value, name)));
export const isWindow = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= LEAST_WINDOW && Number(value) <= MOST_WINDOW;

/** The check of an option, and the expected value in words. */
export type Kind = readonly [is: (value: unknown) => boolean, expected: string];

/** A kind for every option of `T`. */
export type Kinds<T> = Readonly<Record<keyof T, Kind>>;

export const WINDOW: Kind = [
  isWindow,
  `a whole number of tokens, ${LEAST_WINDOW} to ${MOST_WINDOW}, such as 200000`,
];

/** Checked elsewhere. */
export const ANYTHING: Kind = [() => true, 'anything'];

export const ROLES = "`'keep'`, `'read'` or `{ writes: ['content'] }`";

export function shownKind(value: unknown): string {
  if (isText(value) || typeof value === 'number') return quoted(String(value));
  return Array.isArray(value) ? 'an array' : `\`${value === null ? 'null' : typeof value}\``;
}

/** @throws {ReaderError} BAD_INPUT for an unknown option of `what`, or an invalid value */
export function checkKinds(what: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void {
  checkOptions(what, options, kinds);
  const given: Readonly<Record<string, unknown>> = { ...Object(options) };
  for (const [name, [is, expected]] of Object.entries(kinds)) {
    const value = given[name];
    if (value === undefined || is(value)) continue;
    const wrong = name === 'tools' ? notARole(value) : null;
    if (wrong !== null)
      throw new ReaderError(
        'BAD_INPUT',
        `\`tools[${JSON.stringify(wrong.tool)}]\` is ${shownKind(wrong.role)}; expected ${ROLES}.`,
        `Set that tool to one of these roles in \`${what}\`, or remove it from \`tools\`.`,
      );
    const areDefinitions = name === 'tools' && Array.isArray(value);
    throw new ReaderError(
      'BAD_INPUT',
      `\`${name}\` is ${shownKind(value)}; expected ${expected}.`,
      areDefinitions
        ? 'Pass tool definitions with the call: `compact(messages, options, { tools })`.'
        : `Pass a valid \`${name}\` to \`${what}\`, or leave it out.`,
    );
  }
}
