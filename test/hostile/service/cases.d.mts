// Types of cases.mjs for tests in TypeScript.

export interface ServiceCase {
  readonly name: string;
  /** Too slow for every change. */
  readonly heavy?: true;
}

export const SERVICE_CASES: readonly ServiceCase[];
