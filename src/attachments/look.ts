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
import type { Limits, LimitValues } from '../models/index.ts';
import type { Input, Inspection, Metadata, Opened, Reader, ReadFailure, Registry } from '../reader/index.ts';
import { nameOf, strayControls } from '../reader/index.ts';

/** Opens what the reader would open, in the same words. */
export type OpenInput = (input: Input, signal: AbortSignal) => Promise<Opened>;

/** What a file is by how it starts. */
export type Signatures = Pick<Registry, 'byMagic' | 'drawingOf'>;

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
  readonly signatures: Signatures;
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
  const drawing = looking.signatures.drawingOf(head, source.extension);
  if (drawing !== undefined) return lookAtImage(seen, looking, drawing);
  const signed = looking.signatures.byMagic(head, source.size);
  const fileType = signed?.processor?.fileType;
  if (fileType === 'pdf') return lookAtPdf(seen, source, looking);
  const readAsText = signed ? fileType !== undefined && !MEDIA.includes(fileType) : isText(head);
  return readAsText ? { ...seen, kind: 'text' } : lookByType(seen, head, looking);
}

const MEDIA: readonly FileType[] = ['image', 'audio', 'video'];

/** The type that the reader finds. */
async function lookByType(seen: Seen, head: Uint8Array, { reader, signal }: Looking): Promise<Look> {
  const found = await reader.inspect(seen.again(), { signal });
  if (!found.success) return failure(seen, found, signal);
  switch (found.fileType) {
    case 'image':
      return imageLook(seen, found.metadata, undefined);
    case 'audio':
      return audioLook(seen, found, head);
    default:
      // A PDF that starts with something else, too: readers mend that, providers need not.
      return { ...seen, kind: 'text' };
  }
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
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (bytes.length < 8 || bytes.toString('latin1', 0, 4) !== 'RIFF') return 0;
  const told = bytes.readUInt32LE(4);
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

/** No NUL and few control characters: read as text, or found by the reader to be something else. */
const isText = (head: Uint8Array): boolean => !head.includes(0) && strayControls(head) * 100 <= head.length;
