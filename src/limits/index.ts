// The limits room: definitions, and how a caller's values and the environment become one checked set.

import { type Limits, quoted, ReaderError } from '../contract/index.ts';
import { LIMIT_DEFINITIONS } from './definitions.ts';

export { LIMIT_DEFINITIONS, type LimitDefinition } from './definitions.ts';

function checked(name: string, value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${name}\` is ${quoted(String(value))}; expected a whole number of 0 or more.`,
    `Set \`${name}\` to a whole number, or leave it out for the default.`,
  );
}

/**
 * Defaults, then the environment, then `overrides`.
 * @throws {ReaderError} BAD_INPUT for a value that is not a whole number >= 0.
 */
export function resolveLimits(
  overrides: Partial<Limits> = {},
  environment: Readonly<Record<string, string | undefined>> = {},
): Limits {
  const entries = LIMIT_DEFINITIONS.map((definition) => {
    const override = overrides[definition.key];
    if (override !== undefined) return [definition.key, checked(definition.key, override)];
    const variable = environment[definition.variable];
    if (variable !== undefined && variable !== '')
      return [definition.key, checked(definition.variable, variable)];
    return [definition.key, definition.default];
  });
  // The definitions name every key of Limits (a test holds them to it), so the entries make a whole Limits.
  return Object.fromEntries(entries) as unknown as Limits;
}
