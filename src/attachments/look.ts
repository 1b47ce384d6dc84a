// What each file is, before anything is decided about it: opened, sniffed, measured. Reads no more than it must: a long
// table or log is looked at when it is read.

import {
  type Bytes,
  type FileType,
  type MimeType,
  oneLine,
  ReaderError,
  type Source,
  shortName,
  throwIfAborted,
} from '../contract/index.ts';
import { nameOf } from '../reader/failure.ts';
import type { Input, Opened } from '../reader/open.ts';
import type { Reader } from '../reader/reader.ts';
import type { Inspection, Metadata, ReadFailure } from '../reader/result.ts';
import type { Limits, LimitValues } from './limit.ts';

/** Opens what the reader would open, in the same words. */
export type OpenInput = (input: Input, signal: AbortSignal) => Promise<Opened>;

/** What is known of a file that can be opened. */
export interface Seen {
  readonly index: number;
  /** On one line. */
  readonly name: string;
  /** Inside the workspace. */
  readonly path?: string;
  readonly bytes: Bytes;
  /** Of its content: another one means that the file was changed. */
  readonly identity: string;
  /** The same file for the reader; may be called more than once. */
  again(): Input;
}

/** A file by what can be done with it. */
export type Look =
  | {
      readonly kind: 'failed';
      readonly index: number;
      readonly name: string;
      readonly path?: string;
      readonly bytes?: Bytes;
      readonly error: ReadFailure['error'];
      readonly mimeType?: MimeType;
    }
  | (Seen & { readonly kind: 'empty' })
  /** `reader.read` has its answer. */
  | (Seen & { readonly kind: 'text' })
  | (Seen & {
      readonly kind: 'image';
      readonly mimeType: MimeType | undefined;
      readonly drawn: boolean;
      readonly width: number;
      readonly height: number;
    })
  | (Seen & { readonly kind: 'pdf'; readonly pages: number; readonly refused?: string })
  | (Seen & {
      readonly kind: 'audio';
      readonly mimeType: MimeType;
      readonly seconds: number | undefined;
      readonly cutOff: boolean;
      readonly facts: string;
    });

/** What looking needs. */
export interface Looking {
  readonly reader: Reader;
  readonly open: OpenInput;
  /** Where sandboxes see the workspace, when there is one. */
  readonly mount: string | undefined;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Called when everything is done with the files. */
  readonly closers: (() => Promise<void>)[];
}

const HEAD: Bytes = 64 * 1024;
const TAIL: Bytes = 2048;
/** A stream up to here is given to the reader as bytes. */
const HELD_BYTES: Bytes = 32 * 1024 * 1024;

/** Never throws but for ABORTED: what is wrong with a file is part of the look. */
export async function lookAt(input: Input, index: number, looking: Looking): Promise<Look> {
  let opened: Opened | undefined;
  try {
    throwIfAborted(looking.signal);
    opened = await looking.open(input, looking.signal);
    return await lookInto(opened, input, index, looking);
  } catch (error) {
    if (looking.signal.aborted) throw error;
    return failedLook(input, index, error, opened, looking);
  } finally {
    if (opened && !isStream(input)) await opened.close();
  }
}

function failedLook(
  input: Input,
  index: number,
  error: unknown,
  opened: Opened | undefined,
  { mount }: Looking,
): Look {
  const known =
    error instanceof ReaderError
      ? { code: error.code, message: error.message, hint: error.hint }
      : ({
          code: 'INTERNAL',
          message: 'The file could not be read because of a fault in lectern.',
          hint: 'Please report it, with the first bytes of the file.',
        } as const);
  return {
    kind: 'failed',
    index,
    name: shortName(opened?.source.name ?? nameOf(input, mount !== undefined)),
    ...(opened && { bytes: opened.source.size }),
    error: known,
  };
}

async function lookInto(opened: Opened, input: Input, index: number, looking: Looking): Promise<Look> {
  const { source, entry } = opened;
  const again = await rereadable(opened, input, looking);
  const inside = entry === undefined || entry === '' ? '' : `!/${entry}`;
  const inWorkspace = looking.mount !== undefined && isPath(input);
  const seen: Seen = {
    index,
    name: shortName(source.name + inside),
    ...(inWorkspace && { path: `${looking.mount}/${source.name}${inside}` }),
    bytes: source.size,
    identity: await source.identity(),
    again,
  };
  if (source.size === 0) return { ...seen, kind: 'empty' };
  // What lies inside another file is read through the reader, which knows how to get at it.
  if (entry !== undefined) return { ...seen, kind: 'text' };
  const head = await source.read(0, HEAD);
  if (isDrawing(source, head)) return lookAtImage(seen, looking, 'image/svg+xml');
  if ((mediaEnding(head) === undefined && isText(head)) || isContainer(head))
    return { ...seen, kind: 'text' };
  return lookByType(seen, source, head, looking);
}

/** The type that the reader tells by the content. */
async function lookByType(seen: Seen, source: Source, head: Uint8Array, looking: Looking): Promise<Look> {
  if (isPdf(head)) return lookAtPdf(seen, source, looking);
  const { reader, signal } = looking;
  const plain = await reader.inspect(seen.again(), { signal });
  const ending = mediaEnding(head);
  const mistaken = ending !== undefined && (!plain.success || !MEDIA.includes(plain.fileType));
  // By how it starts it is no text, whatever most of its bytes look like: a name says so.
  const named = mistaken ? { ...seen, again: () => renamed(seen.again(), ending) } : seen;
  const second = mistaken ? await reader.inspect(named.again(), { signal }) : plain;
  const [told, found] = second.success || !plain.success ? [second, named] : [plain, seen];
  if (!told.success) return failure(found, told, signal);
  switch (told.fileType) {
    case 'image':
      return imageLook(found, told.metadata, undefined);
    case 'audio':
      return audioLook(found, told, head);
    default:
      // A PDF that starts with something else, too: readers mend that, providers need not.
      return { ...found, kind: 'text' };
  }
}

const MEDIA: readonly FileType[] = ['image', 'audio', 'video'];

/** The same content under a name with this ending. */
function renamed(input: Input, ending: string): Input {
  const name = `media${ending}`;
  if (typeof input === 'string' || input instanceof URL) return { name, path: input };
  if (input instanceof Uint8Array || input instanceof Blob) return { name, bytes: input };
  // What is left of streams are the bytes or copies that `rereadable` gives.
  return 'bytes' in input || 'path' in input || 'stream' in input ? { ...input, name } : input;
}

/** The ending of the media that start so; undefined for what may be text. */
function mediaEnding(head: Uint8Array): string | undefined {
  const at = (place: number, letters: string): boolean =>
    [...letters].every((letter, index) => head[place + index] === letter.charCodeAt(0));
  if (starts(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return '.png';
  if (starts(head, 0xff, 0xd8, 0xff)) return '.jpg';
  if (at(0, 'GIF87a') || at(0, 'GIF89a')) return '.gif';
  if (at(0, 'RIFF')) return at(8, 'WEBP') ? '.webp' : at(8, 'WAVE') ? '.wav' : undefined;
  if (at(0, 'fLaC')) return '.flac';
  if (at(0, 'OggS')) return '.ogg';
  if (at(0, 'FORM') && (at(8, 'AIFF') || at(8, 'AIFC'))) return '.aiff';
  if (at(0, 'ID3') && (head[3] ?? 255) < 5) return '.mp3';
  return undefined;
}

async function lookAtImage(seen: Seen, looking: Looking, drawing: MimeType): Promise<Look> {
  const told = await looking.reader.inspect(seen.again(), { signal: looking.signal });
  if (!told.success) return { ...seen, kind: 'text' };
  return imageLook(seen, told.metadata, drawing);
}

function imageLook(seen: Seen, metadata: Metadata, drawing: MimeType | undefined): Look {
  const { width, height } = metadata;
  return {
    ...seen,
    kind: 'image',
    mimeType: drawing ?? metadata.mimeType,
    drawn: drawing !== undefined,
    width: isSize(width) ? width : DRAWN,
    height: isSize(height) ? height : DRAWN,
  };
}

/** Of a drawing, whose size its content does not tell. */
const DRAWN = 1024;

const isSize = (value: unknown): value is number => typeof value === 'number' && value > 0;

async function lookAtPdf(seen: Seen, source: Source, looking: Looking): Promise<Look> {
  const { limits, reader, signal } = looking;
  const most = boundOf(limits, 'pdfBytes');
  if (!limits.pdf.value || source.size > most || source.size > limits.requestBytes.value)
    return {
      ...seen,
      kind: 'pdf',
      pages: 0,
      refused: limits.pdf.value
        ? `it has ${source.size} bytes of at most ${Math.min(most, limits.requestBytes.value)} for a PDF file`
        : 'PDF is not accepted',
    };
  const told = await reader.inspect(seen.again(), { signal });
  if (!told.success) return failure(seen, told, signal);
  const tail = await source.read(Math.max(0, source.size - TAIL), TAIL);
  const { pages } = told.metadata;
  const refused = refusalOf(told, tail);
  return {
    ...seen,
    kind: 'pdf',
    pages: typeof pages === 'number' ? pages : 0,
    ...(refused !== undefined && { refused }),
  };
}

/** Why no provider takes it, whatever its size. */
function refusalOf({ metadata }: Inspection, tail: Uint8Array): string | undefined {
  if (metadata['encrypted'] === true) return 'it is encrypted';
  if (!isSize(metadata['pages'])) return 'it has no page';
  return Buffer.from(tail).toString('latin1').includes('%%EOF') ? undefined : 'its end is missing';
}

function audioLook(
  seen: Seen,
  { metadata, warnings }: Inspection & { readonly success: true },
  head: Uint8Array,
): Look {
  const { mimeType } = metadata;
  const duration = playsFor(metadata, seen.bytes);
  return {
    ...seen,
    kind: 'audio',
    mimeType: mimeType ?? 'audio/basic',
    seconds: isSize(duration) ? duration : undefined,
    // Said of a recording whose header promises more than there is.
    cutOff: warnings.some(({ code }) => code === 'SKIPPED_CONTENT') || riffBytes(head) > seen.bytes,
    facts: mediaFacts(metadata, seen.bytes),
  };
}

/** `2.1 s, 64 x 48 pixels, H.264, 44100 Hz, 1 channel`: what is known of a picture, a recording or a video. */
export function mediaFacts(metadata: Metadata, bytes: Bytes): string {
  const { codec, sampleRate, channels, width, height } = metadata;
  const duration = playsFor(metadata, bytes);
  return [
    isSize(duration) ? `${Number(duration.toFixed(1))} s` : undefined,
    isSize(width) && isSize(height) ? `${width} x ${height} pixels` : undefined,
    typeof codec === 'string' ? oneLine(codec).slice(0, 60) : undefined,
    isSize(sampleRate) ? `${sampleRate} Hz` : undefined,
    isSize(channels) ? `${channels} channel${channels === 1 ? '' : 's'}` : undefined,
  ]
    .filter((fact) => fact !== undefined)
    .join(', ');
}

/** `a recording of 2.1 s, 16000 Hz`. */
export const withFacts = (what: string, facts: string): string =>
  facts === '' ? what : `${what} of ${facts}`;

/** Bytes a second: no recording has fewer, and none has more than samples of 32 bits and its pictures. */
const LEAST_RATE: Bytes = 64;
const SAMPLE_BYTES: Bytes = 4;
const MOST_RATE: Bytes = 8_000_000;
const COVER_BYTES: Bytes = 4_000_000;

/** Seconds, where the file may have so many: a header can promise anything. */
function playsFor({ duration, sampleRate, channels }: Metadata, bytes: Bytes): number | undefined {
  if (!isSize(duration)) return undefined;
  const most = isSize(sampleRate) && isSize(channels) ? sampleRate * channels * SAMPLE_BYTES : MOST_RATE;
  return bytes >= duration * LEAST_RATE && bytes - COVER_BYTES <= duration * most ? duration : undefined;
}

/** What a RIFF file says it has (WAV); 0 for other files, and for one that leaves it open. */
function riffBytes(head: Uint8Array): Bytes {
  if (!starts(head, 0x52, 0x49, 0x46, 0x46) || head.length < 8) return 0;
  const told = Buffer.from(head.buffer, head.byteOffset, head.length).readUInt32LE(4);
  return told === 0xffffffff ? 0 : told + 8;
}

function failure(seen: Seen, { error, metadata }: ReadFailure, signal: AbortSignal): Look {
  if (error.code === 'ABORTED' && signal.aborted) throwIfAborted(signal);
  const { index, name, path, bytes } = seen;
  return {
    kind: 'failed',
    index,
    name,
    ...(path !== undefined && { path }),
    bytes,
    error,
    ...(metadata.mimeType !== undefined && { mimeType: metadata.mimeType }),
  };
}

/** A bound of the table, Infinity for none. */
export function boundOf(
  limits: Limits,
  key: { [K in keyof LimitValues]: LimitValues[K] extends number | null ? K : never }[keyof LimitValues],
): number {
  return limits[key].value ?? Number.POSITIVE_INFINITY;
}

/** A stream can be read once: what it gave is kept, in memory or in the opener's temporary file. */
async function rereadable(
  { source, close }: Opened,
  input: Input,
  { closers, signal }: Looking,
): Promise<() => Input> {
  if (!isStream(input)) return () => input;
  closers.push(close);
  const { name } = source;
  const mimeType = source.mimeType;
  const declared = mimeType === undefined ? {} : { mimeType };
  if (source.size <= HELD_BYTES) {
    const bytes = await source.bytes();
    return () => ({ name, ...declared, bytes });
  }
  return () => ({ name, ...declared, stream: copies(source, signal) });
}

/** A source's pieces are valid until the next; these are the taker's. */
async function* copies(source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of source.chunks()) {
    throwIfAborted(signal);
    yield piece.slice();
  }
}

const isPath = (input: Input): boolean =>
  typeof input === 'string' ||
  (typeof input === 'object' && input !== null && 'path' in input && typeof input.path === 'string');

function isStream(input: Input): boolean {
  if (typeof input !== 'object' || input === null || input instanceof Uint8Array || input instanceof Blob)
    return false;
  return (
    input instanceof ReadableStream ||
    Symbol.asyncIterator in input ||
    ('stream' in input && input.stream !== undefined)
  );
}

const starts = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

const isPdf = (head: Uint8Array): boolean => starts(head, 0x25, 0x50, 0x44, 0x46, 0x2d);

/** Zip and OLE files, and what is packed: documents, sheets, archives. */
const isContainer = (head: Uint8Array): boolean =>
  starts(head, 0x50, 0x4b) || starts(head, 0xd0, 0xcf, 0x11, 0xe0) || starts(head, 0x1f, 0x8b);

/** No NUL, and few control characters: read as text, or told by the reader to be something else. */
function isText(head: Uint8Array): boolean {
  if (isPdf(head)) return false;
  let odd = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b)
      odd += 1;
  }
  return odd * 100 <= head.length;
}

function isDrawing({ extension }: Source, head: Uint8Array): boolean {
  if (extension !== '.svg' && !isText(head)) return false;
  const start = Buffer.from(head).toString('latin1');
  return extension === '.svg'
    ? /<(?:[\w-]+:)?svg[\s>/]/.test(start)
    : /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*)?<svg[\s>]/.test(start.slice(0, 2000));
}
