// What an option of the compactor may be, and how a wrong one is refused.

import { quoted, ReaderError } from '../contract/index.ts';
import { notARole } from './policy/tool-roles.ts';

/** Below this no conversation fits; above, no model is. */
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

/** An option, what it must be, and that in words. */
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
        `Give \`${what}\` one of these roles for that tool, or leave the tool out.`,
      );
    const areDefinitions = name === 'tools' && Array.isArray(value);
    throw new ReaderError(
      'BAD_INPUT',
      `\`${name}\` is ${shownKind(value)}; expected ${expected}.`,
      areDefinitions
        ? 'Give tool definitions with the call, as in `compact(messages, options, { tools })`.'
        : `Give \`${name}\` to \`${what}\` in that form, or leave it out.`,
    );
  }
}
