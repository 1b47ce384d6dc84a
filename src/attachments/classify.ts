// Determines what each file is before anything is decided about it: opens, detects and measures it. Reads no more than
// necessary; long tables and logs are only examined when they are read.

import {
  type Bytes,
  type FileType,
  type MimeType,
  ReaderError,
  type Source,
  shortName,
  throwIfAborted,
} from '../contract/index.ts';
import type { Limits, LimitValues } from '../models/index.ts';
import type { Input, Inspection, Metadata, Opened, Reader, ReadFailure, Registry } from '../reader/index.ts';
import { nameOf, strayControls } from '../reader/index.ts';
import { isSize, mediaFacts, playsFor } from './media-facts.ts';
import { isStream, reopenable } from './reopen.ts';

/** Opens what the reader would open, with the same errors. */
export type OpenInput = (input: Input, signal: AbortSignal) => Promise<Opened>;

/** Detects the type of a file from its start. */
export type Signatures = Pick<Registry, 'byMagic' | 'drawingOf'>;

/** Facts about a file that can be opened. */
export interface KnownFile {
  readonly index: number;
  /** On one line. */
  readonly name: string;
  /** Path inside the workspace. */
  readonly path?: string;
  readonly bytes: Bytes;
  /** Identity of its content; a different one means that the file changed. */
  readonly identity: string;
  /** The same file as reader input; may be called repeatedly. */
  again(): Input;
}

/** A file, by how it can be included. */
export type ClassifiedFile =
  | {
      readonly kind: 'failed';
      readonly index: number;
      readonly name: string;
      readonly path?: string;
      readonly bytes?: Bytes;
      readonly error: ReadFailure['error'];
      readonly mimeType?: MimeType;
    }
  | (KnownFile & { readonly kind: 'empty' })
  /** Uses the answer of `reader.read`. */
  | (KnownFile & { readonly kind: 'text' })
  | (KnownFile & {
      readonly kind: 'image';
      readonly mimeType: MimeType | undefined;
      readonly drawn: boolean;
      readonly width: number;
      readonly height: number;
    })
  | (KnownFile & { readonly kind: 'pdf'; readonly pages: number; readonly refused?: string })
  | (KnownFile & {
      readonly kind: 'audio';
      readonly mimeType: MimeType;
      readonly seconds: number | undefined;
      readonly cutOff: boolean;
      readonly facts: string;
    });

/** Dependencies of classification. */
export interface Classifying {
  readonly reader: Reader;
  readonly open: OpenInput;
  readonly signatures: Signatures;
  /** The path at which sandboxes see the workspace, if there is one. */
  readonly mount: string | undefined;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Called after the last use of the files. */
  readonly closers: (() => Promise<void>)[];
}

const HEAD: Bytes = 64 * 1024;
const TAIL: Bytes = 2048;
/** Never throws except ABORTED: errors of a file are part of the result. */
export async function classify(input: Input, index: number, context: Classifying): Promise<ClassifiedFile> {
  let opened: Opened | undefined;
  try {
    throwIfAborted(context.signal);
    opened = await context.open(input, context.signal);
    return await classifyOpened(opened, input, index, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return failedFile(input, index, error, opened, context);
  } finally {
    if (opened && !isStream(input)) await opened.close();
  }
}

function failedFile(
  input: Input,
  index: number,
  error: unknown,
  opened: Opened | undefined,
  { mount }: Classifying,
): ClassifiedFile {
  const known =
    error instanceof ReaderError
      ? { code: error.code, message: error.message, hint: error.hint }
      : ({
          code: 'INTERNAL',
          message: 'The file could not be read because of an internal error in lectern.',
          hint: 'Report it, with the first bytes of the file.',
        } as const);
  return {
    kind: 'failed',
    index,
    name: shortName(opened?.source.name ?? nameOf(input, mount !== undefined)),
    ...(opened && { bytes: opened.source.size }),
    error: known,
  };
}

async function classifyOpened(
  opened: Opened,
  input: Input,
  index: number,
  context: Classifying,
): Promise<ClassifiedFile> {
  const { source, entry } = opened;
  const again = await reopenable(opened, input, context);
  const inside = entry === undefined || entry === '' ? '' : `!/${entry}`;
  const inWorkspace = context.mount !== undefined && isPath(input);
  const file: KnownFile = {
    index,
    name: shortName(source.name + inside),
    ...(inWorkspace && { path: `${context.mount}/${source.name}${inside}` }),
    bytes: source.size,
    identity: await source.identity(),
    again,
  };
  if (source.size === 0) return { ...file, kind: 'empty' };
  // A file inside another is read through the reader, which can extract it.
  if (entry !== undefined) return { ...file, kind: 'text' };
  const head = await source.read(0, HEAD);
  const drawing = context.signatures.drawingOf(head, source.extension);
  if (drawing !== undefined) return classifyImage(file, context, drawing);
  const signed = context.signatures.byMagic(head, source.size);
  const fileType = signed?.processor?.fileType;
  if (fileType === 'pdf') return classifyPdf(file, source, context);
  const readAsText = signed ? fileType !== undefined && !MEDIA.includes(fileType) : isText(head);
  return readAsText ? { ...file, kind: 'text' } : classifyByType(file, head, context);
}

const MEDIA: readonly FileType[] = ['image', 'audio', 'video'];

/** Classifies by the type the reader detects. */
async function classifyByType(
  file: KnownFile,
  head: Uint8Array,
  { reader, signal }: Classifying,
): Promise<ClassifiedFile> {
  const found = await reader.inspect(file.again(), { signal });
  if (!found.success) return failure(file, found, signal);
  switch (found.fileType) {
    case 'image':
      return imageFile(file, found.metadata, undefined);
    case 'audio':
      return audioFile(file, found, head);
    default:
      // Includes a PDF with leading data: readers tolerate it, providers may not.
      return { ...file, kind: 'text' };
  }
}

async function classifyImage(
  file: KnownFile,
  context: Classifying,
  drawing: MimeType,
): Promise<ClassifiedFile> {
  const inspected = await context.reader.inspect(file.again(), { signal: context.signal });
  if (!inspected.success) return { ...file, kind: 'text' };
  return imageFile(file, inspected.metadata, drawing);
}

function imageFile(file: KnownFile, metadata: Metadata, drawing: MimeType | undefined): ClassifiedFile {
  const { width, height } = metadata;
  return {
    ...file,
    kind: 'image',
    mimeType: drawing ?? metadata.mimeType,
    drawn: drawing !== undefined,
    width: isSize(width) ? width : DRAWN,
    height: isSize(height) ? height : DRAWN,
  };
}

/** Assumed edge of a drawing whose content does not specify its size. */
const DRAWN = 1024;

async function classifyPdf(file: KnownFile, source: Source, context: Classifying): Promise<ClassifiedFile> {
  const { limits, reader, signal } = context;
  const most = boundOf(limits, 'pdfBytes');
  if (!limits.pdf.value || source.size > most || source.size > limits.requestBytes.value)
    return {
      ...file,
      kind: 'pdf',
      pages: 0,
      refused: limits.pdf.value
        ? `it has ${source.size} bytes, more than the ${Math.min(most, limits.requestBytes.value)} accepted for a PDF file`
        : 'PDF is not accepted',
    };
  const inspected = await reader.inspect(file.again(), { signal });
  if (!inspected.success) return failure(file, inspected, signal);
  const tail = await source.read(Math.max(0, source.size - TAIL), TAIL);
  const { pages } = inspected.metadata;
  const refused = refusalOf(inspected, tail);
  return {
    ...file,
    kind: 'pdf',
    pages: typeof pages === 'number' ? pages : 0,
    ...(refused !== undefined && { refused }),
  };
}

/** Why no provider accepts it, regardless of size. */
function refusalOf({ metadata }: Inspection, tail: Uint8Array): string | undefined {
  if (metadata['encrypted'] === true) return 'it is encrypted';
  if (!isSize(metadata['pages'])) return 'it has no pages';
  return Buffer.from(tail).toString('latin1').includes('%%EOF') ? undefined : 'it is truncated';
}

function audioFile(
  file: KnownFile,
  { metadata, warnings }: Inspection & { readonly success: true },
  head: Uint8Array,
): ClassifiedFile {
  const { mimeType } = metadata;
  const duration = playsFor(metadata, file.bytes);
  return {
    ...file,
    kind: 'audio',
    mimeType: mimeType ?? 'audio/basic',
    seconds: isSize(duration) ? duration : undefined,
    // Reported for a recording whose header promises more data than there is.
    cutOff: warnings.some(({ code }) => code === 'SKIPPED_CONTENT') || riffBytes(head) > file.bytes,
    facts: mediaFacts(metadata, file.bytes),
  };
}

/** The size stated in a RIFF file (WAV); 0 for other files and if unspecified. */
function riffBytes(head: Uint8Array): Bytes {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (bytes.length < 8 || bytes.toString('latin1', 0, 4) !== 'RIFF') return 0;
  const declared = bytes.readUInt32LE(4);
  return declared === 0xffffffff ? 0 : declared + 8;
}

function failure(file: KnownFile, { error, metadata }: ReadFailure, signal: AbortSignal): ClassifiedFile {
  if (error.code === 'ABORTED' && signal.aborted) throwIfAborted(signal);
  const { index, name, path, bytes } = file;
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

/** A limit of the table; Infinity for none. */
export function boundOf(
  limits: Limits,
  key: { [K in keyof LimitValues]: LimitValues[K] extends number | null ? K : never }[keyof LimitValues],
): number {
  return limits[key].value ?? Number.POSITIVE_INFINITY;
}

const isPath = (input: Input): boolean =>
  typeof input === 'string' ||
  (typeof input === 'object' && input !== null && 'path' in input && typeof input.path === 'string');

/** No NUL and few control characters: read as text, unless the reader detects something else. */
const isText = (head: Uint8Array): boolean => !head.includes(0) && strayControls(head) * 100 <= head.length;
