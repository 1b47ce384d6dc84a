// Print headers and footers: codes for fonts and fields in plain text (ECMA-376 part 1, 18.3.1.39).

const FIELDS: Readonly<Record<string, string>> = {
  P: '[page]',
  N: '[pages]',
  D: '[date]',
  T: '[time]',
  A: '[sheet]',
  F: '[file]',
  Z: '[path]',
  G: '[picture]',
};
const CODES = /&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|([\s\S]))/g;

/** Left, centre and right as one text; `''` if it holds only fields. */
export function marginText(code: string): string {
  const text = code
    .replace(CODES, (_, letter: string | undefined) => {
      if (letter === undefined) return '';
      if (letter === '&') return '&';
      return /[LCR]/i.test(letter) ? '\n' : (FIELDS[letter.toUpperCase()] ?? '');
    })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
  return hasWords(text) ? text : '';
}

/** False for fields and punctuation only, such as `[page] / [pages]`. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(/\[(?:page|pages|date|time|sheet|file|path)\]/g, ''));
}
