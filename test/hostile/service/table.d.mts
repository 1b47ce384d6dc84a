// Types of table.mjs for tests in TypeScript.

import type { ServiceCase } from './cases.d.mts';

export function runServiceCases(
  cases: readonly ServiceCase[],
  options: { readonly dataDir: string; readonly idle?: number; readonly dist?: string },
): AsyncIterable<{
  readonly name: string;
  readonly outcome: string;
  readonly faults: readonly string[];
  readonly seconds: number;
  readonly peak: number;
}>;
