// Every limit once: its name, default, unit, environment variable, flag and meaning. Nothing else states a default.

import type { Limits } from '../../contract/index.ts';

/** One limit, as the command line, the environment and the README name and describe it. */
export interface LimitDefinition<Key extends string = keyof Limits> {
  readonly key: Key;
  /** Environment variable. */
  readonly variable: string;
  /** A name without prefix that is read as well. */
  readonly alias?: string;
  /** Long option of the command line, without dashes. */
  readonly flag: string;
  readonly default: number;
  readonly unit: string;
  /**
   * A format limit shapes an answer; a view limit does so where it is set, and otherwise the budget decides how much of a
   * file is shown; a safety limit makes a call fail with LIMIT_EXCEEDED, a quota with QUOTA_EXCEEDED.
   */
  readonly kind: 'format' | 'view' | 'safety' | 'quota';
  readonly meaning: string;
}

const KIB = 1024;
export const MIB: number = 1024 * KIB;
export const GIB: number = 1024 * MIB;
