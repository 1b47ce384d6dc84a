// Recognises Western European text with few non-ASCII characters by its words in windows-1252; letter statistics need
// more of them.

/**
 * Maximum non-ASCII bytes for which word shapes decide. On so few, chardet 2.2 answers Big5 or Shift_JIS for `Straße`
 * and `20 °C`, at its lowest confidence.
 */
const MOST_BYTES = 24;
/**
 * From this many on, chardet's answers for Central European and Baltic text are mostly right; on fewer it takes `José`
 * and `Málaga` for Baltic.
 */
const ENOUGH_BYTES = 5;
/** A guess below this confidence is chance. */
const NOISE = 0.2;
/** Maximum confidence of the statistics to override when there is a single letter. */
const MOST_SURE = 0.8;

const MOST_OTHERS = 3;

/** Encodings with two or more bytes per character. */
const MULTI_BYTE = /^(?:big5|shift_jis|euc-|gb)/;
/** Encodings for the same languages as windows-1252. */
const WESTERN = /^iso-8859-[19]$/;

/** An encoding found by statistics. */
interface Guessed {
  readonly name: string;
  readonly confidence: number;
  readonly mark: number;
  readonly others?: readonly string[];
}

/**
 * windows-1252 instead of `guess` when the bytes look Western and are too few to support it. `text` is the text decoded
 * by the guess.
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

/** Letters of the major Western languages, without those that Turkish, Czech or Polish text has in their place. */
const LETTERS = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüßœÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ';
const WORD = /[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e]+/g;
const PLAUSIBLE_WORD = new RegExp(
  // A single letter, or non-ASCII letters next to ASCII letters, at most two in a row.
  `^(?:[${LETTERS}]|(?=.*[A-Za-z])(?!.*[${LETTERS}]{3})[A-Za-z${LETTERS}]+)$`,
);
/** A non-ASCII capital after a small letter. */
const BROKEN_CASE = /[a-zß-öø-ÿ][À-ÖØ-Þ]/;

/** Punctuation allowed inside a word: apostrophes, dashes, the Catalan dot, a no-break space. */
const JOINING = '\u2019\u2018\u2013\u2014\u2026\u2022\u00b7\u00a0\u00b4';
const QUOTES = '\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a';
const SIGNS = '\u20ac£¥¢§©®\u2122°±²³¹º¼½¾¿¡×÷ªµ\u2020\u2021\u2030';
const KNOWN = new RegExp(`^[\\u0000-\\u007f${LETTERS}${JOINING}${QUOTES}${SIGNS}]*$`);
/** A sign or a quote inside a word, a superscript digit before one, or a fraction after one. */
const BROKEN_SIGN = new RegExp(
  `[A-Za-z${LETTERS}][${QUOTES}${SIGNS}][A-Za-z${LETTERS}]|[²³¹][A-Za-z${LETTERS}]|[A-Za-z${LETTERS}][¼½¾]`,
);

/** True for text with at most 24 non-ASCII bytes that looks like a Western language in windows-1252. */
function looksWestern(bytes: Uint8Array): boolean {
  const beyond = beyondAscii(bytes);
  let visible = 0;
  for (const byte of bytes) if (byte > 0x20) visible += 1;
  // Even heavily accented text has three ASCII letters for every two others; other scripts have the reverse.
  if (beyond === 0 || beyond > MOST_BYTES || beyond * 5 > visible * 2) return false;
  const text = new TextDecoder('windows-1252').decode(bytes);
  if (!KNOWN.test(text) || BROKEN_SIGN.test(text) || BROKEN_CASE.test(text)) return false;
  for (const [word] of text.matchAll(WORD))
    if (!/^[A-Za-z]+$/.test(word) && !PLAUSIBLE_WORD.test(word)) return false;
  return true;
}
