// Western European text with few characters beyond ASCII, known by what its words look like in windows-1252: statistics
// over letters need more of them than such a text has.

/**
 * Bytes beyond ASCII up to which the look of the words counts. On so few, chardet 2.2 answers with Big5 or Shift_JIS for
 * `Straße` and `20 °C`, at its lowest confidence.
 */
const MOST_BYTES = 24;
/**
 * From here on the answers of chardet for Central European and Baltic text are right far more often than not; on fewer it
 * takes `José` and `Málaga` for Baltic.
 */
const ENOUGH_BYTES = 5;
/** A guess below this is chance. */
const NOISE = 0.2;
/** One letter, however sure the statistics are of it, says little. */
const MOST_SURE = 0.8;

const MOST_OTHERS = 3;

/** Of two or more bytes a character. */
const MULTI_BYTE = /^(?:big5|shift_jis|euc-|gb)/;
/** Of the same languages as windows-1252. */
const WESTERN = /^iso-8859-[19]$/;

/** An encoding found by statistics. */
interface Guessed {
  readonly name: string;
  readonly confidence: number;
  readonly mark: number;
  readonly others?: readonly string[];
}

/**
 * windows-1252 instead of `guess` when the bytes look Western and are too few to support it. `text` is how they read by the
 * guess.
 */
export function preferWestern(guess: Guessed, bytes: Uint8Array, text: string): Guessed {
  const { name, confidence, mark, others = [] } = guess;
  if (!looksWestern(bytes)) return guess;
  const isSame = text === new TextDecoder('windows-1252').decode(bytes);
  const isSettled = isSame ? !WESTERN.test(name) : !MULTI_BYTE.test(name) && confidence >= NOISE;
  if (isSettled && beyondAscii(bytes) >= ENOUGH_BYTES) return guess;
  return {
    name: 'windows-1252',
    confidence: isSame ? Math.min(MOST_SURE, Math.max(confidence, 0.5)) : 0.5,
    mark,
    others: [...new Set([name, ...others])].filter((other) => other !== 'windows-1252').slice(0, MOST_OTHERS),
  };
}

function beyondAscii(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte >= 0x80) count += 1;
  return count;
}

/** Letters of the large Western languages: not those that Turkish, Czech or Polish text shows in their place. */
const LETTERS = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüßœÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ';
const WORD = /[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e]+/g;
const PLAUSIBLE_WORD = new RegExp(
  // A single letter, or letters beyond ASCII next to letters of ASCII, at most two in a row.
  `^(?:[${LETTERS}]|(?=.*[A-Za-z])(?!.*[${LETTERS}]{3})[A-Za-z${LETTERS}]+)$`,
);
/** A capital beyond ASCII after a small letter. */
const BROKEN_CASE = /[a-zß-öø-ÿ][À-ÖØ-Þ]/;

/** Punctuation that may stand inside a word: apostrophes, dashes, the dot of Catalan, a no-break space. */
const JOINING = '\u2019\u2018\u2013\u2014\u2026\u2022\u00b7\u00a0\u00b4';
const QUOTES = '\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a';
const SIGNS = '\u20ac£¥¢§©®\u2122°±²³¹º¼½¾¿¡×÷ªµ\u2020\u2021\u2030';
const KNOWN = new RegExp(`^[\\u0000-\\u007f${LETTERS}${JOINING}${QUOTES}${SIGNS}]*$`);
/** A sign or a quote inside a word; a raised digit before one; a fraction after one. */
const BROKEN_SIGN = new RegExp(
  `[A-Za-z${LETTERS}][${QUOTES}${SIGNS}][A-Za-z${LETTERS}]|[²³¹][A-Za-z${LETTERS}]|[A-Za-z${LETTERS}][¼½¾]`,
);

/** True for a text of at most 24 bytes beyond ASCII which, read as windows-1252, looks like a Western language. */
function looksWestern(bytes: Uint8Array): boolean {
  const beyond = beyondAscii(bytes);
  let visible = 0;
  for (const byte of bytes) if (byte > 0x20) visible += 1;
  // Even text full of accents has three letters of ASCII to two beyond; other scripts have the reverse.
  if (beyond === 0 || beyond > MOST_BYTES || beyond * 5 > visible * 2) return false;
  const text = new TextDecoder('windows-1252').decode(bytes);
  if (!KNOWN.test(text) || BROKEN_SIGN.test(text) || BROKEN_CASE.test(text)) return false;
  for (const [word] of text.matchAll(WORD))
    if (!/^[A-Za-z]+$/.test(word) && !PLAUSIBLE_WORD.test(word)) return false;
  return true;
}
