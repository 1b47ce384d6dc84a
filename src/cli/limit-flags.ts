// Parses the flags that set limits.

import { type Environment, type HistoryLimits, type QueryLimits, quoted } from '../contract/index.ts';
import { type IsolationLimits, type Limits, ReaderError, type WorkspaceLimits } from '../index.ts';
import {
  checkEnvironment,
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  QUERY_LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import { SERVICE_LIMIT_DEFINITIONS, type ServiceLimits } from '../service/limits.ts';
import type { Command } from './command.ts';
import type { Values } from './options.ts';
import { sizeOf } from './sizes.ts';

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function limitsFrom(values: Values): Partial<Limits> {
  return fromFlags(LIMIT_DEFINITIONS, values);
}

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function workspaceLimitsFrom(values: Values): Partial<WorkspaceLimits> {
  return fromFlags(WORKSPACE_LIMIT_DEFINITIONS, values);
}

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function historyLimitsFrom(values: Values): Partial<HistoryLimits> {
  return fromFlags(HISTORY_LIMIT_DEFINITIONS, values);
}

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function serviceLimitsFrom(values: Values): Partial<ServiceLimits> {
  return fromFlags(SERVICE_LIMIT_DEFINITIONS, values);
}

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function isolationLimitsFrom(values: Values): Partial<IsolationLimits> {
  return fromFlags(ISOLATION_LIMIT_DEFINITIONS, values);
}

/** @throws {ReaderError} BAD_INPUT for a value that is not a number */
export function queryLimitsFrom(values: Values): Partial<QueryLimits> {
  return fromFlags(QUERY_LIMIT_DEFINITIONS, values);
}

const DEFINITIONS: readonly LimitDefinition<string>[] = [
  ...LIMIT_DEFINITIONS,
  ...WORKSPACE_LIMIT_DEFINITIONS,
  ...HISTORY_LIMIT_DEFINITIONS,
  ...ISOLATION_LIMIT_DEFINITIONS,
  ...QUERY_LIMIT_DEFINITIONS,
  ...SERVICE_LIMIT_DEFINITIONS,
];

/** Rejects an invalid environment variable for a limit of the command. @throws {ReaderError} BAD_INPUT */
export function checkVariables({ options, variables = [] }: Command, environment: Environment): void {
  const flags = new Set(options.map(({ name }) => name));
  checkEnvironment([...DEFINITIONS.filter(({ flag }) => flags.has(flag)), ...variables], environment);
}

function fromFlags<Key extends string>(
  definitions: readonly LimitDefinition<Key>[],
  values: Values,
): Partial<Record<Key, number>> {
  const limits: Partial<Record<Key, number>> = {};
  for (const { flag, key } of definitions) {
    const value = values[flag];
    if (typeof value !== 'string') continue;
    const size = sizeOf(value);
    // An answer needs at least one token.
    const least = key === 'maxTokensPerFile' ? 1 : 0;
    if (size === null || size < least)
      throw new ReaderError(
        'BAD_INPUT',
        `\`--${flag}\` is ${quoted(value)}; expected an integer of ${least} or more.`,
        `Example: \`--${flag} 100\` or \`--${flag} 5k\`.`,
      );
    limits[key] = size;
  }
  return limits;
}

/** The value of `--name`; undefined if it is not given. @throws {ReaderError} BAD_INPUT */
export function integerFrom(
  values: Values,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const value = values[name];
  if (typeof value !== 'string') return undefined;
  const number = sizeOf(value);
  if (number !== null && number >= least && number <= most) return number;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${name}\` is ${quoted(value)}; expected an integer from ${least} to ${most}.`,
    `Example: \`--${name} ${Math.max(1, least)}\`.`,
  );
}
