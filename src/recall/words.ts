// Splits code and prose into words: whole identifiers and their parts. The index and the queries use the same words.

/** A word: letters, digits, combining marks and underscores of any script, as the index splits them. */
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** A boundary between the parts of a compound: `fooBar`, `HTTPServer`, `foo_bar`, `utf8`. */
const SEAM =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})|_+/u;
/** Scripts that write without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Longer words are data such as base64. Their parts are not indexed. */
const MAX_COMPOUND = 200;

/** The parts of a compound in lower case: three for `getUserName`, none for a simple word. In scripts without spaces, pairs of letters. */
export function partsOf(word: string): string[] {
  if (word.length > MAX_COMPOUND) return [];
  if (UNSPACED.test(word)) {
    const letters = [...word.toLowerCase()];
    return letters.length < 3 ? [] : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  }
  const parts = word.split(SEAM).filter((part) => part !== '');
  return parts.length < 2 ? [] : parts.map((part) => part.toLowerCase());
}

/** The words of `text` as the index has them, in order. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** The parts of all compounds in `text`, as a text to index in addition to it. */
export function partsText(text: string): string {
  const parts: string[] = [];
  for (const word of text.match(WORD) ?? []) parts.push(...partsOf(word));
  return parts.join(' ');
}

/** A piece of a query between white space. */
export interface QueryChunk {
  /** In the case of the query, which shows where compounds divide. */
  readonly words: readonly string[];
}

/** `src/app.ts main` as two chunks of three words and one. */
export function chunksOf(query: string): QueryChunk[] {
  return query
    .split(/\s+/)
    .map((chunk) => ({ words: chunk.match(WORD) ?? [] }))
    .filter(({ words }) => words.length > 0);
}
