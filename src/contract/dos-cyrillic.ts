// Recognises code page 866, in which DOS and its programs write Cyrillic, and which chardet does not know.

/** Fewer letters do not show a language. */
const LEAST_LETTERS = 8;
/** Share of the bytes above ASCII that are letters; the rest draws boxes. */
const LETTER_SHARE = 0.95;
/** Share of letters beside Latin ones: accented letters of Western text fall on letters of code page 866. */
const MIXED_SHARE = 0.02;
/** Share of letters beside another one: currency and quotation marks of Western text stand alone. */
const JOINED_SHARE = 0.8;
/** Share of the letters а, е, и and о; 30 to 38 % in Russian, Bulgarian, Belarusian and Ukrainian. */
const VOWEL_SHARE = 0.2;

/** А to п, р to я, Ё and ё. */
const isLetter = (byte: number): boolean => (byte >= 0x80 && byte <= 0xaf) || (byte >= 0xe0 && byte <= 0xf1);
const isLatin = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
/** А, Е, И, О and а, е, и, о. */
const VOWELS: ReadonlySet<number> = new Set([0x80, 0x85, 0x88, 0x8e, 0xa0, 0xa5, 0xa8, 0xae]);

/** True for text that is Cyrillic in code page 866 and nothing in other code pages. */
export function isDosCyrillic(sample: Uint8Array): boolean {
  let letters = 0;
  let others = 0;
  let mixed = 0;
  let vowels = 0;
  let joined = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0;
    if (byte < 0x80) continue;
    if (!isLetter(byte)) {
      others += 1;
      continue;
    }
    letters += 1;
    if (VOWELS.has(byte)) vowels += 1;
    if (isLetter(sample[at - 1] ?? 0) || isLetter(sample[at + 1] ?? 0)) joined += 1;
    if (isLatin(sample[at - 1] ?? 0) || isLatin(sample[at + 1] ?? 0)) mixed += 1;
  }
  return (
    letters >= LEAST_LETTERS &&
    letters >= LETTER_SHARE * (letters + others) &&
    mixed <= MIXED_SHARE * letters &&
    joined >= JOINED_SHARE * letters &&
    vowels >= VOWEL_SHARE * letters
  );
}
