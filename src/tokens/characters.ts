// Classifies code points for the pre-tokenizer. Not a Unicode library: eight kinds, determined by this runtime's regular
// expressions, so that text is split exactly as by js-tiktoken's patterns on the same Node.js.

/** One bit per kind; each code point has exactly one. 0 means not determined yet. */
export const SPACE = 1;
export const NEWLINE = 2;
export const NUMBER = 4;
/** Lu, Lt */
export const UPPER = 8;
/** Ll */
export const LOWER = 16;
/** Lm, Lo */
export const CASELESS = 32;
/** M */
export const MARK = 64;
export const OTHER = 128;

export const LETTER: number = UPPER | LOWER | CASELESS;

const KINDS: readonly (readonly [number, RegExp])[] = [
  [SPACE, /[^\S\r\n]+/gu],
  [NEWLINE, /[\r\n]+/gu],
  [NUMBER, /\p{N}+/gu],
  [UPPER, /[\p{Lu}\p{Lt}]+/gu],
  [LOWER, /\p{Ll}+/gu],
  [CASELESS, /[\p{Lm}\p{Lo}]+/gu],
  [MARK, /\p{M}+/gu],
];

const BLOCK = 256;
const SURROGATES_FROM = 0xd800;
const SURROGATES_END = 0xe000;

/** Kinds by code point, filled block by block on demand, so that most of its 1.1 MB stays unused. */
const kinds = new Uint8Array(0x110000);

function fillBlock(codePoint: number): void {
  const first = codePoint - (codePoint % BLOCK);
  kinds.fill(OTHER, first, first + BLOCK);
  if (first >= SURROGATES_FROM && first < SURROGATES_END) return;
  const block = String.fromCodePoint(...Array.from({ length: BLOCK }, (_, at) => first + at));
  const width = first > 0xffff ? 2 : 1;
  for (const [kind, pattern] of KINDS) {
    for (const match of block.matchAll(pattern)) {
      const from = first + match.index / width;
      kinds.fill(kind, from, from + match[0].length / width);
    }
  }
}

/** The kind of a code point, `0..0x10FFFF`; a lone surrogate is OTHER. */
function kindOf(codePoint: number): number {
  const kind = kinds[codePoint] ?? OTHER;
  if (kind !== 0) return kind;
  fillBlock(codePoint);
  return kinds[codePoint] ?? OTHER;
}

/** The code point at `at`, which must be inside `text`; for a lone surrogate, its own value. */
function codePointAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) !== 0xd800 || at + 1 >= text.length) return unit;
  const low = text.charCodeAt(at + 1);
  return (low & 0xfc00) === 0xdc00 ? ((unit & 0x3ff) << 10) + (low & 0x3ff) + 0x10000 : unit;
}

/** The kind of the character at `at`; 0 at the end of `text`. */
export function kindAt(text: string, at: number): number {
  return at < text.length ? kindOf(codePointAt(text, at)) : 0;
}

/** End of the character at `at`, which must be inside `text`. */
export function characterEnd(text: string, at: number): number {
  return codePointAt(text, at) > 0xffff ? at + 2 : at + 1;
}

/** The first position from `at` on whose character is not in `mask`; the end of `text` if all are. */
export function skip(text: string, at: number, mask: number): number {
  const end = text.length;
  let position = at;
  while (position < end) {
    let codePoint = text.charCodeAt(position);
    let width = 1;
    if ((codePoint & 0xfc00) === 0xd800) {
      codePoint = codePointAt(text, position);
      if (codePoint > 0xffff) width = 2;
    }
    const kind = kinds[codePoint] ?? OTHER;
    if (((kind === 0 ? kindOf(codePoint) : kind) & mask) === 0) return position;
    position += width;
  }
  return end;
}
