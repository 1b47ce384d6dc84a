// Loads a text file of a workspace as one string, and encodes it back to the same bytes. Refuses a file that cannot be
// restored exactly before anything is written.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type Bytes,
  bytesOfFile,
  closeFile,
  type Encoding,
  type FileType,
  named,
  type Passages,
  type Processor,
  quoted,
  ReaderError,
  sizeOfFile,
} from '../contract/index.ts';
import type { Reader } from '../reader/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** Largest file edited in place, since it is held both as bytes and as text. */
export const MAX_TEXT_BYTES: Bytes = 16 * 1024 * 1024;

/**
 * Minimum confidence to write new non-ASCII characters in the detected encoding. Existing bytes are kept; new
 * characters would be wrong under a wrong guess.
 */
const SURE = 0.9;

/** In hex. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A text that can be changed and written back. */
export interface TextFile {
  readonly path: string;
  /** Includes a byte order mark as its first character. */
  readonly text: string;
  readonly encoding: string;
  /** As read. */
  readonly bytes: Uint8Array;
  /** Hex, of `bytes`. */
  readonly sha256: string;
  /** If the encoding is a guess: the BAD_INPUT for a non-ASCII character that was not in the file before. */
  readonly unsureOf?: (character: string) => ReaderError;
  /** The texts inside it that are shown decoded: edits apply to them. */
  readonly passages?: Passages;
  /** True if answers show a conversion of `text`. */
  readonly isShownConverted: boolean;
  /** `text` in the same encoding. @throws {ReaderError} BAD_INPUT for a character missing from the encoding */
  encode(text: string): Uint8Array;
}

/**
 * Reads a whole text file, in `encoding` if the caller names one.
 * @throws {ReaderError} as `open`; LIMIT_EXCEEDED; BAD_INPUT for an unknown encoding; UNSUPPORTED_FORMAT for binary
 * files and text that cannot be written back
 */
export async function readTextFile(
  workspace: Pick<Workspace, 'open'>,
  reader: Pick<Reader, 'inspect' | 'processors'>,
  given: string,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<TextFile> {
  return textFileOf(await readBytes(workspace, given, signal), reader, asked, signal);
}

/** Like `readTextFile`, of a file that was read. */
export async function textFileOf(
  { path, bytes }: { readonly path: string; readonly bytes: Buffer },
  reader: Pick<Reader, 'inspect' | 'processors'>,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<TextFile> {
  const sha256 = sha256Of(bytes);
  const isUnicode = isUtf8(bytes) && !bytes.includes(0);
  const asUtf8 = asked === undefined || /^utf-?8$/i.test(asked);
  // A pure ASCII file may be meant in any encoding that extends it.
  if (isUnicode && !asUtf8 && bytes.some((byte) => byte >= 0x80)) throw alreadyUtf8(path, asked);
  const found = await reader.inspect(
    { name: path, bytes },
    { signal, ...(asked !== undefined && { encoding: asked }) },
  );
  const processor = found.success && reader.processors.find(({ name }) => name === found.processor);
  const isShownConverted = processor !== false && processor !== undefined && isConverted(processor);
  if (processor && isShownConverted && !processor.authored && !processor.passages)
    throw shownConverted(path, processor.fileType);
  if (isUnicode && asUtf8) {
    // Not TextDecoder, which removes the byte order mark.
    const decode = (raw: Uint8Array): string => Buffer.from(raw).toString('utf8');
    const encode = exact('utf-8', (text) => Buffer.from(text, 'utf8'), decode);
    const text = decode(bytes);
    const passages = processor ? await processor.passages?.(text) : undefined;
    return {
      path,
      text,
      encoding: 'utf-8',
      bytes,
      sha256,
      isShownConverted,
      encode,
      ...(passages && { passages }),
    };
  }
  if (!found.success && asked !== undefined && found.error.code === 'BAD_INPUT')
    throw new ReaderError(found.error.code, found.error.message, found.error.hint);
  const detected = found.success ? found.metadata.encoding : undefined;
  if (detected === undefined) throw notText(path);
  const encoding = detected.name;
  const { default: iconv } = await import('iconv-lite');
  if (!iconv.encodingExists(encoding)) throw notWritten(path, encoding);
  const decode = (raw: Uint8Array): string => iconv.decode(raw, encoding, { stripBOM: false });
  const encode = (text: string): Uint8Array => iconv.encode(text, encoding, { addBOM: false });
  const text = decode(bytes);
  if (!bytes.equals(encode(text)))
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${named(path)} has bytes that are not valid ${encoding}; writing it back would change them.`,
      'Name another `encoding`, or rewrite the whole file.',
    );
  return {
    path,
    text,
    encoding,
    bytes,
    sha256,
    isShownConverted,
    encode: exact(encoding, encode, decode),
    ...(detected.confidence < SURE && {
      unsureOf: (character: string) => unsure(path, detected, character),
    }),
  };
}

function alreadyUtf8(path: string, asked: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${named(path)} is valid UTF-8, and an edit in ${quoted(asked)} would mix two encodings; nothing was changed.`,
    'Omit `encoding`.',
  );
}

/** True if answers show other text than that of the file. */
const isConverted = ({ textual, keeps, converts }: Processor): boolean =>
  !textual || keeps === true || converts === true;

function shownConverted(path: string, fileType: FileType): ReaderError {
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${named(path)} is ${quoted(fileType)}, which is shown as converted text: its bytes are not that text, so nothing was changed.`,
    'Write the changed text to a new file, such as one that ends with `.md`.',
  );
}

function notText(path: string): ReaderError {
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${named(path)} is not a text file; expected text.`,
    'Rewrite the whole file instead.',
  );
}

function unsure(path: string, { name, confidence, others = [] }: Encoding, character: string): ReaderError {
  const also = others.length === 0 ? '' : `, or perhaps ${others.map((other) => `\`${other}\``).join(', ')}`;
  return new ReaderError(
    'BAD_INPUT',
    `The encoding of ${named(path)} is a guess: \`${name}\` (${Math.round(confidence * 100)} % sure)${also}. Nothing was changed, because ${characterName(character.codePointAt(0) ?? 0)} may be a different character in the actual encoding.`,
    `Call again with \`encoding\`, such as \`${name}\`.`,
  );
}

function notWritten(path: string, encoding: string): ReaderError {
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${named(path)} is in ${encoding}, which can be read but not written.`,
    'Rewrite the whole file, which makes it UTF-8.',
  );
}

/** `encode`, rejecting text that would not decode to itself. */
function exact(
  encoding: string,
  encode: (text: string) => Uint8Array,
  decode: (bytes: Uint8Array) => string,
): (text: string) => Uint8Array {
  return (text) => {
    const bytes = encode(text);
    const back = decode(bytes);
    if (back === text) return bytes;
    let at = 0;
    while (at < text.length && text[at] === back[at]) at += 1;
    const point = text.codePointAt(at) ?? 0;
    throw new ReaderError(
      'BAD_INPUT',
      `The encoding of the file, ${encoding}, does not have the character ${characterName(point)}; nothing was changed.`,
      'Use characters of that encoding, or rewrite the whole file, which makes it UTF-8.',
    );
  };
}

/** `` `ő` (U+0151) ``; only the number if it cannot be shown. */
function characterName(point: number): string {
  const character = String.fromCodePoint(point);
  const number = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) && character !== '`'
    ? `\`${character}\` (${number})`
    : number;
}

/** The content of a file, and its path. @throws {ReaderError} as `open`; LIMIT_EXCEEDED above `most` bytes */
export async function readBytes(
  workspace: Pick<Workspace, 'open'>,
  path: string,
  signal: AbortSignal,
  most: Bytes = MAX_TEXT_BYTES,
): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const file = await workspace.open(path);
  try {
    const pieces: Uint8Array[] = [];
    let total = sizeOfFile(file);
    if (total <= most) {
      total = 0;
      for await (const piece of bytesOfFile(file, { to: most + 1, signal })) {
        pieces.push(piece);
        total += piece.length;
      }
    }
    if (total <= most) return { path: file.name, bytes: Buffer.concat(pieces) };
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${named(file.name)} has more than ${most} bytes, the maximum for edits.`,
      'Rewrite the whole file instead.',
    );
  } finally {
    await closeFile(file);
  }
}
