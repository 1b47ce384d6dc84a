// The head of a Word file ([MS-DOC] 2.5, the FIB): its version, the lengths of its stories, and where its tables are.

import { u16, u32 } from '../office97/bytes.ts';

/** Lengths of the stories in characters; their texts follow each other in this order. */
export interface StoryLengths {
  readonly main: number;
  readonly footnotes: number;
  readonly headers: number;
  readonly macros: number;
  readonly comments: number;
  readonly endnotes: number;
  readonly boxes: number;
  readonly headerBoxes: number;
}

/** The head of a Word file. */
export interface Fib {
  /** 193 for Word 97; older versions have other structures. */
  readonly version: number;
  readonly encrypted: boolean;
  readonly tableName: '0Table' | '1Table';
  /** Where the text starts, unless pieces say otherwise. */
  readonly textFrom: number;
  readonly textTo: number;
  readonly lengths: StoryLengths;
  /** The place of table `index` ([MS-DOC] 2.5.6) in the table stream. */
  place(index: number): { readonly from: number; readonly length: number };
}

/** Numbers of tables in `FibRgFcLcb97` ([MS-DOC] 2.5.6) and later. */
export const TABLE = {
  styles: 1,
  footnoteMarks: 2,
  footnoteTexts: 3,
  commentMarks: 4,
  commentTexts: 5,
  sections: 6,
  headers: 11,
  characters: 12,
  paragraphs: 13,
  fonts: 15,
  pieces: 33,
  commentAuthors: 36,
  shapes: 40,
  headerShapes: 41,
  endnoteMarks: 46,
  endnoteTexts: 47,
  drawings: 50,
  boxTexts: 56,
  headerBoxTexts: 58,
  lists: 73,
  listOverrides: 74,
  commentDates: 112,
} as const;

const WORD_97 = 0xa5ec;
/** Word 6 and 95, and the Japanese Word 6. */
const OLDER: readonly number[] = [0xa5dc, 0xa697, 0xa699, 0xa698];
const FLAGS = 10;
const TABLES = 154;

/** Versions of Word from this one on have the structures read here; 193 is Word 97. */
export const FIRST_VERSION = 193;

/** The head of the `WordDocument` stream; undefined if it is something else. */
export function readFib(word: Buffer): Fib | undefined {
  const mark = u16(word, 0);
  if (mark !== WORD_97 && !OLDER.includes(mark)) return undefined;
  const flags = u16(word, FLAGS);
  const count = u16(word, TABLES - 2);
  // Beta versions of Word 97 state 0xc0 or 0xc2 ([MS-DOC] 2.5.1).
  const stated = u16(word, 2);
  return {
    version: mark === WORD_97 ? Math.max(stated, FIRST_VERSION) : Math.min(stated, FIRST_VERSION - 1),
    encrypted: (flags & 0x100) !== 0,
    tableName: (flags & 0x200) === 0 ? '0Table' : '1Table',
    textFrom: u32(word, 24),
    textTo: u32(word, 28),
    lengths: {
      main: u32(word, 76),
      footnotes: u32(word, 80),
      headers: u32(word, 84),
      macros: u32(word, 88),
      comments: u32(word, 92),
      endnotes: u32(word, 96),
      boxes: u32(word, 100),
      headerBoxes: u32(word, 104),
    },
    place: (index) =>
      index < count
        ? { from: u32(word, TABLES + index * 8), length: u32(word, TABLES + index * 8 + 4) }
        : { from: 0, length: 0 },
  };
}
