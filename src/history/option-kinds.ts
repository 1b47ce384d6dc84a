// Type checks for the options of the compactor.

import { quoted, ReaderError } from '../contract/index.ts';
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

/** An option's name, its check, and the expected value in words. */
export type Kind = readonly [name: string, is: (value: unknown) => boolean, expected: string];

export const WINDOW: Kind = [
  'window',
  isWindow,
  `a whole number of tokens, ${LEAST_WINDOW} to ${MOST_WINDOW}, such as 200000`,
];

export const ROLES = "`'keep'`, `'read'` or `{ writes: ['content'] }`";

export function shownKind(value: unknown): string {
  if (isText(value) || typeof value === 'number') return quoted(String(value));
  return Array.isArray(value) ? 'an array' : `\`${value === null ? 'null' : typeof value}\``;
}

export function checkKinds(
  what: string,
  options: Readonly<Record<string, unknown>>,
  kinds: readonly Kind[],
): void {
  for (const [name, is, expected] of kinds) {
    const value = options[name];
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
