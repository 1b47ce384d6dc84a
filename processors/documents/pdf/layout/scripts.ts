// Detects writing systems relevant to layout: ideographs, which need no spaces, and right-to-left scripts.

/**
 * True if the text starts with an ideograph, kana, or their punctuation. Excludes Hangul, which is written with spaces.
 */
export function isCjk(text: string): boolean {
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x2e80) return false;
  return (
    code <= 0x30ff ||
    (code >= 0x31f0 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe4f) ||
    (code >= 0xff00 && code <= 0xffef) ||
    (code >= 0x20000 && code <= 0x3ffff)
  );
}

/** True if the text contains a letter of Hebrew, Arabic, Syriac or another right-to-left script. */
export function isRightToLeft(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x590) continue;
    if (code <= 0x8ff && !isArabicDigit(code)) return true;
    if ((code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc)) return true;
  }
  return false;
}

function isArabicDigit(code: number): boolean {
  return (code >= 0x660 && code <= 0x66c) || (code >= 0x6f0 && code <= 0x6f9);
}

/**
 * Converts words from left-to-right position to reading order: reversed if most words with letters are right-to-left,
 * with runs of the other direction kept in order.
 */
export function readingOrder<Item extends { readonly text: string }>(words: readonly Item[]): Item[] {
  let right = 0;
  let left = 0;
  for (const word of words) {
    if (isRightToLeft(word.text)) right += 1;
    else if (/\p{L}/u.test(word.text)) left += 1;
  }
  const base = right >= left;
  const ordered: Item[] = [];
  let run: Item[] = [];
  const close = (): void => {
    for (let index = run.length - 1; index >= 0; index -= 1) {
      const item = run[index];
      if (item !== undefined) ordered.push(item);
    }
    run = [];
  };
  const from = base ? words.length - 1 : 0;
  const step = base ? -1 : 1;
  for (let index = from; index >= 0 && index < words.length; index += step) {
    const word = words[index];
    if (word === undefined) continue;
    if (isRightToLeft(word.text) === base) {
      close();
      ordered.push(word);
    } else if (base ? isWestern(word.text) || run.length === 0 : true) run.push(word);
    else {
      close();
      run.push(word);
    }
  }
  close();
  return ordered;
}

function isWestern(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Characters from left to right: those of a right-to-left line in reverse, but its numbers as they are. */
export function visualOrder(characters: readonly string[]): readonly string[] {
  if (!characters.some((character) => isRightToLeft(character))) return characters;
  const runs: string[][] = [];
  let inNumber = false;
  for (const character of characters) {
    const isDigit = /[\d.,:/]/.test(character);
    if (isDigit && inNumber) runs.at(-1)?.push(character);
    else runs.push([character]);
    inNumber = isDigit;
  }
  return runs.reverse().flat();
}
