// The text of a file as a search sees it: its own bytes in the encoding they are in, or the text a document was
// converted to. Decides what is text; finds nothing in it.

import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import {
  type Bytes,
  type OpenFile,
  ReaderError,
  tellsSize,
  throwIfAborted,
  wholeLength,
} from '../../contract/index.ts';

/** Bytes of text at any place. */
export interface SearchedText {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Where the text starts: after a byte order mark. */
  readonly start: Bytes;
  readonly size: Bytes;
  /** What ends a line: CR for text that has no LF in its first 64 KiB but a CR, else LF, which also ends CRLF lines. */
  readonly newline: 10 | 13;
  /** As an earlier read converted it. */
  readonly converted: boolean;
  /** In another encoding than UTF-8, as its first bytes show: characters beyond ASCII are not found in it. */
  readonly legacy: boolean;
  /** All of it was read at once. */
  readonly inMemory: boolean;
  /** `length` bytes from `position` on; fewer only at the end of the text. In `into()` where they must be read first. */
  read(position: Bytes, length: Bytes, into: () => Buffer): Promise<Buffer>;
}

/**
 * The text of a document that earlier reads converted; undefined where there is none. It may end in an error where the
 * reading ended, or in UNSUPPORTED_FORMAT, CORRUPT_FILE or ENCRYPTED_FILE for what reading does not change.
 */
export type TextOf = (path: string, file: OpenFile, signal: AbortSignal) => AsyncIterable<string> | undefined;

/** What a file turned out to be: text, or why it is not searched. `note` tells what of its text is missing. */
export type Searched =
  | { readonly text: SearchedText; readonly note?: string }
  | { readonly text: undefined; readonly reason: string };

/** Most files are read at once. */
const HEAD_BYTES = 256 * 1024;
/** Where the reader, too, looks for what ends a line, so that it counts the same lines. */
const NEWLINE_BYTES = 64 * 1024;
/** A zero byte up to here means binary, as for git and grep. */
const BINARY_BYTES = 8 * 1024;
/** Text of a converted document that is searched, as UTF-8. Gigabyte documents convert to less. */
const MAX_CONVERTED_BYTES = 64 * 1024 * 1024;

/** Looks at the first bytes of `file`, which stays open. @throws {ReaderError} ABORTED; what the system throws */
export async function searchedText(
  file: OpenFile,
  signal: AbortSignal,
  textOf: TextOf | undefined,
): Promise<Searched> {
  // A file whose size only reading shows is searched as far as its first bytes go.
  const told = tellsSize(file.stats);
  const head = Buffer.allocUnsafe(told ? Math.min(Number(file.stats.size), HEAD_BYTES) : HEAD_BYTES + 1);
  const headBytes = await readFully(file, head, 0);
  const size = told ? Number(file.stats.size) : Math.min(headBytes, HEAD_BYTES);
  const bytes = head.subarray(0, Math.min(headBytes, size));
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return await convertedText(file, bytes, signal, textOf);
  const inMemory = headBytes >= size;
  return {
    text: {
      ...encoding,
      size,
      newline: newlineOf(bytes, encoding.encoding),
      converted: false,
      legacy:
        encoding.encoding === 'utf-8' && !isUtf8(inMemory ? bytes : bytes.subarray(0, wholeLength(bytes))),
      inMemory,
      read: async (position, length, into) => {
        if (inMemory || position + length <= headBytes) return bytes.subarray(position, position + length);
        const target = into().subarray(0, length);
        return target.subarray(0, await readFully(file, target, position));
      },
    },
    ...(headBytes > size && { note: `only its first ${size} bytes were searched` }),
  };
}

/** True when the file is no longer what it was when it was opened. */
export function hasChanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.size !== after.size || before.mtimeNs !== after.mtimeNs;
}

async function readFully({ handle }: OpenFile, target: Buffer, position: Bytes): Promise<Bytes> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await handle.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** By its byte order mark; UTF-8 without one; undefined for what is no text, or is in UTF-32, which nobody writes. */
function encodingOf(head: Buffer): Pick<SearchedText, 'encoding' | 'start'> | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', start: 3 };
  const isUtf32 = head.length >= 4 && head[2] === 0 && head[3] === 0;
  if (head[0] === 0xff && head[1] === 0xfe && !isUtf32) return { encoding: 'utf-16le', start: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', start: 2 };
  // The text of a PDF is in streams; its first bytes only look like text.
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

/** Bytes that hold whole characters as text; one U+FFFD for each thing that is none. */
export function decodeText(bytes: Buffer, encoding: SearchedText['encoding']): string {
  if (encoding === 'utf-8') return bytes.toString('utf8');
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  return Buffer.from(bytes).swap16().toString('utf16le');
}

/** By ending, because nothing of the file is parsed here: what a document is called in the reason. */
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
  msg: 'a mail',
};

/** Reading helps a document whose conversion is kept, and no other. `ended` is what its text ended in, if in an error. */
function whyNoText(name: string | undefined, ended: unknown, canBeKept: boolean): string {
  if (name === undefined) return 'binary';
  const code = ended instanceof ReaderError ? ended.code : undefined;
  if (code === 'CORRUPT_FILE') return `${name} that is damaged, whose text cannot be searched`;
  if (code === 'ENCRYPTED_FILE') return `${name} that is encrypted, whose text cannot be searched`;
  if (!canBeKept || code === 'UNSUPPORTED_FORMAT') return `${name}, whose text cannot be searched: read it`;
  return `${name} that has not been read: read it once, then its text can be searched`;
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
    note = 'it was searched as far as it has been read; read it on to search the rest';
  }
  if (size === 0) return { text: undefined, reason: whyNoText(name, ended, textOf !== undefined) };
  const bytes = Buffer.concat(pieces);
  return {
    text: {
      encoding: 'utf-8',
      start: 0,
      size,
      newline: newlineOf(bytes, 'utf-8'),
      converted: true,
      legacy: false,
      inMemory: true,
      read: async (position, length) => bytes.subarray(position, position + length),
    },
    ...(note !== undefined && { note }),
  };
}
