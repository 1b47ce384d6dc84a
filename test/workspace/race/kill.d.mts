// The types of `kill.mjs`.

export function killWriters(
  dataDir: string,
  rounds: number,
): Promise<{
  readonly whole: number;
  readonly broken: number;
  readonly other: readonly string[];
  readonly left: number;
  readonly leftAfter: number;
}>;
