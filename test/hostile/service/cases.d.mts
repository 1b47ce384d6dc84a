// Types of cases.mjs for tests in TypeScript.

import type { RunningProcess } from './process.d.mts';

export interface ServiceCase {
  readonly name: string;
  run(service: RunningProcess): Promise<string>;
  readonly expect: RegExp;
  /** Too slow for every change. */
  readonly heavy?: true;
}

export const SERVICE_CASES: readonly ServiceCase[];
