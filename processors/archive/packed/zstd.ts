// Zstandard (RFC 8878): hands the blocks of each frame to fzstd one at a time, which bounds what one step unpacks.

import {
  type Bytes,
  type EntryContext,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { corrupt, InflateMeter } from '../../../src/zip/index.ts';
import { SourceStream } from '../byte-stream.ts';
import { badSum, cutAfter, damagedAfter, type Packing, trailing, type Unpacked } from './packing.ts';
import { checkWindow } from './window-limit.ts';
import { Xxh64 } from './xxh64.ts';

/** What `zstd` unpacks by default; RFC 8878 asks for 8 MiB (3.1.1.1.2). fzstd allocates the whole window at once. */
const MAX_WINDOW: Bytes = 128 * 1024 * 1024;
/** fzstd moves its whole window after each block: bytes that it may move for one file. */
const MAX_MOVED: Bytes = 128 * 1024 * 1024 * 1024;
const MAX_BLOCK: Bytes = 128 * 1024;
const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

async function* unzstd(
  source: Source,
  { limits, signal }: EntryContext,
  meter: InflateMeter = new InflateMeter(limits, source.name),
): Unpacked {
  const { Decompress } = await import('fzstd');
  const count = meter.pass(source.name, source.size);
  const input = new SourceStream(source, signal);
  let unpacked = 0;
  let moved = 0;
  for (let isFirst = true; ; ) {
    const at = input.position;
    const frame = await frameHeader(input);
    if (frame === 'skippable') continue;
    if (frame === undefined) {
      if (isFirst) throw corrupt('The Zstandard header is invalid.');
      return trailing(source, at, 'Zstandard');
    }
    isFirst = false;
    checkFrame(frame, source.name);
    const pieces: Uint8Array[] = [];
    const decoder = new Decompress((piece) => {
      // The decoder changes its buffers afterwards.
      if (piece.length > 0) pieces.push(Uint8Array.from(piece));
    });
    const sum = frame.hasSum ? new Xxh64() : undefined;
    let stated: number | undefined;
    let pending: Uint8Array = frame.bytes;
    for (let isLast = false; !isLast; ) {
      throwIfAborted(signal);
      const block = await nextBlock(input, frame.hasSum);
      if (block === 'short') return cutAfter('Zstandard', unpacked);
      if (block === 'broken') return damagedAfter('Zstandard', unpacked);
      isLast = block.isLast;
      if (isLast && sum) stated = Buffer.from(block.bytes).readUInt32LE(block.bytes.length - 4);
      moved += frame.window;
      if (moved > MAX_MOVED) throw tooCostly(source.name);
      try {
        decoder.push(pending.length === 0 ? block.bytes : Buffer.concat([pending, block.bytes]), isLast);
      } catch {
        return damagedAfter('Zstandard', unpacked);
      }
      pending = new Uint8Array();
      for (const piece of pieces.splice(0)) {
        count(piece);
        sum?.add(piece);
        unpacked += piece.length;
        yield piece;
      }
    }
    if (sum && sum.low32() !== stated) return badSum('Zstandard');
  }
}

interface Frame {
  readonly bytes: Uint8Array;
  readonly window: Bytes;
  readonly hasSum: boolean;
  readonly dictionary: number;
}

/** The header of the next frame, which is then read (3.1.1.1); skippable frames are skipped. */
async function frameHeader(input: SourceStream): Promise<Frame | 'skippable' | undefined> {
  const start = Buffer.from(await input.peek(18));
  if (start.length < 8) return undefined;
  const magic = start.readUInt32LE(0);
  if (magic >= SKIPPABLE && magic < SKIPPABLE + 16) {
    await input.skip(8 + start.readUInt32LE(4));
    return 'skippable';
  }
  if (magic !== FRAME) return undefined;
  const flags = start[4] ?? 0;
  const isSingle = (flags & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  const sizeAt = 5 + (isSingle ? 0 : 1) + dictionaryBytes;
  if (flags & 8 || start.length < sizeAt + sizeBytes) return undefined;
  const size =
    sizeBytes === 0
      ? 0
      : sizeBytes === 8
        ? Number(start.readBigUInt64LE(sizeAt))
        : start.readUIntLE(sizeAt, sizeBytes);
  const descriptor = start[5] ?? 0;
  const base = 2 ** (10 + (descriptor >> 3));
  const dictionary = dictionaryBytes === 0 ? 0 : start.readUIntLE(sizeAt - dictionaryBytes, dictionaryBytes);
  const bytes = Uint8Array.from(await input.take(sizeAt + sizeBytes));
  return {
    bytes,
    window: isSingle ? size + (sizeBytes === 2 ? 256 : 0) : base + (base / 8) * (descriptor & 7),
    hasSum: (flags & 4) !== 0,
    dictionary,
  };
}

function checkFrame({ window, dictionary }: Frame, name: string): void {
  if (dictionary !== 0)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(name)} is packed with a Zstandard dictionary that is not part of it.`,
      'Decompress it with its dictionary (`unzstd -D`) and read the result.',
    );
  checkWindow(window, name, 'unzstd --long=31', MAX_WINDOW);
}

function tooCostly(name: string): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(name)} takes too long to unpack: its blocks are many, and its window is large.`,
    'Decompress it (for example with `unzstd`) and read the result.',
  );
}

/** The next block with its header, and the checksum after the last (3.1.1.2). */
async function nextBlock(
  input: SourceStream,
  hasSum: boolean,
): Promise<{ readonly bytes: Uint8Array; readonly isLast: boolean } | 'short' | 'broken'> {
  const head = await input.peek(3);
  if (head.length < 3) return 'short';
  const [low = 0, middle = 0, high = 0] = head;
  const header = low | (middle << 8) | (high << 16);
  const isLast = (header & 1) === 1;
  const type = (header >> 1) & 3;
  const size = header >> 3;
  if (type === 3 || size > MAX_BLOCK) return 'broken';
  const length = 3 + (type === 1 ? 1 : size) + (isLast && hasSum ? 4 : 0);
  const bytes = Uint8Array.from(await input.take(length));
  return bytes.length < length ? 'short' : { bytes, isLast };
}

export const zstdPacking: Packing = {
  name: 'Zstandard',
  unpack: unzstd,
  stripped: (outer) => outer.replace(/\.zstd?$/i, '').replace(/\.tzst$/i, '.tar'),
};
