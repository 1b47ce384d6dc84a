// Detects list markers at the start of a line: bullets of all fonts, numbers, letters.

import type { Line } from './line.ts';

/** A list marker and what follows it. */
export interface ListMark {
  readonly kind: 'bullet' | 'number' | 'letter';
  /** Its Markdown form: `-`, or the number with its dot. */
  readonly marker: string;
  /** Its length in the line's text. */
  readonly length: number;
  /** Its number, or 0. */
  readonly value: number;
  /** Left edge of the text after it. */
  readonly text: number;
}

const BULLET =
  /^(?:[\u2022\u2023\u2043\u204C\u204D\u2219\u25A0-\u25A3\u25AA\u25AB\u25B6\u25B8\u25BA\u25C6\u25C7\u25C9\u25CB-\u25CF\u25E6\u25FB-\u25FE\u2605\u2606\u2610-\u2612\u2713-\u2718\u274F-\u2752\u2756\u2794-\u27BE\u2B00-\u2BFF\u21D2\u21E8\uF000-\uF0FF\uFFFD\u00B7\u30FB]|[-\u2013\u2014*+o\u00A7\u2192](?=\s|$))$/u;
const NUMBER = /^\(?(\d{1,3})[.)]$/u;
const LETTER = /^(?:\([a-z]{1,4}\)|[a-z]\)|[A-Z]\)|[ivx]{1,5}[.)])$/u;

/** Bullets that say something of their item: boxes, ticks and crosses stay in its text. */
const TELLS = /^[\u2610-\u2612\u2713-\u2718]$/u;

/** The list marker of a line, if its first word is one and more words follow. */
export function listMark(line: Line): ListMark | undefined {
  const first = line.words[0];
  if (first === undefined) return undefined;
  const second = line.words[1];
  const glued = gluedBullet(first.text);
  if (glued > 0) {
    const glyph = first.glyphs[1];
    return { kind: 'bullet', marker: '-', length: glued, value: 0, text: glyph?.x ?? first.left };
  }
  if (second === undefined) return undefined;
  const length = first.text.length;
  if (BULLET.test(first.text)) {
    const isKept = TELLS.test(first.text);
    return { kind: 'bullet', marker: '-', length: isKept ? 0 : length, value: 0, text: second.left };
  }
  const number = NUMBER.exec(first.text);
  if (number?.[1] !== undefined) {
    const value = Number(number[1]);
    const plain = first.text.startsWith('(') ? undefined : `${value}${first.text.slice(-1)}`;
    return plain === undefined
      ? { kind: 'letter', marker: '-', length: 0, value, text: second.left }
      : { kind: 'number', marker: plain, length, value, text: second.left };
  }
  if (LETTER.test(first.text)) return { kind: 'letter', marker: '-', length: 0, value: 0, text: second.left };
  return undefined;
}

export function isListStart(line: Line): boolean {
  return listMark(line) !== undefined;
}

/** A bullet so close to its text that both are one word; returns the bullet's length. */
function gluedBullet(text: string): number {
  return text.length > 1 && /^[\u2022\u25AA\u25CF\u25A0\u25E6\u27A2\uF0B7\uF0A7][^\s]/u.test(text) ? 1 : 0;
}
