// Normalises the letters of a word: accents on their letters, right-to-left text in reading order.

import type { Glyph } from '../ink/ink.ts';
import { isRightToLeft } from './scripts.ts';

const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['`', '\u0300'],
  ['\u02CB', '\u0300'],
  ['\u00B4', '\u0301'],
  ['\u02CA', '\u0301'],
  ['^', '\u0302'],
  ['\u02C6', '\u0302'],
  ['~', '\u0303'],
  ['\u02DC', '\u0303'],
  ['\u00AF', '\u0304'],
  ['\u02C9', '\u0304'],
  ['\u02D8', '\u0306'],
  ['\u02D9', '\u0307'],
  ['\u00A8', '\u0308'],
  ['\u02DA', '\u030A'],
  ['\u02DD', '\u030B'],
  ['\u02C7', '\u030C'],
  ['\u00B8', '\u0327'],
  ['\u02DB', '\u0328'],
]);

/** The characters of one word, with accents drawn over a letter combined with it. */
export function spell(glyphs: readonly Glyph[]): string {
  let text = '';
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index];
    if (glyph === undefined) continue;
    const next = glyphs[index + 1];
    if (next !== undefined) {
      const joined = accented(glyph, next) ?? accented(next, glyph);
      if (joined !== undefined) {
        text += joined;
        index += 1;
        continue;
      }
    }
    text += glyph.text;
  }
  if (isRightToLeft(text)) return reversed(glyphs);
  // Double quotes set as two single ones.
  return text.replace(/\u2018\u2018/gu, '\u201C').replace(/\u2019\u2019/gu, '\u201D');
}

function accented(accent: Glyph, letter: Glyph): string | undefined {
  const mark = ACCENTS.get(accent.text);
  if (mark === undefined || letter.width <= 0) return undefined;
  const middle = accent.x + accent.width / 2;
  if (middle < letter.x || middle > letter.x + letter.width) return undefined;
  const base = letter.text === '\u0131' ? 'i' : letter.text;
  const joined = (base + mark).normalize('NFC');
  return joined.length === 1 && joined !== base ? joined : undefined;
}

/** Letters of a right-to-left word in reading order, with digits unchanged. */
function reversed(glyphs: readonly Glyph[]): string {
  let text = '';
  let figures = '';
  for (let index = glyphs.length - 1; index >= 0; index -= 1) {
    const piece = glyphs[index]?.text ?? '';
    if (/^[\p{Nd}\p{Script=Latin}.,:/%@_-]+$/u.test(piece)) {
      figures = piece + figures;
      continue;
    }
    text += figures;
    figures = '';
    text += MIRRORED.get(piece) ?? piece;
  }
  return text + figures;
}

const MIRRORED: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  [')', '('],
  ['[', ']'],
  [']', '['],
  ['{', '}'],
  ['}', '{'],
  ['<', '>'],
  ['>', '<'],
  ['\u00AB', '\u00BB'],
  ['\u00BB', '\u00AB'],
]);
