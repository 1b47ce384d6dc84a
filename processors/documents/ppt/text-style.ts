// Styles of text on a slide ([MS-PPT] 2.9): runs of paragraphs and of characters, each with what it changes. Masters state
// the same by level.

import { i16, u16, u32 } from '../office97/bytes.ts';
import { words } from '../words.ts';

/** What a run of paragraphs states. */
export interface ParagraphStyle {
  /** Undefined if it is inherited. */
  readonly bullet: boolean | undefined;
}

/** What a run of characters states. */
export interface CharacterStyle {
  readonly bold: boolean;
  readonly italic: boolean;
  /** Above 0 for superscript, below for subscript. */
  readonly position: number;
  /** Number of the entry with its numbering in the newer list of styles. */
  readonly extra: number;
}

export interface StyleRun<T> {
  /** In characters. */
  readonly length: number;
  readonly style: T;
}

export interface TextStyles {
  readonly paragraphs: readonly (StyleRun<ParagraphStyle> & { readonly level: number })[];
  readonly characters: readonly StyleRun<CharacterStyle>[];
}

/** A numbering scheme, by the names of ECMA-376 part 1, 20.1.10.61. */
export interface AutoNumber {
  readonly scheme: string;
  readonly start: number;
}

/** Reads forwards. Past the end, numbers are 0. */
class Cursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  u16(): number {
    this.at += 2;
    return u16(this.bytes, this.at - 2);
  }

  i16(): number {
    this.at += 2;
    return i16(this.bytes, this.at - 2);
  }

  u32(): number {
    this.at += 4;
    return u32(this.bytes, this.at - 4);
  }

  skip(length: number): void {
    this.at += length;
  }
}

const MAX_RUNS = 100_000;

/** The styles of a text of `length` characters ([MS-PPT] 2.9.44, StyleTextPropAtom). */
export function readTextStyles(bytes: Buffer, length: number): TextStyles {
  const cursor = new Cursor(bytes);
  const paragraphs: (StyleRun<ParagraphStyle> & { level: number })[] = [];
  const characters: StyleRun<CharacterStyle>[] = [];
  // The runs cover one character more than the text: the end of its last paragraph.
  for (let left = length + 1; left > 0 && !cursor.done && paragraphs.length < MAX_RUNS; ) {
    const count = Math.min(left, cursor.u32());
    const level = Math.min(8, cursor.u16());
    paragraphs.push({ length: count, level, style: readParagraph(cursor) });
    left -= count;
  }
  for (let left = length + 1; left > 0 && !cursor.done && characters.length < MAX_RUNS; ) {
    const count = Math.min(left, cursor.u32());
    characters.push({ length: count, style: readCharacters(cursor) });
    left -= count;
  }
  return { paragraphs, characters };
}

/** Whether each level of a master's style has a bullet ([MS-PPT] 2.9.36). `instance` is the type of text. */
export function readMasterStyle(bytes: Buffer, instance: number): (boolean | undefined)[] {
  const cursor = new Cursor(bytes);
  const levels: (boolean | undefined)[] = [];
  for (let count = Math.min(5, cursor.u16()); count > 0 && !cursor.done; count -= 1) {
    if (instance >= 5) cursor.skip(2);
    levels.push(readParagraph(cursor).bullet);
    readCharacters(cursor);
  }
  return levels;
}

/** [MS-PPT] 2.9.20, TextPFException: a mask, then the fields it names, in this order. */
function readParagraph(cursor: Cursor): ParagraphStyle {
  const mask = cursor.u32();
  const has = (bits: number): boolean => (mask & bits) !== 0;
  const flags = has(0xf) ? cursor.u16() : 0;
  // Character, font, size, colour of the bullet; alignment and spacing; margin, indent, tab size.
  for (const [bits, size] of PARAGRAPH_FIELDS) if (has(bits)) cursor.skip(size);
  if (has(0x100000)) cursor.skip(cursor.u16() * 4);
  for (const [bits, size] of LATER_FIELDS) if (has(bits)) cursor.skip(size);
  return { bullet: has(1) ? (flags & 1) !== 0 : undefined };
}

const PARAGRAPH_FIELDS: readonly (readonly [bits: number, size: number])[] = [
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
/** Alignment of fonts, wrapping (one field for three bits), direction. */
const LATER_FIELDS: readonly (readonly [bits: number, size: number])[] = [
  [0x10000, 2],
  [0xe0000, 2],
  [0x200000, 2],
];

/** [MS-PPT] 2.9.14, TextCFException. */
function readCharacters(cursor: Cursor): CharacterStyle {
  const mask = cursor.u32();
  const flags = (mask & 0xffff) !== 0 ? cursor.u16() : 0;
  for (const [bits, size] of CHARACTER_FIELDS) if ((mask & bits) !== 0) cursor.skip(size);
  return {
    bold: (flags & mask & 1) !== 0,
    italic: (flags & mask & 2) !== 0,
    position: (mask & 0x80000) === 0 ? 0 : cursor.i16(),
    extra: (flags >> 10) & 15,
  };
}

/** Fonts, size, colour. */
const CHARACTER_FIELDS: readonly (readonly [bits: number, size: number])[] = [
  [0x10000, 2],
  [0x200000, 2],
  [0x400000, 2],
  [0x800000, 2],
  [0x20000, 2],
  [0x40000, 4],
];

/** The numbering of each entry of the newer list of styles ([MS-PPT] 2.9.67, StyleTextProp9Atom). */
export function readAutoNumbers(bytes: Buffer): (AutoNumber | undefined)[] {
  const cursor = new Cursor(bytes);
  const entries: (AutoNumber | undefined)[] = [];
  while (!cursor.done && entries.length < MAX_RUNS) {
    const mask = cursor.u32();
    if ((mask & 0x800000) !== 0) cursor.skip(2);
    const isNumbered = (mask & 0x2000000) !== 0 && cursor.u16() !== 0;
    const hasScheme = (mask & 0x1000000) !== 0;
    const scheme = hasScheme ? cursor.u16() : ARABIC_PERIOD;
    const start = hasScheme ? cursor.u16() : 1;
    entries.push(isNumbered ? { scheme: SCHEMES[scheme] ?? 'arabicPeriod', start } : undefined);
    if ((cursor.u32() & 0x100000) !== 0) cursor.skip(4);
    skipSpecial(cursor);
  }
  return entries;
}

/** Languages and the like ([MS-PPT] 2.9.27, TextSIException). */
function skipSpecial(cursor: Cursor): void {
  const mask = cursor.u32();
  for (const bit of [1, 2, 4, 0x40]) if ((mask & bit) !== 0) cursor.skip(2);
  if ((mask & 0x20) !== 0) cursor.skip(4);
  if ((mask & 0x200) !== 0) cursor.skip(cursor.u32() * 4);
}

const ARABIC_PERIOD = 3;
/** [MS-PPT] 2.13.30, TextAutoNumberSchemeEnum. */
const SCHEMES: readonly string[] = words(
  'alphaLcPeriod alphaUcPeriod arabicParenR arabicPeriod romanLcParenBoth romanLcParenR romanLcPeriod ' +
    'romanUcPeriod alphaLcParenBoth alphaLcParenR alphaUcParenBoth alphaUcParenR arabicParenBoth ' +
    'arabicPlain romanUcParenBoth romanUcParenR',
);
