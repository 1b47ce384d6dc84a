// The styles of a Word file ([MS-DOC] 2.4.6.5 and 2.9.271 STSH), with inheritance. A built-in style is known by its
// number, which does not depend on the language of Word.

import { byName, CODE_NAME, type ParagraphLook, PLAIN, type RunLook } from '../docx/styles.ts';
import { beforeNul, u8, u16, utf16 } from '../office97/bytes.ts';
import { changeLook, type MutableLook } from './character.ts';
import { type ParagraphFormat, paragraphFormat } from './paragraph-format.ts';
import { eachSprm } from './sprm.ts';

interface Style {
  readonly name: string;
  readonly kind: number;
  readonly base: number;
  readonly paragraph: ParagraphFormat;
  readonly characters: Buffer;
}

const MAX_STYLES = 4096;
const MAX_ANCESTORS = 32;
const PARAGRAPH = 1;
const CHARACTER = 2;
const NO_BASE = 0xfff;
const NONE = Buffer.alloc(0);

/** English names of built-in styles by number ([MS-DOC] 2.9.260), where the name has a meaning. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  ...range(1, 9, 'heading', 1),
  ...range(19, 9, 'toc', 1),
  [48, 'List Bullet'],
  [49, 'List Number'],
  ...range(54, 4, 'List Bullet', 2),
  ...range(58, 4, 'List Number', 2),
  [62, 'Title'],
  [84, 'Block Text'],
  [90, 'Plain Text'],
  [98, 'HTML Code'],
  [101, 'HTML Preformatted'],
  [102, 'HTML Sample'],
  [45, 'macro text'],
]);

function range(first: number, count: number, name: string, number: number): [number, string][] {
  return Array.from({ length: count }, (_, at) => [first + at, `${name} ${number + at}`]);
}

/** The styles by number. */
export class StyleSheet {
  readonly #styles: (Style | undefined)[] = [];
  readonly #fonts: readonly string[];
  readonly #paragraphs = new Map<number, ParagraphLook>();
  readonly #full = new Map<number, RunLook>();
  readonly #characters = new Map<number, RunLook>();

  constructor(bytes: Buffer, fonts: readonly string[]) {
    this.#fonts = fonts;
    const head = u16(bytes, 0);
    const count = Math.min(MAX_STYLES, u16(bytes, 2));
    const base = u16(bytes, 4);
    for (let at = 2 + head; this.#styles.length < count && at + 2 <= bytes.length; ) {
      const length = u16(bytes, at);
      const style = bytes.subarray(at + 2, at + 2 + length);
      this.#styles.push(length < 10 ? undefined : readStyle(style, base));
      // Entries start at even offsets, which their lengths do not count.
      at += 2 + length + (length & 1);
    }
  }

  /** The meaning of a paragraph style. */
  paragraph(number: number): ParagraphLook {
    const known = this.#paragraphs.get(number);
    if (known) return known;
    const look = this.#resolved(number);
    this.#paragraphs.set(number, look);
    return look;
  }

  /** The look of a paragraph style's text, which toggles refer to. */
  full(number: number): RunLook {
    let look = this.#full.get(number);
    if (!look) {
      look = this.#look(this.#line(number));
      this.#full.set(number, look);
    }
    return look;
  }

  /** The look of a character style. */
  character(number: number): RunLook {
    const known = this.#characters.get(number);
    if (known) return known;
    const line = this.#line(number).filter(({ kind }) => kind === CHARACTER);
    const code = line.some(({ name }) => CODE_NAME.test(name));
    const look = { ...this.#look(line), ...(code && { code }) };
    this.#characters.set(number, look);
    return look;
  }

  /** The style and its ancestors, itself first; stops at a cycle. */
  #line(number: number): Style[] {
    const line: Style[] = [];
    let style = this.#styles[number];
    while (style && line.length < MAX_ANCESTORS && !line.includes(style)) {
      line.push(style);
      style = style.base === NO_BASE ? undefined : this.#styles[style.base];
    }
    return line;
  }

  #look(line: readonly Style[]): RunLook {
    const look: MutableLook = {};
    for (const { characters } of [...line].reverse()) {
      const below = { ...look };
      eachSprm(characters, (code, value, bytes) => {
        changeLook(look, code, value, bytes, below, this.#fonts);
      });
    }
    return look;
  }

  #resolved(number: number): ParagraphLook {
    const line = this.#line(number);
    // The first ten numbers are the default style and the headings ([MS-DOC] 2.9.271).
    if (line.length === 0) return number >= 1 && number <= 9 ? { ...PLAIN, heading: number } : PLAIN;
    let named = PLAIN;
    for (const { name } of line) {
      named = byName(name, PLAIN);
      if (named !== PLAIN) break;
    }
    const stated = <Key extends keyof ParagraphFormat>(key: Key): ParagraphFormat[Key] | undefined =>
      line.find(({ paragraph }) => paragraph[key] !== undefined)?.paragraph[key];
    const outline = stated('outline');
    const list = stated('list');
    const level = stated('level');
    const heading = outline === undefined ? named.heading : outline < 9 ? outline + 1 : 0;
    return {
      ...named,
      heading: named.kind === 'title' ? 0 : heading,
      numId: list === undefined ? undefined : String(list),
      listLevel: level === undefined ? undefined : String(level),
      look: this.full(number),
      shaded: stated('shaded') === true,
    };
  }
}

/** `base`: bytes of the fixed part ([MS-DOC] 2.9.258 STD). */
function readStyle(bytes: Buffer, base: number): Style {
  const kind = u16(bytes, 2) & 15;
  const start = Math.max(10, base);
  const length = u16(bytes, start);
  const name = utf16(bytes, start + 2, Math.min(length, 255)).split(',', 1)[0] ?? '';
  let at = start + 2 + (length + 1) * 2;
  const updates: Buffer[] = [];
  for (let index = 0; index < 3 && at + 2 <= bytes.length; index += 1) {
    const size = u16(bytes, at);
    updates.push(bytes.subarray(at + 2, at + 2 + size));
    at += 2 + size + (size & 1);
  }
  const [first = NONE, second = NONE] = updates;
  return {
    name: BUILT_IN.get(u16(bytes, 0) & 0xfff) ?? name.trim(),
    kind,
    base: u16(bytes, 2) >> 4,
    paragraph: paragraphFormat(kind === PARAGRAPH ? [first.subarray(2)] : [], undefined),
    characters: kind === PARAGRAPH ? second : kind === CHARACTER ? first : NONE,
  };
}

const MAX_FONTS = 10_000;
/** Bytes of an entry before its name ([MS-DOC] 2.9.85). */
const FONT_HEAD = 40;
const MAX_FONT_NAME = 64;

/** The names of the fonts ([MS-DOC] 2.9.286 SttbfFfn), by number. */
export function readFonts(bytes: Buffer): readonly string[] {
  const count = Math.min(MAX_FONTS, u16(bytes, 0));
  const fonts: string[] = [];
  for (let at = 4; fonts.length < count && at < bytes.length; at += u8(bytes, at) + 1) {
    const length = Math.min(MAX_FONT_NAME, Math.max(0, u8(bytes, at) + 1 - FONT_HEAD) >> 1);
    fonts.push(beforeNul(utf16(bytes, at + FONT_HEAD, length)));
  }
  return fonts;
}
