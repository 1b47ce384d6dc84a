// Classifies the inputs callers may pass, and extracts their names. Opens nothing.

import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Extension, type MimeType, quoted, ReaderError, visibleName } from '../../contract/index.ts';

/** Bytes, or a source that yields them. */
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
      /** A path inside the file, as after the `!/` of `archive.zip!/dir/file.csv`. */
      readonly entry?: string;
      /** A place in the file, or in its `entry`, as an address has it: `#page=3`. */
      readonly place?: string;
      /**
       * SHA-256 of the content in hex, if known. `path` is then only a storage location: cursors are bound to the
       * content and the file's date is not reported. Not verified.
       */
      readonly sha256?: string;
    };

/** A classified input. */
export interface Unwrapped {
  readonly given: string | URL | Uint8Array | ArrayBuffer | Blob | ByteStream;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly entry?: string | undefined;
  readonly place?: string | undefined;
  readonly sha256?: string | undefined;
}

function isStream(value: object): value is ByteStream {
  return Symbol.asyncIterator in value || value instanceof ReadableStream;
}

/** @throws {ReaderError} BAD_INPUT */
export function unwrap(input: Input): Unwrapped {
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
  const { path, bytes, stream, name, mimeType, entry, place, sha256 } = fieldsOf(input);
  const given = [path, bytes, stream].filter((value) => value !== undefined);
  const [only] = given;
  if (only === undefined || given.length > 1) throw badInput(`an object with ${given.length} of them`);
  for (const [field, value] of Object.entries({ name, mimeType, entry, place }))
    if (value !== undefined && typeof value !== 'string') throw wrongField(field, 'text');
  if (path !== undefined && typeof path !== 'string' && !(path instanceof URL))
    throw wrongField('path', 'a path or a `file:` URL');
  if (bytes !== undefined && !isBytes(bytes)) throw wrongField('bytes', 'bytes or a Blob');
  if (stream !== undefined && !(typeof stream === 'object' && stream !== null && isStream(stream)))
    throw wrongField('stream', 'a stream of bytes');
  const shown = name === undefined ? undefined : safeName(name);
  return { given: only, name: shown, mimeType, entry, place, sha256: hashOf(sha256) };
}

type Labelled = Exclude<Input, string | URL | Uint8Array | ArrayBuffer | Blob | ByteStream>;
type Fields = { readonly [K in keyof Required<Labelled>]: Labelled[K] | undefined };

/** Reads each field once, since it may be computed. @throws {ReaderError} BAD_INPUT for a field that throws */
function fieldsOf(input: Labelled): Fields {
  try {
    const { path, bytes, stream, name, mimeType, entry, place, sha256 } = input;
    return { path, bytes, stream, name, mimeType, entry, place, sha256 };
  } catch (cause) {
    throw new ReaderError(
      'BAD_INPUT',
      'The input has a field that throws when it is read.',
      'Pass an object with plain values.',
      cause,
    );
  }
}

const isBytes = (value: unknown): boolean =>
  value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob;

function wrongField(field: string, expected: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The \`${field}\` of the input is not ${expected}.`,
    `Pass ${expected} as \`${field}\`.`,
  );
}

export function badInput(found: string): ReaderError {
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
    'Pass 64 lower-case hexadecimal digits, or omit `sha256`.',
  );
}

/**
 * Only the last component, made visible, so that a name carries neither a path nor hidden characters into an answer.
 */
export function safeName(name: string): string {
  return visibleName(basename(name.replaceAll('\\', '/').replaceAll('\0', ''))) || 'unnamed';
}

/** A path of the host. @throws {ReaderError} BAD_INPUT for a remote address */
export function toPath(given: string | URL): string {
  const text = String(given);
  if (text.startsWith('file:')) {
    try {
      return fileURLToPath(text);
    } catch (cause) {
      throw new ReaderError(
        'BAD_INPUT',
        'The `file:` URL does not name a local path.',
        'Pass a plain path.',
        cause,
      );
    }
  }
  if (given instanceof URL || /^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(text)} is a remote address; expected a local file.`,
      'Download it first, then pass the path or the bytes.',
    );
  if (text === '' || text.includes('\0'))
    throw new ReaderError(
      'BAD_INPUT',
      'The path is empty or contains a NUL character.',
      'Pass the path of a file.',
    );
  return text;
}

/** In a workspace every path is a name, even one that looks like an address. */
export function toName(given: string | URL): string {
  if (typeof given === 'string') return given;
  throw new ReaderError(
    'BAD_INPUT',
    'The input is a URL; in a workspace files are named by path.',
    'Pass the path inside the workspace, as in `reports/q3.csv`.',
  );
}

/** The lower-case extension with its dot; `''` for none, for dot-files without a second dot, and for unusual ones. */
export function extensionOf(name: string): Extension | '' {
  const extension = extname(name).toLowerCase();
  // A dot, then letters: the shape of Extension, which Lowercase<> alone cannot be inferred from.
  return /^\.[^\s./\\]{1,24}$/.test(extension) ? (extension as Extension) : '';
}

/** Without parameters, in lower case; undefined for an invalid or meaningless type (`application/octet-stream`). */
export function cleanMimeType(mimeType: string | undefined): MimeType | undefined {
  const bare = mimeType?.split(';')[0]?.trim().toLowerCase();
  if (bare === undefined || !/^[\w.+-]+\/[\w.+-]+$/.test(bare) || bare === 'application/octet-stream')
    return undefined;
  return bare as MimeType; // lower-cased above, and its shape is checked by the expression
}
