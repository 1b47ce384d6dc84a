// LZMA2: chunks of LZMA data or plain bytes, each stating its sizes (the .xz file format 1.2, 5.3.1, and xz 5.4,
// lzma2_decoder.c).

import type { Bytes } from '../../../src/contract/index.ts';
import type { ByteStream } from '../byte-stream.ts';
import { BrokenLzma, LzmaDecoder, type LzmaProperties, lzmaProperties, Window } from './lzma.ts';

/** The window a properties byte of LZMA2 states; undefined for one that states none. */
export function lzma2Reach(byte: number): Bytes | undefined {
  if (byte > 40) return undefined;
  return byte === 40 ? 2 ** 32 - 1 : (2 | (byte & 1)) * 2 ** (Math.floor(byte / 2) + 11);
}

/** The content up to the mark of the end; each piece is the caller's. @throws {BrokenLzma} */
export async function* lzma2Pieces(input: ByteStream, reach: Bytes): AsyncGenerator<Uint8Array, void> {
  const window = new Window(reach);
  let decoder: LzmaDecoder | undefined;
  let properties: LzmaProperties | undefined;
  let isFirst = true;
  for (;;) {
    const control = await byteOf(input);
    if (control === 0) return;
    if (control === 1 || control >= 0xe0) {
      window.reset();
      isFirst = false;
    }
    if (isFirst) throw new BrokenLzma('no reset');
    if (control < 0x80) {
      if (control > 2) throw new BrokenLzma('control');
      const size = (await byteOf(input)) * 256 + (await byteOf(input)) + 1;
      window.room(size);
      const plain = await input.take(size);
      for (const byte of plain) window.put(byte);
      if (plain.length < size) {
        yield window.take();
        throw new ShortInput();
      }
    } else {
      const size = (control & 31) * 65_536 + (await byteOf(input)) * 256 + (await byteOf(input)) + 1;
      const packed = (await byteOf(input)) * 256 + (await byteOf(input)) + 1;
      if (control >= 0xc0) {
        properties = lzmaProperties(await byteOf(input));
        if (!properties || properties.lc + properties.lp > 4) throw new BrokenLzma('properties');
      }
      if (!properties) throw new BrokenLzma('no properties');
      if (control >= 0xa0 || !decoder) decoder = new LzmaDecoder(window, properties);
      window.room(size);
      const chunk = await input.take(packed);
      decoder.feed(chunk);
      if (chunk.length < packed) {
        decodeCut(decoder, size);
        yield window.take();
        throw new ShortInput();
      }
      decoder.start();
      if (decoder.decode(size, false) || decoder.consumed !== packed) throw new BrokenLzma('chunk');
    }
    yield window.take();
  }
}

/** Decodes what a cut chunk still holds: every symbol before the cut is whole. */
function decodeCut(decoder: LzmaDecoder, size: Bytes): void {
  try {
    decoder.start();
    decoder.decode(size, false);
  } catch (error) {
    if (!(error instanceof BrokenLzma)) throw error;
  }
}

async function byteOf(input: ByteStream): Promise<number> {
  const [byte] = await input.take(1);
  if (byte === undefined) throw new ShortInput();
  return byte;
}

/** Thrown where the input ends inside a chunk. */
export class ShortInput extends Error {
  override readonly name = 'ShortInput';
}
