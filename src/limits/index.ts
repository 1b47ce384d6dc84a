// Defines the limits, and merges a caller's values and the environment into one validated set.

import {
  checkOptions,
  type Environment,
  type HistoryLimits,
  type IsolationLimits,
  type Limits,
  type QueryLimits,
  quoted,
  ReaderError,
  settingName,
  settingOf,
  type WorkspaceLimits,
} from '../contract/index.ts';
import type { LimitDefinition } from './definitions/definition.ts';
import { HISTORY_LIMIT_DEFINITIONS } from './definitions/history.ts';
import { ISOLATION_LIMIT_DEFINITIONS } from './definitions/isolation.ts';
import { QUERY_LIMIT_DEFINITIONS } from './definitions/query.ts';
import { LIMIT_DEFINITIONS } from './definitions/reader.ts';
import { WORKSPACE_LIMIT_DEFINITIONS } from './definitions/workspace.ts';

export type { LimitDefinition } from './definitions/definition.ts';
export { HISTORY_LIMIT_DEFINITIONS } from './definitions/history.ts';
export { ISOLATION_LIMIT_DEFINITIONS } from './definitions/isolation.ts';
export { QUERY_LIMIT_DEFINITIONS } from './definitions/query.ts';
export { LIMIT_DEFINITIONS } from './definitions/reader.ts';
export { WORKSPACE_LIMIT_DEFINITIONS } from './definitions/workspace.ts';

/** Digits as text are accepted only from the environment. */
function checked(name: string, value: unknown, mayBeText = true): number {
  const number =
    mayBeText && typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${name}\` is ${quoted(String(value))}; expected an integer of 0 or more.`,
    `Set \`${name}\` to an integer, or omit it for the default.`,
  );
}

/**
 * Defaults, then the environment, then `overrides`. An invalid environment value is ignored with a process warning, so
 * that a stray variable cannot break a program that uses the library.
 * @throws {ReaderError} BAD_INPUT for an override that is not an integer >= 0
 */
export function resolveLimits(overrides: Partial<Limits> = {}, environment: Environment = {}): Limits {
  return resolveLimitsOf(LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveLimits`, with only the values that were set. @throws {ReaderError} BAD_INPUT */
export function givenLimits(overrides: Partial<Limits> = {}, environment: Environment = {}): Partial<Limits> {
  return given(LIMIT_DEFINITIONS, overrides, environment);
}

/**
 * The limits of a reader for which `set` were set. An unset `maxTotalOutput` grows with a larger budget, so that the
 * budget decides. An unset view limit becomes the output limit in characters, which it can never exceed because each
 * unit takes at least one character.
 */
export function viewLimitsOf(set: Partial<Limits>): Limits {
  const limits = { ...resolveLimits(), ...set };
  const { maxTokensPerFile, maxAnswerBytes } = limits;
  const grown = Math.min(CHARACTERS_PER_TOKEN * maxTokensPerFile, Math.floor(maxAnswerBytes / 2));
  const maxTotalOutput = set.maxTotalOutput ?? Math.max(limits.maxTotalOutput, grown);
  const lifted = LIMIT_DEFINITIONS.filter(({ kind, key }) => kind === 'view' && set[key] === undefined);
  return { ...limits, maxTotalOutput, ...Object.fromEntries(lifted.map(({ key }) => [key, maxTotalOutput])) };
}

/** The ratio of the default limits: more than almost any text has, so that the tokens decide. */
const CHARACTERS_PER_TOKEN = 10;

/** Like `resolveLimits`, for a workspace. @throws {ReaderError} BAD_INPUT */
export function resolveWorkspaceLimits(
  overrides: Partial<WorkspaceLimits> = {},
  environment: Environment = {},
): WorkspaceLimits {
  return resolveLimitsOf(WORKSPACE_LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveLimits`, for conversations. @throws {ReaderError} BAD_INPUT */
export function resolveHistoryLimits(
  overrides: Partial<HistoryLimits> = {},
  environment: Environment = {},
): HistoryLimits {
  return resolveLimitsOf(HISTORY_LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveLimits`, for reading in child processes. @throws {ReaderError} BAD_INPUT */
export function resolveIsolationLimits(
  overrides: Partial<IsolationLimits> = {},
  environment: Environment = {},
): IsolationLimits {
  return resolveLimitsOf(ISOLATION_LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveLimits`, for SQL queries. @throws {ReaderError} BAD_INPUT */
export function resolveQueryLimits(
  overrides: Partial<QueryLimits> = {},
  environment: Environment = {},
): QueryLimits {
  return resolveLimitsOf(QUERY_LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveWorkspaceLimits`, with only the values that were set. @throws {ReaderError} BAD_INPUT */
export function givenWorkspaceLimits(
  overrides: Partial<WorkspaceLimits> = {},
  environment: Environment = {},
): Partial<WorkspaceLimits> {
  return given(WORKSPACE_LIMIT_DEFINITIONS, overrides, environment);
}

/**
 * Like `resolveHistoryLimits`, with only the values that were set, by an override or else by the environment. @throws
 * {ReaderError} BAD_INPUT
 */
export function givenHistoryLimits(
  overrides: Partial<HistoryLimits> = {},
  environment: Environment = {},
): Partial<HistoryLimits> {
  return given(HISTORY_LIMIT_DEFINITIONS, overrides, environment);
}

/** Like `resolveLimits`, for any definitions. @throws {ReaderError} BAD_INPUT */
export function resolveLimitsOf<All extends Record<keyof All & string, number>>(
  definitions: readonly LimitDefinition<keyof All & string>[],
  overrides: Partial<All>,
  environment: Environment,
): All {
  const defaults = Object.fromEntries(definitions.map(({ key, default: usual }) => [key, usual]));
  // The definitions name every key (a test checks it), so the entries form a complete set.
  return { ...defaults, ...given(definitions, overrides, environment) } as unknown as All;
}

/** The values that were set, validated. */
function given<All extends Record<keyof All & string, number>>(
  definitions: readonly LimitDefinition<keyof All & string>[],
  overrides: Partial<All>,
  environment: Environment,
): Partial<All> {
  checkOptions('limits', overrides, Object.fromEntries(definitions.map(({ key }) => [key, true] as const)));
  const entries = definitions.flatMap(({ key, variable, alias }) => {
    const override = overrides[key];
    if (override !== undefined) return [[key, checked(key, override, false)]];
    const names = { variable, ...(alias !== undefined && { alias }) };
    const value = settingOf(environment, names);
    if (value === undefined) return [];
    try {
      return [[key, checked(settingName(environment, names), value)]];
    } catch (error) {
      warnOnce(error);
      return [];
    }
  });
  // All keys come from the definitions, and all values are numbers.
  return Object.fromEntries(entries) as Partial<All>;
}

/**
 * Rejects invalid variables that `resolveLimits` would ignore, for programs that own their environment.
 * @throws {ReaderError} BAD_INPUT
 */
export function checkEnvironment(
  definitions: readonly Pick<LimitDefinition<string>, 'variable' | 'alias'>[],
  environment: Environment,
): void {
  for (const definition of definitions) {
    const value = settingOf(environment, definition);
    if (value !== undefined) checked(settingName(environment, definition), value);
  }
}

const warned = new Set<string>();

function warnOnce(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (warned.has(message)) return;
  warned.add(message);
  process.emitWarning(`${message} The default is used.`, {
    type: 'LecternWarning',
    code: 'LECTERN_MALFORMED',
  });
}
