// Any text file as UTF-8: which encoding it is in, how sure that is, and a Source of its UTF-8 bytes. Order: byte
// order mark, strict UTF-8, the file's own declaration, statistics on at most 64 KiB.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type Limits,
  plural,
  quoted,
  ReaderError,
  type Source,
  type TextSource,
  throwIfAborted,
  type Warning,
  wholeLength,
} from '../contract/index.ts';
import { implausibleIn, profileOf } from './plausible-text.ts';
import { type Label, MemorySource, type Piece, PieceSource, WindowSource } from './source.ts';

/** A file as UTF-8, and what a caller should know of how it came to be. */
export interface Decoded {
  readonly source: TextSource;
  readonly warnings: readonly Warning[];
}

interface Guess {
  readonly name: string;
  readonly confidence: number;
  /** Bytes of byte order mark to leave out. */
  readonly mark: Bytes;
  /** UTF-8 with bytes that are not. */
  readonly damaged?: boolean;
  /** What else it may be, the likelier first. */
  readonly others?: readonly string[];
}

const MIB = 1024 * 1024;
/** Files up to here are checked to be UTF-8 to the last byte; of larger ones the first and last MiB. */
const CHECKED_BYTES = 16 * MIB;
/** Files in another encoding up to here are converted at once, larger ones piece by piece. */
const CONVERTED_BYTES = 32 * MIB;
/** chardet costs 0.3 to 0.5 s a MiB, so it sees this much at most. */
const SAMPLE_BYTES = 64 * 1024;

const MARKS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['gb18030', [0x84, 0x31, 0x95, 0x33]],
];

/**
 * `source` as UTF-8. `override` is an encoding's name and ends all guessing.
 * @throws {ReaderError} BAD_INPUT for an unknown encoding
 */
export async function decode(
  source: Source,
  override: string | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<Decoded> {
  const head = await source.read(0, Math.min(source.size, MIB));
  const guess = override === undefined ? await detectEncoding(source, head, signal) : chosen(override, head);
  const warnings: Warning[] = [];
  if (guess.name === 'utf-8' && !guess.damaged) {
    const bytes = guess.mark === 0 ? source : new WindowSource(source, guess.mark, limits.maxBytesInMemory);
    return { source: asText(bytes, guess), warnings };
  }
  if (guess.confidence <= 0.5)
    warnings.push({
      code: 'ENCODING_GUESSED',
      message: `The encoding is a guess: ${guess.name}, ${Math.round(guess.confidence * 100)} % sure. Ask again with \`encoding\` if the text looks wrong.`,
    });
  const codec = await loadCodec(guess.name);
  let lost = 0;
  const convert = (bytes: Uint8Array): Uint8Array => {
    const text = codec(bytes);
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) lost += 1;
    return Buffer.from(text, 'utf8');
  };
  const label: Label = {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    maxBytesInMemory: limits.maxBytesInMemory,
  };
  let converted: Source;
  if (source.size <= CONVERTED_BYTES) {
    const whole = convert((await source.read(0, source.size)).subarray(guess.mark));
    converted = new MemorySource(label, whole);
  } else converted = await convertInPieces(source, guess, convert, label, signal);
  if (lost > 0)
    warnings.push({
      code: 'LOSSY_DECODE',
      message: `${plural(lost, 'place')} ${lost === 1 ? 'is' : 'are'} not valid ${guess.name} and ${lost === 1 ? 'is' : 'are'} shown as \ufffd.`,
    });
  return { source: asText(converted, guess), warnings };
}

function asText(source: Source, guess: Guess): TextSource {
  const encoding = {
    name: guess.name,
    confidence: Math.round(guess.confidence * 100) / 100,
    ...(guess.others && guess.others.length > 0 && { others: guess.others }),
  };
  return {
    encoding,
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    identity: async () => `${await source.identity()}/${guess.name}`,
    read: (position, length) => source.read(position, length),
    readInto: (target, position) => source.readInto(target, position),
    chunks: (from) => source.chunks(from),
    bytes: () => source.bytes(),
  };
}

function markOf(head: Uint8Array): Guess | undefined {
  for (const [name, bytes] of MARKS)
    if (bytes.every((byte, i) => head[i] === byte)) return { name, confidence: 1, mark: bytes.length };
  return undefined;
}

function chosen(name: string, head: Uint8Array): Guess {
  const known = canonical(name);
  const mark = markOf(head);
  return {
    name: known,
    confidence: 1,
    mark: mark?.name === known ? mark.mark : 0,
    damaged: known === 'utf-8',
  };
}

/** One spelling per encoding: lower case, WHATWG's dashes for the Unicode family. */
function canonical(name: string): string {
  const lower = name.trim().toLowerCase();
  if (/^utf[-_]?8$/.test(lower)) return 'utf-8';
  const wide = /^utf[-_]?(16|32)[-_]?(le|be)?$/.exec(lower);
  return wide ? `utf-${wide[1]}${wide[2] ?? 'le'}` : lower;
}

async function detectEncoding(source: Source, head: Uint8Array, signal: AbortSignal): Promise<Guess> {
  const mark = markOf(head);
  if (mark && mark.name !== 'utf-8') return mark;
  const skip = mark?.mark ?? 0;
  const wide = wideWithoutMark(head);
  if (wide && !mark) return wide;
  const check = await checkUtf8(source, head, signal);
  if (check.valid) {
    const stateful = check.ascii ? escapeEncoding(head) : undefined;
    return stateful ?? { name: 'utf-8', confidence: 1, mark: skip };
  }
  // Damaged UTF-8 when there is a mark, or when good sequences far outnumber bad bytes.
  if (mark || check.sequences >= 20 * check.bad)
    return {
      name: 'utf-8',
      confidence: mark ? 1 : check.sequences / (check.sequences + check.bad),
      mark: skip,
      damaged: true,
    };
  const declared = declaredEncoding(head);
  if (
    declared !== undefined &&
    declared !== 'utf-8' &&
    !declared.startsWith('utf-') &&
    (await isKnown(declared))
  )
    return { name: refine(declared, check.sample), confidence: 0.9, mark: 0 };
  const guess = await statistics(check.sample);
  // Text at the start and data behind it: what is not ASCII shows as damage.
  if (!guess) return { name: 'utf-8', confidence: 0.1, mark: 0, damaged: true };
  const { preferWestern } = await import('./western.ts');
  return preferWestern(guess, check.sample, (await loadCodec(guess.name))(check.sample));
}

/** True when `head`, the start of a file, is UTF-8, damaged UTF-8 or text in some legacy encoding. */
export async function isText(head: Uint8Array): Promise<boolean> {
  if (isUtf8(head.subarray(0, wholeLength(head))) || markOf(head)) return true;
  const { sequences, bad, first } = countUtf8(head);
  if (sequences >= 20 * bad) return true;
  const sample = sampleOf(head, first);
  const { clean, parted } = profileOf(sample);
  return clean && (parted || (await statistics(sample)) !== undefined);
}

/** UTF-16 or UTF-32 without a mark, where decoding gives plausible text. */
export function wideWithoutMark(head: Uint8Array): Guess | undefined {
  const guess = wideByZeros(head);
  return guess && isWideText(head.subarray(0, 16 * 1024), guess.name) ? guess : undefined;
}

function isWideText(bytes: Uint8Array, name: string): boolean {
  const text = name.startsWith('utf-32') ? utf32Text(bytes, name) : new TextDecoder(name).decode(bytes);
  // The cut may have halved the last character.
  return implausibleIn(text.slice(0, -1)) * 100 <= text.length;
}

function utf32Text(bytes: Uint8Array, name: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const characters: string[] = [];
  for (let at = 0; at < view.byteLength; at += 4) {
    const code = view.getUint32(at, name === 'utf-32le');
    characters.push(code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));
  }
  return characters.join('');
}

/** By where the zero bytes of its ASCII characters fall. */
function wideByZeros(head: Uint8Array): Guess | undefined {
  const length = Math.min(head.length, 4096) & ~3;
  if (length < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < length; i += 1) if (head[i] === 0) zeros[i & 3] = (zeros[i & 3] ?? 0) + 1;
  const share = zeros.map((count) => count / (length / 4));
  const [a = 0, b = 0, c = 0, d = 0] = share;
  // The highest code point is U+10FFFF, so one byte of four is always zero and the next nearly always.
  if (d === 1 && c > 0.98 && a < 0.5) return { name: 'utf-32le', confidence: 0.95, mark: 0 };
  if (a === 1 && b > 0.98 && d < 0.5) return { name: 'utf-32be', confidence: 0.95, mark: 0 };
  // Half a page of another script still has spaces, digits and line ends, hence the low bar on one side only.
  const even = (a + c) / 2;
  const odd = (b + d) / 2;
  if (Math.max(even, odd) < 0.9 && isAsciiOrZero(head.subarray(0, length))) return undefined;
  if (even < 0.01 && odd > 0.1) return { name: 'utf-16le', confidence: Math.min(1, 0.6 + odd / 2), mark: 0 };
  if (odd < 0.01 && even > 0.1) return { name: 'utf-16be', confidence: Math.min(1, 0.6 + even / 2), mark: 0 };
  return even + odd > 0 ? wideIdeographs(head.subarray(0, length)) : undefined;
}

/**
 * Text of one byte a character with zero bytes between, such as `key\0value`. UTF-16 of other scripts has bytes from 0x80
 * or control characters, and that of ASCII a zero in every unit.
 */
function isAsciiOrZero(bytes: Uint8Array): boolean {
  return bytes.every(
    (byte) => byte === 0 || (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13,
  );
}

/** Line ends, spaces and punctuation that text of any script in UTF-16 has, and that reads as letters byte-swapped. */
const COMMON_UNITS: ReadonlySet<number> = new Set([
  0x0a, 0x0d, 0x20, 0x2c, 0x2e, 0x3000, 0x3001, 0x3002, 0xff0c,
]);

/** UTF-16 of scripts whose characters have no zero bytes, known by its line ends and punctuation. */
function wideIdeographs(bytes: Uint8Array): Guess | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const little of [true, false]) {
    let common = 0;
    let swapped = 0;
    let odd = 0;
    for (let at = 0; at < bytes.length; at += 2) {
      const unit = view.getUint16(at, little);
      if (COMMON_UNITS.has(unit)) common += 1;
      if (COMMON_UNITS.has(((unit & 0xff) << 8) | (unit >> 8))) swapped += 1;
      if ((unit < 0x20 && !COMMON_UNITS.has(unit) && unit !== 9) || (unit >= 0xd800 && unit < 0xf900))
        odd += 1;
    }
    const units = bytes.length / 2;
    if (common > units / 100 && common > 4 * swapped && odd === 0)
      return { name: little ? 'utf-16le' : 'utf-16be', confidence: 0.7, mark: 0 };
  }
  return undefined;
}

interface Utf8Check {
  readonly valid: boolean;
  readonly ascii: boolean;
  readonly sequences: number;
  readonly bad: number;
  /** Up to 64 KiB around the bytes that are not ASCII, for statistics. */
  readonly sample: Uint8Array;
}

async function checkUtf8(source: Source, head: Uint8Array, signal: AbortSignal): Promise<Utf8Check> {
  const pieces: Uint8Array[] = [];
  if (source.size <= head.length) pieces.push(head);
  else if (source.size <= CHECKED_BYTES) {
    throwIfAborted(signal);
    pieces.push(await source.read(0, source.size));
  } else pieces.push(head, await source.read(source.size - MIB, MIB));
  let ascii = true;
  let valid = true;
  for (const [i, piece] of pieces.entries()) {
    const from = i === 0 ? 0 : continuationBytes(piece);
    const to = i === 0 && pieces.length > 1 ? wholeLength(piece) : piece.length;
    if (!isUtf8(piece.subarray(from, to))) valid = false;
    if (ascii && piece.some((byte) => byte >= 0x80)) ascii = false;
  }
  if (valid) return { valid, ascii, sequences: 0, bad: 0, sample: head };
  const all = pieces.length === 1 ? (pieces[0] ?? head) : Buffer.concat(pieces);
  const { sequences, bad, first } = countUtf8(all);
  return { valid, ascii: false, sequences, bad, sample: sampleOf(all, first) };
}

/** The sequences of UTF-8 beyond ASCII, the bytes that belong to none, and where the first of either is. */
function countUtf8(all: Uint8Array): {
  readonly sequences: number;
  readonly bad: number;
  readonly first: Bytes;
} {
  let sequences = 0;
  let bad = 0;
  let first = -1;
  for (let i = 0; i < all.length; ) {
    const byte = all[i] ?? 0;
    if (byte < 0x80) {
      i += 1;
      continue;
    }
    if (first < 0) first = i;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length > 0 && i + length <= all.length && isUtf8(all.subarray(i, i + length))) {
      sequences += 1;
      i += length;
    } else {
      bad += 1;
      i += 1;
    }
  }
  return { sequences, bad, first: Math.max(0, first) };
}

/** What statistics should see: 64 KiB around `first`, the first byte beyond ASCII, since what is ASCII says nothing. */
function sampleOf(all: Uint8Array, first: number): Uint8Array {
  const start = Math.max(0, first - 1024);
  return all.subarray(start, start + SAMPLE_BYTES);
}

function continuationBytes(piece: Uint8Array): number {
  let at = 0;
  while (at < 3 && ((piece[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** ISO-2022-JP, which hides in plain ASCII behind escape sequences (ECMA-35; RFC 1468). */
function escapeEncoding(head: Uint8Array): Guess | undefined {
  const text = latin1(head, SAMPLE_BYTES).replaceAll('\u001b', '\u0100');
  return /\u0100(?:\$[@B]|\(J)/.test(text) ? { name: 'iso-2022-jp', confidence: 0.95, mark: 0 } : undefined;
}

function latin1(bytes: Uint8Array, most: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, most)).toString('latin1');
}

/** What the file says of itself: an XML declaration, or an HTML `charset`, which pages put after long comments and styles. */
function declaredEncoding(head: Uint8Array): string | undefined {
  const text = latin1(head, 16 * 1024);
  const match =
    /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{2,40})["']/.exec(text) ??
    /<meta[^>]{0,200}?\bcharset\s*=\s*["']?([\w.:-]{2,40})/i.exec(text) ??
    /^(?:.*\n)?.*?coding[:=]\s*([\w.-]{2,40})/.exec(text.slice(0, 400));
  return match?.[1] === undefined ? undefined : canonical(match[1]);
}

/** The confidence chardet has in multibyte text that it knows by frequent characters; in chance sequences it has less. */
const SURE = 0.8;

/** The likeliest legacy encoding; undefined when no encoding makes text of the sample. */
async function statistics(sample: Uint8Array): Promise<Guess | undefined> {
  const { clean, parted, repetitive } = profileOf(sample);
  if (!clean) return undefined;
  const chardet = await import('chardet');
  const matches = chardet.analyse(sample);
  for (const match of matches) {
    const name = canonical(match.name);
    if (name === 'utf-8' || name === 'ascii' || name.startsWith('utf-') || !(await isKnown(name))) continue;
    const confidence = Math.max(0.1, Math.min(0.99, match.confidence / 100));
    if (!parted && !(MULTIBYTE.has(name) ? confidence >= SURE : repetitive)) continue;
    const text = (await loadCodec(name))(sample);
    if ((parted ? damageIn(text) : implausibleIn(text)) > 1 + text.length / 200) continue;
    const refined = refine(name, sample);
    const twin = MACINTOSH_TWINS[refined];
    // chardet knows no Macintosh encodings, and takes them for their Windows neighbours.
    if (twin !== undefined) {
      const other = (await loadCodec(twin))(sample);
      if (oddities(other) * 2 < oddities(text)) return { name: twin, confidence: 0.4, mark: 0 };
    }
    return { name: refined, confidence, mark: 0, others: othersOf(matches, refined) };
  }
  // Text in an encoding that chardet does not know, such as those of DOS.
  const name = 'windows-1252';
  const fallback: Guess = { name, confidence: 0.2, mark: 0, others: othersOf(matches, name) };
  if (parted) return fallback;
  const text = (await loadCodec(name))(sample);
  return repetitive && damageIn(text) <= 1 + text.length / 200 ? fallback : undefined;
}

const MOST_OTHERS = 3;

/** The next best of `matches`, besides the Unicode family and ISO-2022, which other checks know. */
function othersOf(matches: readonly { readonly name: string }[], chosen: string): readonly string[] {
  const names = new Set(matches.map(({ name }) => canonical(name)));
  return [...names]
    .filter((name) => name !== chosen && !/^(?:utf-|ascii$|iso-2022-)/.test(name))
    .slice(0, MOST_OTHERS);
}

const MULTIBYTE: ReadonlySet<string> = new Set(['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5']);

/** ISO-8859-1 with bytes 0x80 to 0x9f is windows-1252: those are control characters in the one, quotes in the other. */
function refine(name: string, sample: Uint8Array): string {
  if (name === 'iso-8859-1' && sample.some((byte) => byte >= 0x80 && byte <= 0x9f)) return 'windows-1252';
  return name;
}

const MACINTOSH_TWINS: Readonly<Record<string, string>> = {
  'iso-8859-1': 'macintosh',
  'windows-1252': 'macintosh',
  'windows-1251': 'maccyrillic',
};

const ODD =
  /(?<=\p{Ll})(?:\p{Lu}|[^\p{L}\p{N}\p{P}\p{Z}\s])(?=\p{Ll})|[\u0080-\u009f\ufffd\u00a4\u00a8\u02c6\u017d]/gu;

/** Places no language writes: a capital or a symbol inside a word, characters a text has no use for. */
function oddities(text: string): number {
  return text.match(ODD)?.length ?? 0;
}

function damageIn(text: string): number {
  let damage = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd || (unit >= 0x80 && unit < 0xa0)) damage += 1;
  }
  return damage;
}

type Codec = (bytes: Uint8Array) => string;

/** Decoded by the platform's TextDecoder (WHATWG Encoding): iconv-lite lacks ISO-2022-JP. */
const PLATFORM_ONLY: ReadonlySet<string> = new Set(['iso-2022-jp', 'euc-kr']);

/** iconv-lite's names for bytes as text, which no file is written in. */
const TRANSFER_ENCODINGS: ReadonlySet<string> = new Set(['base64', 'hex']);

async function isKnown(name: string): Promise<boolean> {
  if (PLATFORM_ONLY.has(name)) return true;
  const { default: iconv } = await import('iconv-lite');
  return /^[a-z][\w.:-]*$/.test(name) && !TRANSFER_ENCODINGS.has(name) && iconv.encodingExists(name);
}

async function loadCodec(name: string): Promise<Codec> {
  if (name === 'utf-8') {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return (bytes) => decoder.decode(bytes);
  }
  if (PLATFORM_ONLY.has(name)) {
    const decoder = new TextDecoder(name);
    return (bytes) => decoder.decode(bytes);
  }
  const { default: iconv } = await import('iconv-lite');
  if (!(await isKnown(name)))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(name)} is not an encoding this reader knows.`,
      'Name one such as `utf-8`, `utf-16le`, `windows-1252`, `shift_jis`, `gb18030`, or leave `encoding` out.',
    );
  return (bytes) =>
    iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), name, { stripBOM: false });
}

/**
 * The table for a large file in another encoding: where it may be cut so that each piece decodes on its own. That is
 * after a line feed, and for fixed-width encodings between characters. Costs one pass over the file.
 */
async function convertInPieces(
  source: Source,
  guess: Guess,
  convert: (bytes: Uint8Array) => Uint8Array,
  label: Label,
  signal: AbortSignal,
): Promise<Source> {
  const pieces: Piece[] = [];
  let position = guess.mark;
  let target = 0;
  while (position < source.size) {
    throwIfAborted(signal);
    const bytes = await source.read(position, MIB);
    if (bytes.length === 0) break;
    const sourceLength = position + bytes.length >= source.size ? bytes.length : cutLength(bytes, guess.name);
    const targetLength = convert(bytes.subarray(0, sourceLength)).length;
    pieces.push({ source: position, sourceLength, target, targetLength });
    position += sourceLength;
    target += targetLength;
  }
  const load = async (piece: Piece) => convert(await source.read(piece.source, piece.sourceLength));
  return new PieceSource(label, pieces, load, () => source.identity());
}

function cutLength(bytes: Uint8Array, encoding: string): Bytes {
  if (encoding.startsWith('utf-32')) return bytes.length & ~3 || bytes.length;
  if (encoding.startsWith('utf-16')) {
    const even = bytes.length & ~1;
    const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
    return high >= 0xd8 && high <= 0xdb && even > 2 ? even - 2 : even || bytes.length;
  }
  const feed = bytes.lastIndexOf(10);
  return feed < 0 ? bytes.length : feed + 1;
}
