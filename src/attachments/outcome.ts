// The resources of one file's turn and its outcome, with the wording and calls shared by all outcomes.

import {
  type Bytes,
  type Extent,
  type FileType,
  type MimeType,
  oneLine,
  plural,
  type RequestFields,
  type Tokens,
  visibleJson,
} from '../contract/index.ts';
import type { Limits } from '../models/index.ts';
import type { Reader, Truncation } from '../reader/index.ts';
import type { Allowance } from './allowance.ts';
import type { KnownFile, OpenInput, Signatures } from './classify.ts';
import type { AttachedFile, AttachmentPart } from './part.ts';

/** Makes a picture fit, as implemented by the image family. */
export type FitImage = (
  bytes: Uint8Array,
  options: {
    readonly maxBytes: Bytes;
    readonly maxBase64Bytes?: Bytes;
    readonly maxEdge?: number;
    readonly region?: {
      readonly left: number;
      readonly top: number;
      readonly width: number;
      readonly height: number;
    };
    readonly frame?: number;
    readonly signal?: AbortSignal;
  },
) => Promise<{
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  readonly untouched: boolean;
  readonly original: { readonly width: number; readonly height: number; readonly frames: number };
  readonly shown: { readonly width: number; readonly height: number; readonly frames: number };
}>;

/** What preparation needs from other rooms. */
export interface AttachmentTools {
  readonly reader: Reader;
  readonly open: OpenInput;
  /** Detects the type of a file from its start. */
  readonly signatures: Signatures;
  readonly fitImage: FitImage;
  /** Tokens of a text, as counted by the reader. */
  readonly count: (text: string) => Tokens;
}

/** The result for one file. */
export type Outcome = Omit<AttachedFile, 'name' | 'path' | 'bytes'> & {
  readonly parts: readonly AttachmentPart[];
  /** A share of at least this much may include more; absent if the share was not the reason. */
  readonly wants?: Tokens;
};

/** The resources of one file. */
export interface Turn {
  readonly tools: AttachmentTools;
  readonly allowance: Allowance;
  /** In tokens. */
  readonly share: Tokens;
  /** Bytes of the request, for content that can be reduced. */
  readonly byteShare: Bytes;
  /** The tool that reads the workspace; undefined if there is none. */
  readonly tool: string | undefined;
  /** The form of a file that can be included in both. */
  readonly prefer: 'native' | 'text';
  readonly signal: AbortSignal;
}

/** Whether the target accepts this kind of file, so that a read can show it; always true for text. */
export function carries(
  { imageTypes, audioTypes }: Limits,
  fileType: FileType,
  mimeType: MimeType | undefined,
): boolean {
  switch (fileType) {
    case 'image':
      return imageTypes.value.length > 0;
    case 'audio':
      return mimeType !== undefined && audioTypes.value.includes(mimeType);
    case 'video':
      return false;
    default:
      return true;
  }
}

/** The reason when nothing more is included. */
export const SPENT = 'the budget is used up';
export const FULL = 'the request would be too large';
export const CHANGED = 'it changed while it was read';

/** A gain of less than a quarter is not worth a second attempt. */
export const more = (tokens: Tokens): Tokens => Math.ceil(tokens * 1.25);

/**
 * Not included, with the reason, and the call that reads it if it is in the workspace. `wants` as in an outcome;
 * `carried` is false if a read could not show it to this model either.
 */
export function left(
  file: KnownFile & { readonly mimeType?: MimeType | undefined },
  reason: string,
  { tool }: Turn,
  { wants, carried = true }: { readonly wants?: Tokens; readonly carried?: boolean } = {},
): Outcome {
  const inWorkspace = file.path !== undefined;
  return {
    given: inWorkspace ? 'reference' : 'nothing',
    tokens: 0,
    note: `Not included: ${reason}.`,
    parts: [],
    ...(wants !== undefined && { wants }),
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
    ...(!carried && { carried }),
    ...(inWorkspace && carried && tool !== undefined && { call: callOf(tool, file.path, {}) }),
  };
}

/** Unusable, and no call would show more. */
export function broken(
  file: KnownFile & { readonly mimeType?: MimeType | undefined },
  error: NonNullable<AttachedFile['error']>,
): Outcome {
  return {
    given: file.path === undefined ? 'nothing' : 'reference',
    tokens: 0,
    note: `Not included: ${error.message}`,
    error,
    parts: [],
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
  };
}

/** The exact tool call. */
export function callOf(
  tool: string,
  path: string,
  fields: RequestFields & { readonly cursor?: string; readonly detail?: 'auto' },
): string {
  return `${tool} ${visibleJson(JSON.stringify({ path, ...fields }))}`;
}

/** What is left out, in the units of the format. */
export function omittedIn({ omitted, cellsCut }: Pick<Truncation, 'omitted' | 'cellsCut'>): string {
  const named = omitted.slice(0, 3).map(span);
  if (omitted.length > named.length) named.push(plural(omitted.length - named.length, 'more place'));
  if (cellsCut) named.push(`parts of ${plural(cellsCut, 'cell')}`);
  return named.length === 0 ? '' : `; left out: ${named.join(', ')}`;
}

/** `rows 21-4990 of 5000`. */
export function span({ unit, from, to, of, name }: Extent): string {
  const range = from === to ? `${unit} ${from}` : `${plural(2, unit).slice(2)} ${from}-${to}`;
  return `${range}${of === undefined ? '' : ` of ${of}`}${name === undefined || name === '' ? '' : ` (${oneLine(name)})`}`;
}

/** The request that shows what comes next, or the first omitted part. */
export function onward({ next, omitted }: Truncation): RequestFields & { readonly cursor?: string } {
  if (next) return next.request ?? { cursor: next.cursor };
  const first = omitted[0];
  if (!first) return {};
  const range = `${first.from}-${first.to}`;
  switch (first.unit) {
    case 'row':
      return { rows: range };
    case 'column':
      return { columns: range };
    case 'line':
      return { lines: range };
    case 'page':
    case 'slide':
    case 'frame':
      return { pages: range };
    case 'sheet':
      return first.name === undefined ? { sheet: String(first.from) } : { sheet: first.name };
    default:
      return {};
  }
}

/** The bytes that were classified; undefined if the file has changed since. */
export async function contentOf(file: KnownFile, { tools, signal }: Turn): Promise<Uint8Array | undefined> {
  const { source, close } = await tools.open(file.again(), signal);
  try {
    if ((await source.identity()) !== file.identity && source.size !== file.bytes) return undefined;
    const bytes = await source.bytes();
    return bytes.length === file.bytes ? bytes : undefined;
  } finally {
    await close();
  }
}
