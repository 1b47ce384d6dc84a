// What words are in code and prose: identifiers whole, and the parts they are made of. Text is indexed by these, and queries
// are read by them.

/** A letter, digit or underscore in any script: what one word is made of. */
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Where a compound has a seam: `fooBar`, `HTTPServer`, `foo_bar`, `utf8`. */
const SEAM =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})|_+/u;
/** Scripts that write without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Longer runs are data: base64, hashes of hashes. Their parts are not indexed. */
const MAX_COMPOUND = 200;

/** The parts of a compound, lower case: of `getUserName` three. Empty for a word that has no seam. Pairs of letters where words have no spaces. */
export function partsOf(word: string): string[] {
  if (word.length > MAX_COMPOUND) return [];
  if (UNSPACED.test(word)) {
    const letters = [...word.toLowerCase()];
    return letters.length < 3 ? [] : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  }
  const parts = word.split(SEAM).filter((part) => part !== '');
  return parts.length < 2 ? [] : parts.map((part) => part.toLowerCase());
}

/** The parts of all compounds of `text`, as a text to index beside it. */
export function partsText(text: string): string {
  const parts: string[] = [];
  for (const word of text.match(WORD) ?? []) parts.push(...partsOf(word));
  return parts.join(' ');
}

/** One blank-separated piece of a query. */
export interface QueryChunk {
  /** As written: their case shows the seams. */
  readonly words: readonly string[];
}

/** `src/app.ts main` as two chunks of three words and one. */
export function chunksOf(query: string): QueryChunk[] {
  return query
    .split(/\s+/)
    .map((chunk) => ({ words: chunk.match(WORD) ?? [] }))
    .filter(({ words }) => words.length > 0);
}
