// Estimates the tokens of a text file from its size and type, for lists of files that are not opened.

import type { Bytes, FileType, Processor, Tokens } from '../contract/index.ts';

/** The formats that are shown as their bytes, by extension. */
export type SizedFormats = ReadonlyMap<string, FileType>;

/** Bytes per token of cl100k_base: medians over this package and its dependencies. */
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

/** Undefined if the size does not allow an estimate. */
export function aboutTokens(name: string, bytes: Bytes, formats: SizedFormats): Tokens | undefined {
  const dot = name.lastIndexOf('.');
  const type = formats.get(name.slice(Math.max(0, dot)).toLowerCase());
  if (dot < 0 || type === undefined) return undefined;
  return Math.ceil(bytes / (BYTES_A_TOKEN[type] ?? BYTES_A_TOKEN_OF_CODE));
}

/** Two significant digits: more would suggest precision the estimate does not have. */
export function roundedTokens(tokens: Tokens): Tokens {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1);
  return Math.round(tokens / unit) * unit;
}
