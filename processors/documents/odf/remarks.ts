// Notes and comments of a document. Collected during the walk, written at the end of the section.

import {
  type Block,
  type Byline,
  CommentedWords,
  cleanText,
  commentBlock,
  noteBlock,
  noteMark,
} from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut } from '../left-out.ts';

const MAX_REMARKS = 100_000;

/** The remarks of one section. `scope` is part of their marks, so that sections never share one. */
export class Remarks {
  readonly #scope: string;
  readonly #notes: Block[] = [];
  readonly #comments: { mark: string; by: Byline; line: string; id: string }[] = [];
  /** The words that comments stand on. */
  readonly words: CommentedWords = new CommentedWords();
  readonly #left: LeftOut;

  constructor(left: LeftOut, scope = '') {
    this.#left = left;
    this.#scope = scope;
  }

  /** Adds a note's lines and returns its mark. */
  note(lines: readonly string[]): string {
    if (this.#isFull(this.#notes)) return '';
    const mark = `${this.#scope}${this.#notes.length + 1}`;
    this.#notes.push(noteBlock(mark, lines));
    return noteMark(mark);
  }

  /** Adds an `office:annotation`, or the remark on a change, and returns its mark. */
  comment(annotation: XmlElement): string {
    if (this.#isFull(this.#comments)) return '';
    const text = annotation
      .elements()
      .filter(({ name }) => name === 'p' || name === 'list')
      .map((element) => element.text())
      .join(' ');
    const line = cleanText(text).replace(/\s+/g, ' ').trim();
    if (line === '') return '';
    const mark = `c${this.#scope}${this.#comments.length + 1}`;
    const by = { author: annotation.child('creator')?.text(), date: annotation.child('date')?.text() };
    // The text up to `annotation-end` follows.
    const id = annotation.get('office:name') ?? annotation.get('name') ?? '';
    if (id !== '') this.words.begin(id);
    this.#comments.push({ mark, by, line, id });
    return noteMark(mark);
  }

  #isFull({ length }: readonly unknown[]): boolean {
    if (length >= MAX_REMARKS) this.#left.lose(`notes or comments after the first ${MAX_REMARKS}`);
    return length >= MAX_REMARKS;
  }

  /** Definitions of the notes and comments that were added. */
  blocks(): Block[] {
    const comments = this.#comments.map(({ mark, by, line, id }) =>
      commentBlock(mark, { ...by, on: this.words.of(id) }, [line]),
    );
    return [...this.#notes, ...comments];
  }
}
