// The lists of a Word file ([MS-DOC] 2.4.6.3): definitions with their levels (PlfLst), and the lists paragraphs refer to
// by number (PlfLfo), which may restart or replace levels.

import type { Level, List, ResolvedList } from '../docx/numbering.ts';
import { i32, u8, u16, u32 } from '../office97/bytes.ts';
import { pairs } from '../words.ts';

const LEVELS = 9;
const MAX_LISTS = 20_000;
const DEFINITION = 28;
const LIST = 16;
/** Fixed part of a level ([MS-DOC] 2.9.150). */
const LEVEL = 28;
const MAX_TEXT = 100;

/** Number formats ([MS-OSHARED] 2.2.1.3 MSONFC) by their names in ECMA-376 part 1, 17.18.59. */
const FORMATS = pairs(
  '1 upperRoman 2 lowerRoman 3 upperLetter 4 lowerLetter 5 ordinal 10 ideographDigital ' +
    '11 japaneseCounting 12 aiueo 13 iroha 14 decimalFullWidth 17 japaneseDigitalTenThousand ' +
    '18 decimalEnclosedCircle 19 decimalFullWidth2 20 aiueoFullWidth 21 irohaFullWidth 22 decimalZero ' +
    '23 bullet 24 ganada 27 decimalEnclosedParen 28 decimalEnclosedCircleChinese ' +
    '30 ideographTraditional 31 ideographZodiac 33 taiwaneseCounting 35 taiwaneseCountingThousand ' +
    '37 chineseCounting 39 chineseCountingThousand 42 koreanCounting 45 hebrew1 46 arabicAlpha ' +
    '47 hebrew2 48 arabicAbjad 58 russianLower 59 russianUpper 255 none',
);

/** The name of a number format; `decimal` for the others. */
const formatName = (code: number): string => FORMATS.get(`${code}`) ?? 'decimal';

/** All lists of a file. */
export class Lists {
  readonly #definitions = new Map<number, Map<number, Level>>();
  readonly #lists: { readonly id: number; readonly list: List }[] = [];

  /** `definitions` and `overrides` start at their tables and may go beyond them: levels follow the stated length. */
  constructor(definitions: Buffer, overrides: Buffer) {
    this.#readDefinitions(definitions);
    this.#readLists(overrides);
  }

  /** The list with that 1-based number, in decimal. */
  readonly resolve = (number: string): ResolvedList | undefined => {
    const found = this.#lists[Number(number) - 1];
    const levels = found && this.#definitions.get(found.id);
    return levels && { key: String(found.id), list: found.list, levels };
  };

  #readDefinitions(bytes: Buffer): void {
    const count = Math.min(MAX_LISTS, u16(bytes, 0));
    let at = 2 + count * DEFINITION;
    for (let index = 0; index < count && at < bytes.length; index += 1) {
      const head = 2 + index * DEFINITION;
      const simple = (u8(bytes, head + 26) & 1) === 1;
      const levels = new Map<number, Level>();
      for (let level = 0; level < (simple ? 1 : LEVELS); level += 1) {
        const read = readLevel(bytes, at);
        levels.set(level, read.level);
        at = read.end;
      }
      this.#definitions.set(i32(bytes, head), levels);
    }
  }

  #readLists(bytes: Buffer): void {
    const count = Math.min(MAX_LISTS, u32(bytes, 0));
    let at = 4 + count * LIST;
    for (let index = 0; index < count && 4 + index * LIST < bytes.length; index += 1) {
      const head = 4 + index * LIST;
      const starts = new Map<number, number>();
      const levels = new Map<number, Level>();
      at += 4;
      for (let left = Math.min(LEVELS, u8(bytes, head + 12)); left > 0; left -= 1) {
        const flags = u32(bytes, at + 4);
        const level = Math.min(LEVELS - 1, flags & 15);
        if ((flags & 0x10) !== 0) starts.set(level, Math.max(0, i32(bytes, at)));
        at += 8;
        if ((flags & 0x20) === 0) continue;
        const read = readLevel(bytes, at);
        levels.set(level, read.level);
        at = read.end;
      }
      this.#lists.push({ id: i32(bytes, head), list: { definition: '', starts, levels } });
    }
  }
}

/** A level ([MS-DOC] 2.9.149 LVL) and where it ends. */
function readLevel(bytes: Buffer, at: number): { readonly level: Level; readonly end: number } {
  const text = at + LEVEL + u8(bytes, at + 24) + u8(bytes, at + 25);
  const length = u16(bytes, text);
  let label = '';
  for (let index = 0; index < Math.min(length, MAX_TEXT); index += 1) {
    const code = u16(bytes, text + 2 + index * 2);
    // A place for the number of a level.
    label += code < LEVELS ? `%${code + 1}` : String.fromCharCode(code);
  }
  const flags = u8(bytes, at + 5);
  const format = formatName(u8(bytes, at + 4));
  return {
    level: {
      start: Math.max(0, i32(bytes, at)),
      format,
      text: label.replace(/\p{Surrogate}/gu, ''),
      restart: (flags & 8) === 0 ? undefined : u8(bytes, at + 26),
      legal: (flags & 4) !== 0,
      style: undefined,
    },
    end: text + 2 + length * 2,
  };
}
