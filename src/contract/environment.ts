// Looks up settings in environment variables. Pure: nothing here reads `process.env`.

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of `variable`, else of its `alias`; undefined if neither is set to a non-empty value. */
export function settingOf(
  environment: Environment,
  { variable, alias }: { readonly variable: string; readonly alias?: string },
): string | undefined {
  return environment[variable] || (alias === undefined ? undefined : environment[alias]) || undefined;
}

/** Which of the two names `settingOf` took its value from, for messages. */
export function settingName(
  environment: Environment,
  { variable, alias }: { readonly variable: string; readonly alias?: string },
): string {
  return environment[variable] || alias === undefined ? variable : alias;
}

/** Where workspaces, the cache and the service store their files. */
export const DATA_DIRECTORY = { variable: 'LECTERN_DATA_DIR', alias: 'DATA_DIR' } as const;
