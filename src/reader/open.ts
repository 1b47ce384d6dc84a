// Input to Source: whatever a caller may pass, opened and checked. Only regular files and given bytes come through;
// nothing remote, and nothing named inside a file, is ever opened.

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type Bytes,
  type Extension,
  errnoOf,
  type Files,
  type Limits,
  type MimeType,
  type OpenFile,
  piecesWithin,
  plural,
  quoted,
  ReaderError,
  type Source,
  systemError,
  tellsSize,
  throwIfAborted,
  visibleName,
} from '../contract/index.ts';
import { HOST_FILES } from './host-files.ts';
import { BlobSource, FileSource, type Label, MemorySource } from './source.ts';

/** Bytes, or something that yields them. */
export type ByteStream = ReadableStream<Uint8Array> | NodeJS.ReadableStream | AsyncIterable<Uint8Array>;

/** What `read` accepts: a path, a `file:` URL, bytes, a Blob, a stream, or one of these with a name and a MIME type. */
export type Input =
  | string
  | URL
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ByteStream
  | {
      readonly name?: string;
      readonly mimeType?: string;
      readonly path?: string | URL;
      readonly bytes?: Uint8Array | ArrayBuffer | Blob;
      readonly stream?: ByteStream;
      /** A path inside it, as after the `!/` of `archive.zip!/dir/file.csv`. */
      readonly entry?: string;
      /**
       * SHA-256 of the content in hex, where it is known: `path` is then only where the bytes are, so cursors belong to the
       * content and the file's date is not told. Not checked.
       */
      readonly sha256?: string;
    };

/** A Source with what only its opener knows. `close` may be called more than once. */
export interface Opened {
  readonly source: Source;
  readonly modified: Date | undefined;
  /** What is asked for inside it; `''` is its own listing. */
  readonly entry?: string;
  changed(): Promise<boolean>;
  close(): Promise<void>;
}

/** A stream up to here is held in memory, a longer one in a temporary file that has no name. */
const STREAM_MEMORY_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

const NEVER_CHANGES = {
  modified: undefined,
  changed: () => Promise.resolve(false),
  close: () => Promise.resolve(),
};

/**
 * Opens `input`.
 * @throws {ReaderError} BAD_INPUT, FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED, LIMIT_EXCEEDED (a stream), ABORTED
 */
export async function open(
  input: Input,
  limits: Limits,
  signal: AbortSignal,
  files: Files = HOST_FILES,
): Promise<Opened> {
  throwIfAborted(signal);
  const { entry, ...rest } = unwrap(input);
  const opened = await openGiven(rest, limits, signal, files);
  return entry === undefined ? opened : { ...opened, entry };
}

async function openGiven(
  { given, name, mimeType, sha256 }: Unwrapped,
  limits: Limits,
  signal: AbortSignal,
  files: Files,
): Promise<Opened> {
  const label = (fallback: string): Label => {
    const shown = name ?? fallback;
    return {
      name: shown,
      extension: extensionOf(shown),
      mimeType: cleanMimeType(mimeType),
      maxBytesInMemory: limits.maxBytesInMemory,
      ...(sha256 !== undefined && { sha256 }),
    };
  };
  if (typeof given === 'string' || given instanceof URL) {
    const path = files === HOST_FILES ? toPath(given) : toName(given);
    const { outer, entry } = await splitEntry(path, files);
    const { name: found, handle, stats } = await files.open(outer);
    const opened = await openedFile({ name: found, handle, stats }, label(found), limits, signal);
    return entry === undefined ? opened : { ...opened, entry };
  }
  if (given instanceof Uint8Array || given instanceof ArrayBuffer)
    return {
      ...NEVER_CHANGES,
      source: new MemorySource(label('bytes'), given instanceof ArrayBuffer ? new Uint8Array(given) : given),
    };
  if (given instanceof Blob) {
    const blobLabel = label(given instanceof File ? safeName(given.name) : 'blob');
    const declared = blobLabel.mimeType ?? cleanMimeType(given.type);
    return {
      ...NEVER_CHANGES,
      source: new BlobSource({ ...blobLabel, mimeType: declared }, given),
    };
  }
  const streamed = label('stream');
  return holdAll(piecesOf(given, streamed.name, signal), streamed, limits, signal);
}

interface Unwrapped {
  readonly given: string | URL | Uint8Array | ArrayBuffer | Blob | ByteStream;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly entry?: string | undefined;
  readonly sha256?: string | undefined;
}

function isStream(value: object): value is ByteStream {
  return Symbol.asyncIterator in value || value instanceof ReadableStream;
}

function unwrap(input: Input): Unwrapped {
  if (
    typeof input === 'string' ||
    input instanceof URL ||
    input instanceof Uint8Array ||
    input instanceof ArrayBuffer ||
    input instanceof Blob
  )
    return { given: input };
  if (input === null || typeof input !== 'object')
    throw badInput(input === null ? '`null`' : `a value of type \`${typeof input}\``);
  if (isStream(input)) return { given: input };
  const given = [input.path, input.bytes, input.stream].filter((value) => value !== undefined);
  const [only] = given;
  if (only === undefined || given.length > 1) throw badInput(`an object with ${given.length} of them`);
  const name = input.name === undefined ? undefined : safeName(input.name);
  return { given: only, name, mimeType: input.mimeType, entry: input.entry, sha256: hashOf(input.sha256) };
}

function badInput(found: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The input is ${found}; expected a path, a \`file:\` URL, bytes, a Blob, a stream, or an object with one of \`path\`, \`bytes\`, \`stream\`.`,
    'Pass exactly one of `path`, `bytes` and `stream`.',
  );
}

/** @throws {ReaderError} BAD_INPUT */
function hashOf(sha256: unknown): string | undefined {
  if (sha256 === undefined) return undefined;
  if (typeof sha256 === 'string' && /^[\da-f]{64}$/.test(sha256)) return sha256;
  throw new ReaderError(
    'BAD_INPUT',
    '`sha256` is not a SHA-256 hash in hex.',
    'Pass 64 digits and lower-case letters, or leave `sha256` out.',
  );
}

/** Only the last component, shown, so that a name carries neither a path nor hidden characters into an answer. */
function safeName(name: string): string {
  return visibleName(basename(name.replaceAll('\\', '/').replaceAll('\0', ''))) || 'unnamed';
}

function toPath(given: string | URL): string {
  const text = String(given);
  if (text.startsWith('file:')) {
    try {
      return fileURLToPath(text);
    } catch (cause) {
      throw new ReaderError('BAD_INPUT', 'The `file:` URL names no local path.', 'Pass a plain path.', cause);
    }
  }
  if (given instanceof URL || /^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(text)} is a remote address; only local files are read.`,
      'Download it first, then pass the path or the bytes.',
    );
  if (text === '' || text.includes('\0'))
    throw new ReaderError(
      'BAD_INPUT',
      'The path is empty or holds a NUL character.',
      'Pass the path of a file.',
    );
  return text;
}

/** In a workspace every path is a name, also one that looks like an address. */
function toName(given: string | URL): string {
  if (typeof given === 'string') return given;
  throw new ReaderError(
    'BAD_INPUT',
    'The input is a URL; in a workspace files are named by path.',
    'Pass the path inside the workspace, as in `reports/q3.csv`.',
  );
}

const INSIDE = '!/';
const MAX_CUTS = 32;

/** `archive.zip!/dir/file.csv` as the file to open and the path inside it; a file of that very name comes first. */
async function splitEntry(
  path: string,
  files: Files,
): Promise<{ readonly outer: string; readonly entry?: string }> {
  const first = path.indexOf(INSIDE);
  if (first <= 0 || (await files.kind(path)) !== undefined) return { outer: path };
  let tried = 0;
  for (let at = first; at >= 0 && tried < MAX_CUTS; at = path.indexOf(INSIDE, at + INSIDE.length), tried += 1)
    if ((await files.kind(path.slice(0, at))) === 'file')
      return { outer: path.slice(0, at), entry: path.slice(at + INSIDE.length) };
  // Nothing is there to look into: what is missing is the file before the first cut, unless that is a directory.
  const missing = path.slice(0, first);
  return (await files.kind(missing)) === undefined ? { outer: missing, entry: '' } : { outer: path };
}

/** The lower-case ending with its dot; `''` for none, for dot-files without a second dot, and for odd ones. */
export function extensionOf(name: string): Extension | '' {
  const extension = extname(name).toLowerCase();
  // A dot, then letters: the shape of Extension, which Lowercase<> alone cannot be inferred from.
  return /^\.[^\s./\\]{1,24}$/.test(extension) ? (extension as Extension) : '';
}

/** Without parameters, lower case; undefined for what is no type, or says nothing (`application/octet-stream`). */
function cleanMimeType(mimeType: string | undefined): MimeType | undefined {
  const bare = mimeType?.split(';')[0]?.trim().toLowerCase();
  if (bare === undefined || !/^[\w.+-]+\/[\w.+-]+$/.test(bare) || bare === 'application/octet-stream')
    return undefined;
  return bare as MimeType; // lower-cased above, and of the shape the expression checks
}

/** A file whose size only reading shows is read to its end at once. Closes the handle when that fails. */
async function openedFile(
  { handle, stats }: OpenFile,
  label: Label,
  limits: Limits,
  signal: AbortSignal,
): Promise<Opened> {
  const file = new FileSource(label, handle, stats);
  const close = closeOnce(handle);
  const facts = {
    modified: label.sha256 === undefined ? file.modified : undefined,
    changed: () => file.changed(),
  };
  if (tellsSize(stats)) return { ...facts, source: file, close };
  try {
    const held = await holdAll(toItsEnd(handle, label.name, limits), label, limits, signal);
    return {
      ...facts,
      source: held.source,
      close: async () => {
        await held.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The bytes of a file that does not tell its size. What a kernel makes as it is read may have no end (/proc/self/pagemap). */
async function* toItsEnd(
  handle: FileHandle,
  name: string,
  { maxBytesInMemory }: Limits,
): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytesRead: number;
    try {
      ({ bytesRead } = await handle.read(chunk, 0, chunk.length, position));
    } catch (error) {
      // Opened without waiting: there is no more now, as in a kernel log.
      if (errnoOf(error) === 'EAGAIN') return;
      throw systemError(error, name, 'read');
    }
    if (bytesRead === 0) return;
    position += bytesRead;
    if (position > maxBytesInMemory)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(name)} does not tell its size and has more than ${maxBytesInMemory} bytes (limit \`maxBytesInMemory\`).`,
        'Copy the part that is needed to a file, and read that.',
      );
    yield chunk.subarray(0, bytesRead);
  }
}

/** The bytes of the caller's stream; its error is the caller's. Does not wait for one that hangs when cancelled. */
async function* piecesOf(stream: ByteStream, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    const iterable: AsyncIterable<unknown> = stream instanceof ReadableStream ? stream.values() : stream;
    for await (const value of piecesWithin(iterable, signal)) {
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      if (!(bytes instanceof Uint8Array)) throw badInput('a stream of something other than bytes');
      size += bytes.length;
      yield bytes;
    }
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof ReaderError ? error : streamError(error, name, size);
  } finally {
    if (signal.aborted && stream instanceof Readable) stream.destroy();
  }
}

/** What a stream says of its end may hold a path or a secret: it is the cause, and not part of the message. */
function streamError(error: unknown, name: string, size: Bytes): ReaderError {
  const code = /^[A-Z][A-Z0-9_]{1,40}$/.exec(errnoOf(error) ?? '')?.[0];
  if (error instanceof Error && error.name === 'AbortError')
    return new ReaderError(
      'ABORTED',
      `The stream ${quoted(name)} was aborted after ${plural(size, 'byte')}.`,
      'Pass a new stream to read it.',
      error,
    );
  return new ReaderError(
    'BAD_INPUT',
    `The stream ${quoted(name)} failed after ${plural(size, 'byte')}${code === undefined ? '' : ` (${code})`}.`,
    'Pass a new stream that can be read to its end.',
    error,
  );
}

/** All of `pieces`, in memory or in an unnamed file. @throws {ReaderError} LIMIT_EXCEEDED, and what `pieces` throw */
async function holdAll(
  pieces: AsyncIterable<Uint8Array>,
  label: Label,
  limits: Limits,
  signal: AbortSignal,
): Promise<Opened> {
  let held: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const bytes of pieces) {
      throwIfAborted(signal);
      size += bytes.length;
      if (size > limits.maxStreamBytes)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The stream gave more than ${limits.maxStreamBytes} bytes.`,
          'Raise the limit `maxStreamBytes` (LECTERN_MAX_STREAM_BYTES), or save it to a file and pass the path.',
        );
      if (!file) {
        held.push(bytes);
        if (size <= STREAM_MEMORY_BYTES) continue;
        file = await unnamedFile();
        for (const earlier of held) await file.appendFile(earlier);
        held = [];
      } else await file.appendFile(bytes);
    }
  } catch (error) {
    await file?.close();
    throwIfAborted(signal);
    throw error;
  }
  if (!file)
    return {
      ...NEVER_CHANGES,
      source: new MemorySource(label, Buffer.concat(held)),
    };
  const source = new FileSource(label, file, await file.stat({ bigint: true }));
  return { ...NEVER_CHANGES, source, close: closeOnce(file) };
}

function closeOnce(file: FileHandle): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= file.close();
    return closing;
  };
}

/** A temporary file that is gone from its directory as soon as it is open, so that nothing can be left behind. */
async function unnamedFile(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-'));
  try {
    return await openFile(
      join(directory, 'stream'),
      constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
