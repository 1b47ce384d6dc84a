// An opened Word file: its streams, where its stories are, and the tables its head lists.

import { cannotDecrypt, ReaderError } from '../../../src/contract/index.ts';
import type { CompoundFile } from '../../../src/package/index.ts';
import { openStreams } from '../office97/streams.ts';
import { type Fib, readFib, type StoryLengths } from './fib.ts';

/** A range of character positions. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export class WordFile {
  readonly compound: CompoundFile;
  readonly fib: Fib;
  readonly word: Buffer;
  readonly data: Buffer;
  readonly stories: Readonly<Record<keyof StoryLengths, Range>>;
  readonly hasMacros: boolean;
  readonly #table: Buffer;

  /** @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE; NotThisFormat */
  constructor(bytes: Uint8Array) {
    const { compound, stream } = openStreams(bytes, 'WordDocument', 'a Word document');
    this.compound = compound;
    this.word = stream('WordDocument');
    const fib = readFib(this.word);
    if (!fib)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The Word document has no valid head.',
        'Open the file in the program that made it and save it again.',
      );
    if (fib.encrypted) throw cannotDecrypt('The document is protected with a password.');
    this.fib = fib;
    this.#table = stream(fib.tableName);
    this.data = stream('Data');
    this.hasMacros = compound
      .children(compound.root)
      .some(({ name, folder }) => folder && /^(?:Macros|_VBA_PROJECT.*)$/i.test(name));
    let at = 0;
    const next = (story: keyof StoryLengths): Range => {
      const from = at;
      at = Math.min(Number.MAX_SAFE_INTEGER, at + fib.lengths[story]);
      return { from, to: at };
    };
    // In this order.
    this.stories = {
      main: next('main'),
      footnotes: next('footnotes'),
      headers: next('headers'),
      macros: next('macros'),
      comments: next('comments'),
      endnotes: next('endnotes'),
      boxes: next('boxes'),
      headerBoxes: next('headerBoxes'),
    };
  }

  /** The bytes of a table ([MS-DOC] 2.5.6). */
  part(index: number): Buffer {
    const { from, length } = this.fib.place(index);
    return this.#table.subarray(from, from + length);
  }

  /** A table and everything after it: some go on beyond their stated length. */
  partAndBeyond(index: number): Buffer {
    const { from, length } = this.fib.place(index);
    return length === 0 ? Buffer.alloc(0) : this.#table.subarray(from);
  }
}
