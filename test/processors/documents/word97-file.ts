// Writes Word 97 files for tests, with the structures Word itself writes and other programs do not: pieces in one byte
// per character, pieces out of order, and modifiers of fast saves ([MS-DOC]).

import { compoundOf } from '../../support/compound.mjs';

/** A stretch of text; `narrow` for one byte per character. */
export interface WordPiece {
  readonly text: string;
  readonly narrow?: boolean;
  /** Modifiers of the whole piece: a list, or one in short form (index and value). */
  readonly changes?: Buffer | readonly [index: number, value: number];
}

export interface Word97 {
  /** In reading order. */
  readonly pieces: readonly WordPiece[];
  /** Order of the pieces in the stream; default as read. */
  readonly order?: readonly number[];
  /** Lengths of the stories after the body: footnotes, headers, macros, comments, endnotes, boxes, boxes of headers. */
  readonly stories?: readonly number[];
  /** Modifiers of characters, by a text that occurs once. */
  readonly characters?: readonly (readonly [text: string, modifiers: Buffer])[];
  /** Style and modifiers of the paragraph with a text that occurs once. */
  readonly paragraphs?: readonly (readonly [text: string, style: number, modifiers?: Buffer])[];
  /** Tables by number. */
  readonly tables?: Readonly<Record<number, Buffer>>;
  readonly data?: Buffer;
  readonly flags?: number;
  readonly version?: number;
}

const TEXT_AT = 2048;
const PAGE = 512;

export const u16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, at * 2);
  return bytes;
};
export const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, at * 4);
  return bytes;
};

/** A modifier with its operand as bytes. */
export const sprm = (code: number, ...operand: number[]): Buffer =>
  Buffer.from([code & 0xff, code >> 8, ...operand]);

/** A style sheet of styles by number: built-in number, kind, base, name, modifiers of paragraphs and characters. */
export function styleSheet(
  styles: readonly (readonly [
    sti: number,
    kind: number,
    base: number,
    name: string,
    p?: Buffer,
    c?: Buffer,
  ])[],
): Buffer {
  const update = (bytes: Buffer): Buffer =>
    Buffer.concat([u16(bytes.length), bytes, Buffer.alloc(bytes.length % 2)]);
  const entries = styles.map(([sti, kind, base, name, p = Buffer.alloc(0), c = Buffer.alloc(0)], number) => {
    const updates =
      kind === 2 ? update(c) : Buffer.concat([update(Buffer.concat([u16(number), p])), update(c)]);
    const body = Buffer.concat([
      u16(sti, (base << 4) | kind, kind === 2 ? 1 : 2, 0, 0),
      u16(name.length),
      Buffer.from(`${name}\0`, 'utf16le'),
      updates,
    ]);
    return Buffer.concat([u16(body.length), body, Buffer.alloc(body.length % 2)]);
  });
  return Buffer.concat([u16(18), u16(styles.length, 10), Buffer.alloc(14), ...entries]);
}

/** The bytes of the file. */
export function word97(file: Word97): Buffer {
  const { pieces } = file;
  const order = file.order ?? pieces.map((_, index) => index);
  const places: number[] = [];
  const stream: Buffer[] = [];
  let at = TEXT_AT;
  for (const index of order) {
    const { text = '', narrow } = pieces[index] ?? {};
    places[index] = at;
    const bytes = Buffer.from(text, narrow ? 'latin1' : 'utf16le');
    stream.push(bytes, Buffer.alloc(bytes.length % 2));
    at += bytes.length + (bytes.length % 2);
  }
  const place = (text: string, end: boolean): number => {
    for (const [index, piece] of pieces.entries()) {
      const found = piece.text.indexOf(text);
      if (found >= 0)
        return (places[index] ?? 0) + (found + (end ? text.length : 0)) * (piece.narrow ? 1 : 2);
    }
    throw new Error(`No piece has the text ${text}.`);
  };
  const charactersPage = Math.ceil(at / PAGE);
  const characters = page(
    (file.characters ?? []).map(([text, modifiers]) => ({
      from: place(text, false),
      to: place(text, true),
      entry: Buffer.concat([Buffer.from([modifiers.length]), modifiers]),
    })),
    1,
  );
  const paragraphs = page(
    (file.paragraphs ?? []).map(([text, style, modifiers = Buffer.alloc(0)]) => {
      const body = Buffer.concat([u16(style), modifiers]);
      // An odd length takes one byte, an even one two.
      const entry =
        body.length % 2 === 1
          ? Buffer.concat([Buffer.from([(body.length + 1) / 2]), body])
          : Buffer.concat([Buffer.from([0, body.length / 2]), body]);
      return { from: place(text, false), to: place(text, true) + 2, entry };
    }),
    13,
  );
  const tables: Record<number, Buffer> = {
    12: u32(0, 0x7fffffff, charactersPage),
    13: u32(0, 0x7fffffff, charactersPage + 1),
    33: clx(pieces, places),
    ...file.tables,
  };
  const head = Buffer.alloc(TEXT_AT);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt16LE(file.version ?? 193, 2);
  head.writeUInt16LE(0x200 | (file.flags ?? 0), 10);
  const total = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const stories = file.stories ?? [];
  head.writeUInt32LE(total - stories.reduce((sum, length) => sum + length, 0), 76);
  for (const [index, length] of stories.entries()) head.writeUInt32LE(length, 80 + index * 4);
  head.writeUInt16LE(113, 152);
  const table: Buffer[] = [];
  let position = 0;
  // Lists go on beyond their stated length, so that they come last.
  for (const [number, bytes] of Object.entries(tables)) {
    head.writeUInt32LE(position, 154 + Number(number) * 8);
    head.writeUInt32LE(bytes.length, 158 + Number(number) * 8);
    table.push(bytes);
    position += bytes.length;
  }
  const text = Buffer.concat(stream);
  const word = Buffer.concat([head, text, Buffer.alloc(charactersPage * PAGE - at), characters, paragraphs]);
  const padded = (bytes: Buffer): Buffer =>
    bytes.length >= 4096 ? bytes : Buffer.concat([bytes, Buffer.alloc(4096 - bytes.length)]);
  return compoundOf([
    { name: 'WordDocument', data: padded(word) },
    { name: '1Table', data: padded(Buffer.concat(table)) },
    ...(file.data ? [{ name: 'Data', data: padded(file.data) }] : []),
  ]);
}

/** A page of formatted runs; text between them has no formatting. */
function page(
  stated: readonly { readonly from: number; readonly to: number; readonly entry: Buffer }[],
  entrySize: number,
): Buffer {
  const runs: { from: number; entry: Buffer | undefined }[] = [];
  let last = 0;
  for (const { from, to, entry } of [...stated].sort((a, b) => a.from - b.from)) {
    if (from > last) runs.push({ from: last, entry: undefined });
    runs.push({ from, entry });
    last = to;
  }
  runs.push({ from: last, entry: undefined });
  const bytes = Buffer.alloc(PAGE);
  let free = PAGE - 2;
  for (const [index, { from, entry }] of runs.entries()) {
    bytes.writeUInt32LE(from, index * 4);
    if (!entry) continue;
    free = (free - entry.length) & ~1;
    entry.copy(bytes, free);
    bytes[(runs.length + 1) * 4 + index * entrySize] = free / 2;
  }
  bytes.writeUInt32LE(0x7fffffff, runs.length * 4);
  bytes[PAGE - 1] = runs.length;
  return bytes;
}

function clx(pieces: readonly WordPiece[], places: readonly number[]): Buffer {
  const lists: Buffer[] = [];
  const data: Buffer[] = [];
  const positions: number[] = [0];
  let at = 0;
  for (const [index, { text, narrow, changes }] of pieces.entries()) {
    at += text.length;
    positions.push(at);
    let reference = 0;
    if (changes instanceof Buffer) {
      reference = (lists.length << 1) | 1;
      lists.push(Buffer.concat([Buffer.from([1]), u16(changes.length), changes]));
    } else if (changes) reference = (changes[0] << 1) | (changes[1] << 8);
    const place = places[index] ?? 0;
    data.push(u16(0), u32(narrow ? (place * 2) | 0x40000000 : place), u16(reference));
  }
  const plex = Buffer.concat([u32(...positions), ...data]);
  return Buffer.concat([...lists, Buffer.from([2]), u32(plex.length), plex]);
}
