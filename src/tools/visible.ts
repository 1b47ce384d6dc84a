// Makes control and invisible characters in file text visible, so that none takes effect or stays hidden.

import { HIDDEN, isSpelling } from '../contract/index.ts';

/**
 * `text` on one line. C0 controls and DEL become their pictures (U+2400 on), other hidden characters `\u{...}`, except
 * those that an emoji or a script needs; a tab stays.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character: string, at: number) => {
    const code = character.codePointAt(0) ?? 0;
    if (code === 9 || isSpelling(character, at, text)) return character;
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? '\u2421' : `\\u{${code.toString(16)}}`;
  });
}
