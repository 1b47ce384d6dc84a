// The names of a Word file's fonts ([MS-DOC] 2.9.286 SttbfFfn), by number.

import { beforeNul, u8, u16, utf16 } from '../office97/bytes.ts';

const MAX_FONTS = 10_000;
/** Bytes of an entry before its name ([MS-DOC] 2.9.85). */
const NAME = 40;
const MAX_NAME = 64;

export function readFonts(bytes: Buffer): readonly string[] {
  const count = Math.min(MAX_FONTS, u16(bytes, 0));
  const fonts: string[] = [];
  for (let at = 4; fonts.length < count && at < bytes.length; at += u8(bytes, at) + 1) {
    const length = Math.min(MAX_NAME, Math.max(0, u8(bytes, at) + 1 - NAME) >> 1);
    fonts.push(beforeNul(utf16(bytes, at + NAME, length)));
  }
  return fonts;
}
