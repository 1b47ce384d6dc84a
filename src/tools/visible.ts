// Makes control characters in file text visible, so that none takes effect or stays hidden.

const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * `text` on one line. C0 controls and DEL become their pictures (U+2400 on), other controls, line separators, direction
 * and tag characters `\u{...}`; a tab stays.
 */
export function visible(text: string): string {
  return text.replace(CONTROLS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code === 9) return character;
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? '\u2421' : `\\u{${code.toString(16)}}`;
  });
}
