export function attacks(): {
  readonly name: string;
  readonly sql: string;
  /** Codes of its error; empty if it is answered. */
  readonly codes: readonly string[];
  readonly rows: number | undefined;
}[];
