// An opened Word file: its streams, where its stories are, and the tables its head lists.

import { cannotDecrypt, NotThisFormat, ReaderError } from '../../../src/contract/index.ts';
import { CompoundFile } from '../../../src/package/index.ts';
import { type Fib, readFib, type StoryLengths } from './fib.ts';

/** A range of character positions. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const STORIES: readonly (keyof StoryLengths)[] = [
  'main',
  'footnotes',
  'headers',
  'macros',
  'comments',
  'endnotes',
  'boxes',
  'headerBoxes',
];

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
    this.compound = new CompoundFile(bytes);
    const { root } = this.compound;
    const entries = this.compound.children(root);
    const stream = (name: string): Buffer => {
      const entry = entries.find((one) => !one.folder && one.name === name);
      return entry ? this.compound.bytes(entry) : Buffer.alloc(0);
    };
    if (!entries.some(({ name, folder }) => name === 'WordDocument' && !folder))
      throw new NotThisFormat({
        code: 'FORMAT_MISMATCH',
        message: 'The file is a compound file, but not a Word document.',
      });
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
    this.hasMacros = entries.some(({ name, folder }) => folder && /^(?:Macros|_VBA_PROJECT.*)$/i.test(name));
    const ranges = { ...NOWHERE };
    let at = 0;
    for (const story of STORIES) {
      const to = Math.min(Number.MAX_SAFE_INTEGER, at + fib.lengths[story]);
      ranges[story] = { from: at, to };
      at = to;
    }
    this.stories = ranges;
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

const EMPTY: Range = { from: 0, to: 0 };
const NOWHERE: Record<keyof StoryLengths, Range> = {
  main: EMPTY,
  footnotes: EMPTY,
  headers: EMPTY,
  macros: EMPTY,
  comments: EMPTY,
  endnotes: EMPTY,
  boxes: EMPTY,
  headerBoxes: EMPTY,
};
