import type { Reader } from '../../src/index.ts';

export interface ChaosDocument {
  readonly name: string;
  readonly steps: readonly string[];
  readonly outcome: string;
}

export interface ChaosOutcome {
  readonly expected: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
  readonly times: readonly number[];
}

export declare function documents(count: number, seed: number, calm?: boolean): ChaosDocument[];
export declare function readAll(
  reader: Reader,
  all: readonly ChaosDocument[],
  callers: number,
): Promise<ChaosOutcome>;
