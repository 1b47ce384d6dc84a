// The limits room: definitions, and how a caller's values and the environment become one checked set.

import {
  checkOptions,
  type Environment,
  type HistoryLimits,
  type IsolationLimits,
  type Limits,
  quoted,
  ReaderError,
  settingName,
  settingOf,
  type WorkspaceLimits,
} from '../contract/index.ts';
import type { LimitDefinition } from './definitions/definition.ts';
import { HISTORY_LIMIT_DEFINITIONS } from './definitions/history.ts';
import { ISOLATION_LIMIT_DEFINITIONS } from './definitions/isolation.ts';
import { LIMIT_DEFINITIONS } from './definitions/reader.ts';
import { WORKSPACE_LIMIT_DEFINITIONS } from './definitions/workspace.ts';

export type { LimitDefinition } from './definitions/definition.ts';
export { HISTORY_LIMIT_DEFINITIONS } from './definitions/history.ts';
export { ISOLATION_LIMIT_DEFINITIONS } from './definitions/isolation.ts';
export { LIMIT_DEFINITIONS } from './definitions/reader.ts';
export { WORKSPACE_LIMIT_DEFINITIONS } from './definitions/workspace.ts';

/** A text of digits counts in the environment alone. */
function checked(name: string, value: unknown, mayBeText = true): number {
  const number =
    mayBeText && typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${name}\` is ${quoted(String(value))}; expected a whole number of 0 or more.`,
    `Set \`${name}\` to a whole number, or leave it out for the default.`,
  );
}

/**
 * Defaults, then the environment, then `overrides`. A malformed value of the environment is ignored with a process
 * warning, so that a stray variable cannot break a program that uses the library.
 * @throws {ReaderError} BAD_INPUT for an override that is not a whole number >= 0
 */
export function resolveLimits(overrides: Partial<Limits> = {}, environment: Environment = {}): Limits {
  return resolveLimitsOf(LIMIT_DEFINITIONS, overrides, environment);
}

/**
 * As `resolveLimits`, for a reader: the budget of an answer alone decides what a view limit that nobody set lets through.
 * Each of what those limits count is a character at the least.
 */
export function resolveViewLimits(overrides: Partial<Limits> = {}, environment: Environment = {}): Limits {
  const limits = resolveLimits(overrides, environment);
  const set = given(LIMIT_DEFINITIONS, overrides, environment);
  const lifted = LIMIT_DEFINITIONS.filter(({ kind, key }) => kind === 'view' && set[key] === undefined);
  return { ...limits, ...Object.fromEntries(lifted.map(({ key }) => [key, limits.maxTotalOutput])) };
}

/** As `resolveLimits`, for what a workspace holds and answers with. @throws {ReaderError} BAD_INPUT */
export function resolveWorkspaceLimits(
  overrides: Partial<WorkspaceLimits> = {},
  environment: Environment = {},
): WorkspaceLimits {
  return resolveLimitsOf(WORKSPACE_LIMIT_DEFINITIONS, overrides, environment);
}

/** As `resolveLimits`, for conversations. @throws {ReaderError} BAD_INPUT */
export function resolveHistoryLimits(
  overrides: Partial<HistoryLimits> = {},
  environment: Environment = {},
): HistoryLimits {
  return resolveLimitsOf(HISTORY_LIMIT_DEFINITIONS, overrides, environment);
}

/** As `resolveLimits`, for reading in child processes. @throws {ReaderError} BAD_INPUT */
export function resolveIsolationLimits(
  overrides: Partial<IsolationLimits> = {},
  environment: Environment = {},
): IsolationLimits {
  return resolveLimitsOf(ISOLATION_LIMIT_DEFINITIONS, overrides, environment);
}

/** Of `resolveWorkspaceLimits`, only what was set. @throws {ReaderError} BAD_INPUT */
export function givenWorkspaceLimits(
  overrides: Partial<WorkspaceLimits> = {},
  environment: Environment = {},
): Partial<WorkspaceLimits> {
  return given(WORKSPACE_LIMIT_DEFINITIONS, overrides, environment);
}

/** Of `resolveHistoryLimits`, only what was set: by an override, else by the environment. @throws {ReaderError} BAD_INPUT */
export function givenHistoryLimits(
  overrides: Partial<HistoryLimits> = {},
  environment: Environment = {},
): Partial<HistoryLimits> {
  return given(HISTORY_LIMIT_DEFINITIONS, overrides, environment);
}

/** As `resolveLimits`, for the limits of a room that defines its own. @throws {ReaderError} BAD_INPUT */
export function resolveLimitsOf<All extends Record<keyof All & string, number>>(
  definitions: readonly LimitDefinition<keyof All & string>[],
  overrides: Partial<All>,
  environment: Environment,
): All {
  const defaults = Object.fromEntries(definitions.map(({ key, default: usual }) => [key, usual]));
  // The definitions name every key (a test holds them to it), so the entries make a whole set.
  return { ...defaults, ...given(definitions, overrides, environment) } as unknown as All;
}

/** What was set, checked. */
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
  // Keys of the definitions, and numbers.
  return Object.fromEntries(entries) as Partial<All>;
}

/** Refuses what `resolveLimits` would ignore: for programs that the environment belongs to. @throws {ReaderError} BAD_INPUT */
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
