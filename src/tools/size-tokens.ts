// About how many tokens a text file takes, by its size and its kind alone: for lists of files, which open none.

import type { Bytes, FileType, Processor, Tokens } from '../contract/index.ts';

/** The formats whose bytes are what is shown, by ending. */
export type SizedFormats = ReadonlyMap<string, FileType>;

/** Bytes a token of cl100k_base: medians over this package and over packages that it depends on. */
const BYTES_A_TOKEN: Partial<Readonly<Record<FileType, number>>> = {
  csv: 2.4,
  json: 3,
  jsonl: 3,
  markdown: 3.6,
  text: 3.6,
  toml: 3.2,
  xml: 2.8,
  yaml: 2.8,
};
const BYTES_A_TOKEN_OF_CODE = 3.8;

/** @returns the textual formats of `processors` */
export function sizedFormats(processors: readonly Processor[]): SizedFormats {
  return new Map(
    processors
      .filter(({ textual }) => textual)
      .flatMap(({ extensions, fileType }) => extensions.map((ending) => [ending, fileType] as const)),
  );
}

/** Undefined for a file whose bytes say nothing of it. */
export function aboutTokens(name: string, bytes: Bytes, formats: SizedFormats): Tokens | undefined {
  const dot = name.lastIndexOf('.');
  const type = formats.get(name.slice(Math.max(0, dot)).toLowerCase());
  if (dot < 0 || type === undefined) return undefined;
  return Math.ceil(bytes / (BYTES_A_TOKEN[type] ?? BYTES_A_TOKEN_OF_CODE));
}

/** Two figures: a third would claim what is not known. */
export function roundedTokens(tokens: Tokens): Tokens {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1);
  return Math.round(tokens / unit) * unit;
}
