// The searchable text of a file: its own bytes in their encoding, or the converted text of a document. Decides what is
// text; does not search it.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type OpenFile,
  RangeReader,
  ReaderError,
  sizeOfFile,
  tellsSize,
  throwIfAborted,
  wholeLength,
} from '../../contract/index.ts';

/** Text that can be read at any position. */
export interface SearchedText {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Start of the text, after a byte order mark. */
  readonly start: Bytes;
  readonly size: Bytes;
  /** The line end: CR for text with a CR but no LF in its first 64 KiB, else LF, which also ends CRLF lines. */
  readonly newline: 10 | 13;
  /** Converted by an earlier read. */
  readonly converted: boolean;
  /** Not UTF-8, judging by its first bytes: non-ASCII characters are not found in it. */
  readonly legacy: boolean;
  /** The whole text was read at once. */
  readonly inMemory: boolean;
  /**
   * Reads `length` bytes from `position`; fewer only at the end. Uses the buffer of `into()` if it must read the file.
   */
  read(position: Bytes, length: Bytes, into: () => Buffer): Promise<Buffer>;
}

/**
 * The text of a document converted by earlier reads; undefined if there is none. It may end in an error where reading
 * stopped, or in UNSUPPORTED_FORMAT, CORRUPT_FILE or ENCRYPTED_FILE if reading it again would not help.
 */
export type TextOf = (path: string, file: OpenFile, signal: AbortSignal) => AsyncIterable<string> | undefined;

/** The text of a whole file that is not UTF-8, as a read decodes it; undefined if it is UTF-8 or not text. */
export type Decode = (bytes: Uint8Array, signal: AbortSignal) => Promise<string | undefined>;

/** The text of a file, or why it is not searched. `note` says what part of the text is missing. */
export type Searched =
  | { readonly text: SearchedText; readonly note?: string }
  | { readonly text: undefined; readonly reason: string };

/** Large enough to read most files at once. */
const HEAD_BYTES = 256 * 1024;
/** The reader detects line ends within the same range, so both count the same lines. */
const NEWLINE_BYTES = 64 * 1024;
/** A zero byte within this range means binary, as in git and grep. */
const BINARY_BYTES = 8 * 1024;
/** Maximum bytes searched of a converted document's text, as UTF-8. Gigabyte documents convert to less. */
const MAX_CONVERTED_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of a file in another encoding that is decoded at once to be searched. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024;

/** Reads the first bytes of `file`, which stays open. @throws {ReaderError} ABORTED; system errors */
export async function searchedText(
  file: OpenFile,
  signal: AbortSignal,
  { textOf, decode }: { readonly textOf?: TextOf; readonly decode?: Decode },
): Promise<Searched> {
  // Of a file that does not report its size, only the first bytes are searched.
  const knowsSize = 'remote' in file || tellsSize(file.stats);
  const whole = sizeOfFile(file);
  const head = Buffer.allocUnsafe(knowsSize ? Math.min(whole, HEAD_BYTES) : HEAD_BYTES + 1);
  const readFully = readsOf(file, signal);
  const headBytes = await readFully(head, 0);
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
    if (text !== undefined) return { text: inMemoryText(Buffer.from(text, 'utf8'), false) };
  }
  if (encoding === undefined) return await convertedText(file, bytes, signal, textOf);
  return {
    text: {
      ...encoding,
      size,
      newline: newlineOf(bytes, encoding.encoding),
      converted: false,
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

/** True when the file changed since it was opened. Reads of a stored file are bound to its version. */
export async function hasChanged(file: OpenFile): Promise<boolean> {
  if ('remote' in file) return false;
  const now = await file.handle.stat({ bigint: true });
  return now.size !== file.stats.size || now.mtimeNs !== file.stats.mtimeNs;
}

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

/** Description of a document by its extension, because nothing is parsed here. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  pdf: 'a PDF',
  docx: 'a Word document',
  docm: 'a Word document',
  doc: 'a Word document',
  xlsx: 'a workbook',
  xlsm: 'a workbook',
  xlsb: 'a workbook',
  xls: 'a workbook',
  ods: 'a workbook',
  pptx: 'a presentation',
  odp: 'a presentation',
  odt: 'a text document',
  epub: 'an e-book',
  msg: 'an email',
};

/** Reading first only helps if the conversion can be cached. `ended` is the error its text ended in, if any. */
function whyNoText(name: string | undefined, ended: unknown, canBeKept: boolean): string {
  if (name === undefined) return 'binary';
  const code = ended instanceof ReaderError ? ended.code : undefined;
  if (code === 'CORRUPT_FILE') return `${name} that is damaged; its text cannot be searched`;
  if (code === 'ENCRYPTED_FILE') return `${name} that is encrypted; its text cannot be searched`;
  if (!canBeKept || code === 'UNSUPPORTED_FORMAT') return `${name}, whose text cannot be searched: read it`;
  return `${name} that has not been read yet: read it once to make its text searchable`;
}

async function convertedText(
  file: OpenFile,
  head: Buffer,
  signal: AbortSignal,
  textOf: TextOf | undefined,
): Promise<Searched> {
  const ending = /\.([a-z]{3,4})$/i.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const name = head.subarray(0, 5).equals(PDF) ? 'a PDF' : DOCUMENTS[ending];
  const pieces: Buffer[] = [];
  let size = 0;
  let note: string | undefined;
  let ended: unknown;
  try {
    for await (const piece of textOf?.(file.name, file, signal) ?? []) {
      throwIfAborted(signal);
      const bytes = Buffer.from(piece, 'utf8');
      if (size + bytes.length > MAX_CONVERTED_BYTES) {
        note = `only the first ${size} bytes of its converted text were searched`;
        break;
      }
      pieces.push(bytes);
      size += bytes.length;
    }
  } catch (error) {
    throwIfAborted(signal);
    ended = error;
    note = 'only the part read so far was searched; read further to search the rest';
  }
  if (size === 0) return { text: undefined, reason: whyNoText(name, ended, textOf !== undefined) };
  const bytes = Buffer.concat(pieces);
  return { text: inMemoryText(bytes, true), ...(note !== undefined && { note }) };
}

function inMemoryText(bytes: Buffer, converted: boolean): SearchedText {
  return {
    encoding: 'utf-8',
    start: 0,
    size: bytes.length,
    newline: newlineOf(bytes, 'utf-8'),
    converted,
    legacy: false,
    inMemory: true,
    read: async (position, length) => bytes.subarray(position, position + length),
  };
}
