// Type of a limit definition: name, default, unit, environment variable, flag and meaning. The definitions are the only
// place that states defaults.

import type { Limits } from '../../contract/index.ts';

/** One limit, as named and described by the command line, the environment and the README. */
export interface LimitDefinition<Key extends string = keyof Limits> {
  readonly key: Key;
  /** Environment variable. */
  readonly variable: string;
  /** Unprefixed name, also read. */
  readonly alias?: string;
  /** Long option of the command line, without dashes. */
  readonly flag: string;
  readonly default: number;
  readonly unit: string;
  /**
   * A format limit shapes an answer. A view limit does so if it is set; otherwise the budget decides how much of a file
   * is shown. Exceeding a safety limit fails a call with LIMIT_EXCEEDED, exceeding a quota with QUOTA_EXCEEDED.
   */
  readonly kind: 'format' | 'view' | 'safety' | 'quota';
  readonly meaning: string;
}

const KIB = 1024;
export const MIB: number = 1024 * KIB;
export const GIB: number = 1024 * MIB;
