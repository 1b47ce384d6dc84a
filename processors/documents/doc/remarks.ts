// Footnotes, endnotes and comments of a Word file: where they are referred to, and where their texts are ([MS-DOC] 2.8.8,
// 2.8.9 and others). Numbers them in order of reference.

import { countBefore } from '../../../src/contract/index.ts';
import type { Byline } from '../../../src/document/index.ts';
import { type RemarkKind, RemarkNumbers } from '../docx/remarks.ts';
import { u16, u32, utf16 } from '../office97/bytes.ts';
import { TABLE } from './fib.ts';
import { Plex } from './plex.ts';
import type { Range, WordFile } from './word-file.ts';

interface Reference extends Range {
  readonly kind: RemarkKind;
  /** Of a comment. */
  readonly by: Byline;
}

/** A remark that the text refers to, with the positions of its text. */
export interface Remark extends Reference {
  /** For example `e1`. */
  readonly mark: string;
}

const MAX_REMARKS = 100_000;
const MAX_AUTHORS = 10_000;
/** [MS-DOC] 2.9.7, ATRDPre10, and 2.9.6, ATRDPost10. */
const COMMENT = 30;
const COMMENT_DATE = 18;

/** The remarks of one file, by the position of the character that refers to them. */
export class Remarks {
  /** Remarks in order of reference, each once. */
  readonly referred: Remark[] = [];
  readonly #references = new Map<number, Reference>();
  /** References by a character of the user's choice, ascending. */
  readonly #custom: number[];
  readonly #marks = new Map<Reference, string>();
  readonly #numbers: RemarkNumbers;

  constructor(file: WordFile, text: string) {
    this.#read(file, 'footnote', TABLE.footnoteMarks, TABLE.footnoteTexts, 2);
    this.#numbers = new RemarkNumbers(this.#references.size > 0);
    this.#read(file, 'endnote', TABLE.endnoteMarks, TABLE.endnoteTexts, 2);
    this.#read(file, 'comment', TABLE.commentMarks, TABLE.commentTexts, COMMENT);
    this.#custom = [...this.#references.keys()]
      .filter((position) => text[position] !== '\u0002' && text[position] !== '\u0005')
      .sort((a, b) => a - b);
  }

  #read(file: WordFile, kind: RemarkKind, marks: number, texts: number, size: number): void {
    const references = new Plex(file.part(marks), size);
    const places = new Plex(file.part(texts), 0);
    const story = file.stories[`${kind}s`];
    const authors = kind === 'comment' ? authorsOf(file.part(TABLE.commentAuthors)) : [];
    const dates = kind === 'comment' ? file.part(TABLE.commentDates) : Buffer.alloc(0);
    const count = Math.min(MAX_REMARKS, references.count, places.count);
    let room = story.to - story.from;
    for (let index = 0; index < count; index += 1) {
      const from = Math.min(story.to, story.from + places.position(index));
      const to = Math.min(story.to, story.from + places.position(index + 1));
      const position = references.position(index);
      // Texts do not overlap, and belong to the body.
      room -= to - from;
      if (to < from || room < 0 || position >= file.stories.main.to) continue;
      const by =
        kind === 'comment'
          ? {
              author: authors[u16(references.data(index), 20)],
              date: dateOf(u32(dates, index * COMMENT_DATE)),
            }
          : {};
      this.#references.set(position, { kind, by, from, to });
    }
  }

  /** The mark for the reference at `position`; empty if there is none. */
  refer(position: number): string {
    const reference = this.#references.get(position);
    if (!reference) return '';
    const known = this.#marks.get(reference);
    if (known !== undefined) return known;
    const mark = this.#numbers.next(reference.kind);
    this.#marks.set(reference, mark);
    this.referred.push({ ...reference, mark });
    return mark;
  }

  /** The first reference by a character of the user's choice from `position` on. */
  customFrom(position: number): number | undefined {
    return this.#custom[countBefore(this.#custom.length, (at) => (this.#custom[at] ?? 0) < position)];
  }
}

/** Names one after the other, each with its length ([MS-DOC] 2.7.2, GrpXstAtnOwners). */
function authorsOf(bytes: Buffer): string[] {
  const authors: string[] = [];
  for (let at = 0; at + 2 <= bytes.length && authors.length < MAX_AUTHORS; ) {
    const length = u16(bytes, at);
    authors.push(utf16(bytes, at + 2, Math.min(length, 255)));
    at += 2 + length * 2;
  }
  return authors;
}

/** `2004-05-31` of a date in Word's form ([MS-DOC] 2.9.70, DTTM); undefined if it is not set. */
function dateOf(value: number): string | undefined {
  const day = (value >> 11) & 31;
  const month = (value >> 16) & 15;
  if (day === 0 || month === 0 || month > 12) return undefined;
  const year = 1900 + ((value >>> 20) & 0x1ff);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
