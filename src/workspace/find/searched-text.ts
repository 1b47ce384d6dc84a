// The searchable text of a file: its own bytes in their encoding. Decides what is text; does not search it.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type OpenFile,
  RangeReader,
  sizeOfFile,
  tellsSize,
  wholeLength,
} from '../../contract/index.ts';
import { type Redactor, redactedReads } from '../../redact/index.ts';

/** Text that can be read at any position. */
export interface SearchedText {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Start of the text, after a byte order mark. */
  readonly start: Bytes;
  readonly size: Bytes;
  /** The line end: CR for text with a CR but no LF in its first 64 KiB, else LF, which also ends CRLF lines. */
  readonly newline: 10 | 13;
  /** Not UTF-8, judging by its first bytes: non-ASCII characters are not found in it. */
  readonly legacy: boolean;
  /** The whole text was read at once. */
  readonly inMemory: boolean;
  /**
   * Reads `length` bytes from `position`; fewer only at the end. Uses the buffer of `into()` if it must read the file.
   */
  read(position: Bytes, length: Bytes, into: () => Buffer): Promise<Buffer>;
}

/** The text of a whole file that is not UTF-8, as a read decodes it; undefined if it is UTF-8 or not text. */
export type Decode = (bytes: Uint8Array, signal: AbortSignal) => Promise<string | undefined>;

/** Large enough to read most files at once. */
const HEAD_BYTES = 256 * 1024;
/** The reader detects line ends within the same range, so both count the same lines. */
const NEWLINE_BYTES = 64 * 1024;
/** A zero byte within this range means binary, as in git and grep. */
const BINARY_BYTES = 8 * 1024;
/** Maximum bytes of a file in another encoding that is decoded at once to be searched. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024;

/**
 * The text of `file`, which stays open; undefined for binary data and documents. `note` says what part of it is missing.
 * @throws {ReaderError} ABORTED; system errors
 */
export async function searchedText(
  file: OpenFile,
  signal: AbortSignal,
  decode: Decode | undefined,
  redactor?: Redactor,
): Promise<{ readonly text: SearchedText; readonly note?: string } | undefined> {
  // Of a file that does not report its size, only the first bytes are searched.
  const knowsSize = 'remote' in file || tellsSize(file.stats);
  const whole = sizeOfFile(file);
  const head = Buffer.allocUnsafe(knowsSize ? Math.min(whole, HEAD_BYTES) : HEAD_BYTES + 1);
  const plain = readsOf(file, signal);
  const readFully = redactor && knowsSize ? redactedReads(readableOf(plain, whole), redactor) : plain;
  const headBytes = await readFully(head, 0);
  if (!knowsSize) redactor?.bytes(head, 0, headBytes);
  const size = knowsSize ? whole : Math.min(headBytes, HEAD_BYTES);
  const bytes = head.subarray(0, Math.min(headBytes, size));
  const encoding = encodingOf(bytes);
  const inMemory = headBytes >= size;
  const legacy =
    encoding === undefined ||
    (encoding.encoding === 'utf-8' && !isUtf8(inMemory ? bytes : bytes.subarray(0, wholeLength(bytes))));
  if (decode && legacy && size <= MAX_DECODED_BYTES && !bytes.subarray(0, 5).equals(PDF)) {
    const whole = inMemory ? bytes : Buffer.allocUnsafe(size);
    const length = inMemory ? size : await readFully(whole, 0);
    const text = await decode(whole.subarray(0, length), signal);
    if (text !== undefined) return { text: inMemoryText(Buffer.from(text, 'utf8')) };
  }
  if (encoding === undefined) return undefined;
  return {
    text: {
      ...encoding,
      size,
      newline: newlineOf(bytes, encoding.encoding),
      legacy,
      inMemory,
      read: async (position, length, into) => {
        if (inMemory || position + length <= headBytes) return bytes.subarray(position, position + length);
        const target = into().subarray(0, length);
        return target.subarray(0, await readFully(target, position));
      },
    },
    ...(headBytes > size && { note: `only its first ${size} bytes were searched` }),
  };
}

/** True if `bytes`, all of a file, are UTF-8 and not binary: `searchedText` takes them as they are. */
export const isPlainText = (bytes: Buffer): boolean =>
  encodingOf(bytes)?.encoding === 'utf-8' && isUtf8(bytes);

/** True when the file changed since it was opened. Reads of a stored file are bound to its version. */
export async function hasChanged(file: OpenFile): Promise<boolean> {
  if ('remote' in file) return false;
  const now = await file.handle.stat({ bigint: true });
  return now.size !== file.stats.size || now.mtimeNs !== file.stats.mtimeNs;
}

const readableOf = (
  fill: (target: Buffer, position: Bytes) => Promise<Bytes>,
  size: Bytes,
): Parameters<typeof redactedReads>[0] => ({
  size,
  read: async (position, length) => {
    const target = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)));
    return target.subarray(0, await fill(target, position));
  },
});

/** Fills a buffer from a position of `file`. Returns the number of bytes read, fewer only at the end. */
function readsOf(file: OpenFile, signal: AbortSignal): (target: Buffer, position: Bytes) => Promise<Bytes> {
  if ('remote' in file) {
    const ranges = new RangeReader(file.remote, signal);
    return (target, position) => ranges.readInto(target, position);
  }
  const { handle } = file;
  return async (target, position) => {
    let filled = 0;
    while (filled < target.length) {
      const { bytesRead } = await handle.read(target, filled, target.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  };
}

/** From the byte order mark, else UTF-8; undefined for binary data and UTF-32, which is hardly ever used. */
function encodingOf(head: Buffer): Pick<SearchedText, 'encoding' | 'start'> | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', start: 3 };
  const isUtf32 = head.length >= 4 && head[2] === 0 && head[3] === 0;
  if (head[0] === 0xff && head[1] === 0xfe && !isUtf32) return { encoding: 'utf-16le', start: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', start: 2 };
  // The text of a PDF is in streams; only its first bytes look like text.
  if (head.subarray(0, BINARY_BYTES).includes(0) || head.subarray(0, 5).equals(PDF)) return undefined;
  return { encoding: 'utf-8', start: 0 };
}

const PDF = Buffer.from('%PDF-');

function newlineOf(bytes: Buffer, encoding: SearchedText['encoding']): 10 | 13 {
  const head = bytes.subarray(0, NEWLINE_BYTES);
  if (encoding === 'utf-8') return !head.includes(10) && head.includes(13) ? 13 : 10;
  const text = decodeText(head.subarray(0, head.length & ~1), encoding);
  return !text.includes('\n') && text.includes('\r') ? 13 : 10;
}

/** Decodes bytes that end at a character boundary; invalid sequences become U+FFFD. */
export function decodeText(bytes: Buffer, encoding: SearchedText['encoding']): string {
  if (encoding === 'utf-8') return bytes.toString('utf8');
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  return Buffer.from(bytes).swap16().toString('utf16le');
}

/** `bytes` as the text from `start` on. */
export function inMemoryText(bytes: Buffer, start: Bytes = 0): SearchedText {
  return {
    encoding: 'utf-8',
    start,
    size: start + bytes.length,
    newline: newlineOf(bytes, 'utf-8'),
    legacy: false,
    inMemory: true,
    read: async (position, length) => bytes.subarray(position - start, position - start + length),
  };
}
