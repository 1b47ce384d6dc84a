// Parses the tree of a MIME message (RFC 2045, 2046): parts as ranges of the file with parsed headers, content still
// encoded. Bounded in parts and depth; each boundary is searched once, regardless of nesting.

import type { Warning } from '../../../src/contract/index.ts';
import type { Codec } from '../../../src/encoding/index.ts';
import {
  decodeFields,
  encodingOfHeader,
  fieldOf,
  type HeaderField,
  isUndeclared,
  type Parameterized,
  readFields,
  readParameters,
} from './header.ts';

/** One part. `body` follows its header, still encoded. */
export interface MimePart {
  readonly fields: readonly HeaderField[];
  /** `text/plain` by default. */
  readonly type: Parameterized;
  readonly disposition: Parameterized;
  /** Lower case: `base64`, `quoted-printable`, ... */
  readonly encoding: string;
  readonly body: Uint8Array;
  readonly children: readonly MimePart[];
  /** True if it is after the closing boundary of its siblings, where most programs ignore it. */
  readonly stray: boolean;
}

/** A parsed message, and whether limits applied. */
export interface MimeTree {
  readonly root: MimePart;
  /** True if parts, nesting or header fields exceeded their limit. */
  readonly bounded: boolean;
  /** Names the encoding guessed for header fields that declare none. */
  readonly guess?: Warning | undefined;
}

const MAX_PARTS = 10_000;
const MAX_DEPTH = 32;
const MAX_HEADER_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
/** `From `, as mbox files put before each message. */
const FROM = [0x46, 0x72, 0x6f, 0x6d, 0x20];

/** The tree of `bytes`. */
export async function readMime(bytes: Uint8Array): Promise<MimeTree> {
  const tree = parseMime(bytes);
  const parts = [...partsOf(tree.root)];
  const fields = parts.flatMap((part) => part.fields);
  if (!fields.some(({ raw }) => isUndeclared(raw))) return tree;
  const charset = parts.map(({ type }) => type.parameters.get('charset') ?? '').find((name) => name !== '');
  const encoding = await encodingOfHeader(fields, charset ?? '');
  return {
    ...tree,
    root: decodePart(tree.root, encoding.decode),
    guess: encoding.warning('Header fields of the mail'),
  };
}

function* partsOf(part: MimePart): Generator<MimePart> {
  yield part;
  for (const child of part.children) yield* partsOf(child);
}

/** `part` with its header fields decoded; its boundary was found in their bytes. */
function decodePart(part: MimePart, decode: Codec): MimePart {
  const fields = decodeFields(part.fields, decode);
  const parametersOf = (name: string) => readParameters(fieldOf(fields, name) ?? '').parameters;
  return {
    ...part,
    fields,
    type: { ...part.type, parameters: parametersOf('content-type') },
    disposition: { ...part.disposition, parameters: parametersOf('content-disposition') },
    children: part.children.map((child) => decodePart(child, decode)),
  };
}

function parseMime(bytes: Uint8Array): MimeTree {
  const state = { parts: 0, bounded: false };
  // Empty lines and a mailbox line before the header are not part of it.
  let start = 0;
  while (bytes[start] === LF || bytes[start] === CR) start += 1;
  if (FROM.every((byte, i) => bytes[start + i] === byte)) start = lineEnd(bytes, start).next;
  const root = readPart({ bytes: bytes.subarray(start), stray: false }, 0, 'text/plain', state);
  return { root, bounded: state.bounded };
}

interface State {
  parts: number;
  bounded: boolean;
}

function readPart({ bytes, stray }: RawPart, depth: number, fallback: string, state: State): MimePart {
  state.parts += 1;
  // A note appended to a mail may start like a header field.
  const { header, body } =
    stray && !startsPart(bytes) ? { header: bytes.subarray(0, 0), body: bytes } : split(bytes);
  if (header.length > MAX_HEADER_BYTES) state.bounded = true;
  const { fields, more } = readFields(header.subarray(0, MAX_HEADER_BYTES));
  if (more) state.bounded = true;
  const type = typeOf(fields, fallback);
  const part = {
    fields,
    type,
    disposition: readParameters(fieldOf(fields, 'content-disposition') ?? ''),
    encoding: (fieldOf(fields, 'content-transfer-encoding') ?? '').replace(/[\s;(].*/s, '').toLowerCase(),
    body,
    stray,
  };
  const boundary = type.parameters.get('boundary') ?? '';
  if (!type.value.startsWith('multipart/') || boundary === '') return { ...part, children: [] };
  if (depth >= MAX_DEPTH) {
    state.bounded = true;
    return { ...part, children: [] };
  }
  const inside = type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const children: MimePart[] = [];
  for (const piece of pieces(body, boundary)) {
    if (state.parts >= MAX_PARTS) {
      state.bounded = true;
      break;
    }
    children.push(readPart(piece, depth + 1, piece.stray ? 'text/plain' : inside, state));
  }
  return { ...part, children };
}

/** A type without a slash is invalid; `text` alone is an old form of plain text. */
function typeOf(fields: readonly HeaderField[], fallback: string): Parameterized {
  const type = readParameters(fieldOf(fields, 'content-type') ?? fallback);
  return /^[\w.+-]+\/[\w.+*-]+$/.test(type.value)
    ? type
    : {
        value: type.value === 'text' || type.value === '' ? 'text/plain' : fallback,
        parameters: type.parameters,
      };
}

/** The header up to the first empty line; a part that does not start with a field has none. */
function split(bytes: Uint8Array): { readonly header: Uint8Array; readonly body: Uint8Array } {
  let at = 0;
  while (at < bytes.length) {
    const { end, next } = lineEnd(bytes, at);
    if (end === at) return { header: bytes.subarray(0, at), body: bytes.subarray(next) };
    // A line that cannot be a field also ends the header, so that no text is lost.
    if (at === 0 && !startsField(bytes.subarray(0, Math.min(end, 300))))
      return { header: bytes.subarray(0, 0), body: bytes };
    at = next;
  }
  return { header: bytes, body: bytes.subarray(bytes.length) };
}

function startsField(line: Uint8Array): boolean {
  return /^[!-9;-~]{1,200}[ \t]*:/.test(Buffer.from(line).toString('latin1'));
}

function lineEnd(bytes: Uint8Array, at: number): { readonly end: number; readonly next: number } {
  const lf = bytes.indexOf(LF, at);
  if (lf < 0) return { end: bytes.length, next: bytes.length };
  return { end: lf > at && bytes[lf - 1] === CR ? lf - 1 : lf, next: lf + 1 };
}

interface RawPart {
  readonly bytes: Uint8Array;
  readonly stray: boolean;
}

/**
 * The ranges between boundary lines; up to the end if the closing one is missing. Text after the closing one is a piece
 * too.
 */
function* pieces(body: Uint8Array, boundary: string): Generator<RawPart, void, undefined> {
  const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = Buffer.from(`--${boundary}`, 'latin1');
  let start = -1;
  let closed = false;
  // For the open piece: whether its own boundary would close this one's parent.
  let ambiguous: boolean | undefined;
  for (let at = data.indexOf(mark); at >= 0; at = data.indexOf(mark, at + 1)) {
    if (at > 0 && data[at - 1] !== LF) continue;
    const { end, next } = lineEnd(data, at);
    const rest = data.subarray(at + mark.length, Math.min(end, at + mark.length + 200));
    const closing = rest[0] === DASH && rest[1] === DASH;
    // A longer boundary with the same prefix is another one.
    if (!(closing ? rest.subarray(2) : rest).every((byte) => byte === 0x20 || byte === 0x09)) continue;
    if (closing && start >= 0 && !closed) {
      ambiguous ??= declares(body.subarray(start, at), `${boundary}--`);
      if (ambiguous) continue;
    }
    if (start >= 0) {
      const bytes = body.subarray(start, trimmed(data, start, at));
      if (!closed || !isBlank(bytes)) yield { bytes, stray: closed };
    }
    start = next;
    closed = closing;
    ambiguous = undefined;
  }
  if (start < 0 || start >= body.length) return;
  const bytes = body.subarray(start);
  if (!closed || !isBlank(bytes)) yield { bytes, stray: closed };
}

/** True if the part itself declares `boundary`. */
function declares(part: Uint8Array, boundary: string): boolean {
  const { fields } = readFields(split(part).header.subarray(0, MAX_HEADER_BYTES));
  return readParameters(fieldOf(fields, 'content-type') ?? '').parameters.get('boundary') === boundary;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

function startsPart(bytes: Uint8Array): boolean {
  let at = 0;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  return /^content-[a-z-]{1,30}[ \t]*:/i.test(Buffer.from(bytes.subarray(at, at + 80)).toString('latin1'));
}

/** The line end before a boundary belongs to the boundary. */
function trimmed(data: Uint8Array, start: number, end: number): number {
  let at = end;
  if (at > start && data[at - 1] === LF) at -= 1;
  if (at > start && data[at - 1] === CR) at -= 1;
  return at;
}
