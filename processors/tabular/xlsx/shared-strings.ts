// The shared strings of a workbook, read only as far as needed: a sample takes one pass up to its highest index, a long
// read keeps the part's bytes and decodes on demand.

import { type Bytes, ReaderError } from '../../../src/contract/index.ts';
import { runText } from './text-run.ts';

/** Passes that keep only requested strings; the next pass keeps all. */
const MAX_PASSES = 2;
const MAX_DECODED = 100_000;
/** Excel allows 32 767 characters per cell; the rest leaves room for rich text markup. */
const MAX_ITEM_BYTES: Bytes = 8 * 1024 * 1024;
const MAX_ROOT_BYTES = 4096;
const LESS = 0x3c;

export class SharedStrings {
  readonly #open: () => AsyncIterable<Buffer>;
  readonly #maxBytes: Bytes;
  readonly #decoded = new Map<number, string>();
  #packed: Packed | undefined;
  #passes = 0;
  #count: number | undefined;

  /** `open` starts a pass over the part's inflated bytes. */
  constructor(open: () => AsyncIterable<Buffer>, maxBytes: Bytes) {
    this.#open = open;
    this.#maxBytes = maxBytes;
  }

  /** Loads these indices for `get`. @throws {ReaderError} LIMIT_EXCEEDED if they do not fit in memory. */
  async prepare(indices: ReadonlySet<number>): Promise<void> {
    if (this.#packed) return;
    const missing = new Set<number>();
    let highest = -1;
    for (const index of indices) {
      if (this.#decoded.has(index) || (this.#count !== undefined && index >= this.#count)) continue;
      missing.add(index);
      if (index > highest) highest = index;
    }
    if (missing.size === 0) return;
    if (this.#passes >= MAX_PASSES || missing.size > MAX_DECODED / 8) {
      this.#packed = await this.#pack();
      this.#decoded.clear();
      return;
    }
    this.#passes++;
    let index = 0;
    for await (const item of items(this.#open())) {
      if (missing.has(index)) this.#decoded.set(index, runText(item.toString('utf8')));
      if (index === highest) return;
      index++;
    }
    this.#count = index;
  }

  /** Undefined for an index the workbook does not have. */
  get(index: number): string | undefined {
    const known = this.#decoded.get(index);
    if (known !== undefined || !this.#packed) return known;
    const item = this.#packed.item(index);
    if (item === undefined) return undefined;
    const text = runText(item);
    if (this.#decoded.size >= MAX_DECODED) this.#decoded.clear();
    this.#decoded.set(index, text);
    return text;
  }

  async #pack(): Promise<Packed> {
    const packed = new Packed(this.#maxBytes);
    for await (const item of items(this.#open())) packed.add(item);
    return packed;
  }
}

/** The contents of all items, concatenated. */
class Packed {
  readonly #maxBytes: Bytes;
  #bytes = Buffer.allocUnsafeSlow(1024 * 1024);
  #ends = new Uint32Array(16 * 1024);
  #count = 0;
  #length = 0;

  constructor(maxBytes: Bytes) {
    this.#maxBytes = maxBytes;
  }

  add(item: Buffer): void {
    const needed = this.#length + item.length;
    if (needed > this.#maxBytes) throw tooLarge(this.#maxBytes);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(needed, Math.min(this.#bytes.length * 2, this.#maxBytes)),
      );
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const more = new Uint32Array(this.#ends.length * 2);
      more.set(this.#ends);
      this.#ends = more;
    }
    item.copy(this.#bytes, this.#length);
    this.#length = needed;
    this.#ends[this.#count++] = needed;
  }

  item(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    return this.#bytes.toString('utf8', index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }
}

function tooLarge(maxBytes: Bytes): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The texts of the workbook take more than ${maxBytes} bytes (limit \`maxBytesInMemory\`).`,
    'Read fewer rows, or raise the limit `maxBytesInMemory` if the file is trusted.',
  );
}

/** The content of each `si` element in order; valid until the next one is requested. */
async function* items(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let data: Buffer = Buffer.alloc(0);
  let tags: { readonly open: string; readonly close: string } | undefined;
  for await (const piece of pieces) {
    data = data.length === 0 ? piece : Buffer.concat([data, piece]);
    if (data.length > MAX_ITEM_BYTES + piece.length)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `A text of the workbook takes more than ${MAX_ITEM_BYTES} bytes.`,
        'Shorten the text in a spreadsheet program and save the workbook again.',
      );
    tags ??= tagsOf(data);
    if (!tags) {
      data = data.subarray(Math.max(0, data.length - MAX_ROOT_BYTES));
      continue;
    }
    let at = 0;
    for (;;) {
      const open = data.indexOf(tags.open, at);
      if (open < 0) {
        at = Math.max(at, data.length - tags.open.length);
        break;
      }
      const after = data[open + tags.open.length];
      if (after === undefined) {
        at = open;
        break;
      }
      if (
        after !== 0x3e &&
        after !== 0x20 &&
        after !== 0x2f &&
        after !== 0x0a &&
        after !== 0x0d &&
        after !== 0x09
      ) {
        at = open + tags.open.length;
        continue;
      }
      const end = data.indexOf(0x3e, open);
      if (end < 0) {
        at = open;
        break;
      }
      if (data[end - 1] === 0x2f) {
        yield data.subarray(end, end);
        at = end + 1;
        continue;
      }
      const close = data.indexOf(tags.close, end);
      if (close < 0) {
        at = open;
        break;
      }
      yield data.subarray(end + 1, close);
      at = close + tags.close.length;
    }
    data = data.subarray(at);
  }
}

/** The item tags with the root element's prefix; undefined until the root has been seen. */
function tagsOf(data: Buffer): { readonly open: string; readonly close: string } | undefined {
  for (let at = data.indexOf(LESS); at >= 0; at = data.indexOf(LESS, at + 1)) {
    const head = data.toString('latin1', at, at + 80);
    const root = /^<((?:[\w.-]{1,60}:)?)sst[\s/>]/.exec(head);
    if (root) return { open: `<${root[1]}si`, close: `</${root[1]}si` };
    // A file may lack its root element; strings are then searched without a prefix.
    if (/^<si[\s/>]/.test(head)) return { open: '<si', close: '</si' };
  }
  return undefined;
}
