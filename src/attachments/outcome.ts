// What one file's turn may use, and what comes of it; the words and calls that every outcome is told in.

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

/** A picture made to fit, as the image family makes it. */
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

/** What preparing needs of the other rooms. */
export interface AttachmentTools {
  readonly reader: Reader;
  readonly open: OpenInput;
  /** What a file is by how it starts. */
  readonly signatures: Signatures;
  readonly fitImage: FitImage;
  /** Tokens of a text, as the reader counts. */
  readonly count: (text: string) => Tokens;
}

/** What one file became. */
export type Outcome = Omit<AttachedFile, 'name' | 'path' | 'bytes'> & {
  readonly parts: readonly AttachmentPart[];
  /** With a share of at least this much there may be more of it; absent where the share was no matter. */
  readonly wants?: Tokens;
};

/** What one file may take. */
export interface Turn {
  readonly tools: AttachmentTools;
  readonly allowance: Allowance;
  /** Tokens. */
  readonly share: Tokens;
  /** Bytes of the request, for what can be made smaller. */
  readonly byteShare: Bytes;
  /** The tool that reads the workspace; undefined when there is none. */
  readonly tool: string | undefined;
  readonly signal: AbortSignal;
}

/** Whether the target takes such a file at all, so that a read can show it: text always. */
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

/** Why nothing more is given. */
export const SPENT = 'the budget is used up';
export const FULL = 'the request would have too many bytes';
export const CHANGED = 'it was changed while it was read';

/** For less than a quarter more nothing is done again. */
export const more = (tokens: Tokens): Tokens => Math.ceil(tokens * 1.25);

/**
 * Nothing of it is given, and why; the call that reads it where the workspace has it. `wants` as of an outcome; `carried`
 * false where a read could not show it to this model either.
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
    note: `Not given: ${reason}.`,
    parts: [],
    ...(wants !== undefined && { wants }),
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
    ...(!carried && { carried }),
    ...(inWorkspace && carried && tool !== undefined && { call: callOf(tool, file.path, {}) }),
  };
}

/** Nothing can be made of it, and no call would show more. */
export function broken(
  file: KnownFile & { readonly mimeType?: MimeType | undefined },
  error: NonNullable<AttachedFile['error']>,
): Outcome {
  return {
    given: file.path === undefined ? 'nothing' : 'reference',
    tokens: 0,
    note: `Not given: ${error.message}`,
    error,
    parts: [],
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
  };
}

/** The exact call of the tool. */
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

/** The request that shows what comes next, or the first of what was left out. */
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

/** The bytes that were looked at; undefined when the file is another one now. */
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
