// Normalises the text of a glyph: decomposes Latin ligatures and Arabic presentation forms, maps private use characters
// of symbol fonts, and replaces meaningless ones by U+FFFD.

/** Bullets and marks of the Symbol and Wingdings fonts at F000 + code (their published code charts). */
const SYMBOLS: ReadonlyMap<number, string> = new Map([
  [0xf020, ' '],
  [0xf02d, '-'],
  [0xf06c, '\u25cf'],
  [0xf06e, '\u25a0'],
  [0xf06f, '\u25a1'],
  [0xf071, '\u2751'],
  [0xf075, '\u25c6'],
  [0xf076, '\u2756'],
  [0xf077, '\u25c6'],
  [0xf09f, '\u2022'],
  [0xf0a7, '\u25aa'],
  [0xf0a8, '\u25fb'],
  [0xf0b7, '\u2022'],
  [0xf0d8, '\u27a2'],
  [0xf0de, '\u21d2'],
  [0xf0e0, '\u2192'],
  [0xf0e8, '\u2794'],
  [0xf0f0, '\u21e8'],
  [0xf0fb, '\u2718'],
  [0xf0fc, '\u2713'],
  [0xf0fe, '\u2611'],
]);

/** Maximum characters per glyph; a file's own table may claim more. */
const MOST_CHARACTERS = 32;

const KNOWN = new Map<string, string>();

/** The text of a glyph for which the font states `unicode`. */
export function glyphText(unicode: string): string {
  // The common case.
  if (unicode.length === 1) {
    const code = unicode.charCodeAt(0);
    if (code >= 0x20 && code < 0x7f) return unicode;
  }
  const known = KNOWN.get(unicode);
  if (known !== undefined) return known;
  const text = plain(unicode.slice(0, MOST_CHARACTERS));
  if (KNOWN.size > 20_000) KNOWN.clear();
  KNOWN.set(unicode, text);
  return text;
}

function plain(unicode: string): string {
  let text = '';
  for (const character of unicode.replace(/\p{Surrogate}/gu, '\ufffd')) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x09 || code === 0x0a || code === 0x0d || code === 0xa0) text += ' ';
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) text += '\ufffd';
    else if ((code >= 0xfb00 && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc))
      text += character.normalize('NFKC');
    else if (code >= 0xe000 && code <= 0xf8ff) text += SYMBOLS.get(code) ?? symbolAscii(code);
    else if (code >= 0xf0000) text += '\ufffd';
    else text += character;
  }
  return text === '' ? '\ufffd' : text;
}

/** Symbol fonts have digits and a few signs at their ASCII codes; letters there are Greek or pictures. */
function symbolAscii(code: number): string {
  const ascii = code - 0xf000;
  return (ascii >= 0x30 && ascii <= 0x39) ||
    ascii === 0x28 ||
    ascii === 0x29 ||
    ascii === 0x2b ||
    ascii === 0x2e
    ? String.fromCharCode(ascii)
    : '\ufffd';
}
