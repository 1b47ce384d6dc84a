// The front door of lectern: the reader over every format it knows. The only file that names the processors.

import { PROCESSORS } from '../processors/index.ts';
import type { AttachmentOptions, AttachmentTarget, PreparedAttachments } from './attachments/index.ts';
import { type ConversionCache, cacheDirectory, createDiskCache } from './cache/index.ts';
import type { Files } from './contract/index.ts';
import { type Input, open } from './reader/open.ts';
import { createReaderOf, type Reader, type ReaderOptions } from './reader/reader.ts';
import { hasSimd } from './scan/simd.ts';
import { createTokenCounter, type EncodingName } from './tokens/index.ts';
import type { Workspace } from './workspace/workspace.ts';

export type {
  AttachedFile,
  AttachmentLimits,
  AttachmentLimitValues,
  AttachmentOptions,
  AttachmentPart,
  AttachmentTarget,
  Given,
  Held,
  PreparedAttachments,
} from './attachments/index.ts';
export { ATTACHMENT_LIMITS, attachmentLimits } from './attachments/limits.ts';
export {
  type CacheStats,
  type ConversionCache,
  cacheDirectory,
  createDiskCache,
  createMemoryCache,
  type DiskCache,
  type DiskCacheOptions,
} from './cache/index.ts';
export * from './contract/index.ts';
export {
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  resolveLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
} from './limits/index.ts';
export type { ByteStream, Input } from './reader/open.ts';
export { createReaderOf, type Reader, type ReaderOptions } from './reader/reader.ts';
export type { Overflow, Progress, ReadRequest } from './reader/request.ts';
export type {
  ContentPart,
  FileExtractionResult,
  Inspection,
  Metadata,
  ReadFailure,
  ReadSuccess,
  Truncation,
} from './reader/result.ts';
export { createTokenCounter, type EncodingName, type TokenCounter } from './tokens/index.ts';
export { opensByDescriptor } from './workspace/descriptor.ts';

/** What a reader of every format is made with; everything optional. */
export interface CreateReaderOptions extends Omit<ReaderOptions, 'cache'> {
  /**
   * Where converted documents are kept between reads. Default: on disk in `cacheDirectory(environment)`, at most 512 MiB;
   * `false` keeps nothing.
   */
  readonly cache?: ConversionCache | false;
}

/**
 * A reader of every format. Cheap to make: nothing is loaded before it is used.
 * @throws {ReaderError} BAD_INPUT for a limit that is no whole number
 */
export function createReader(options: CreateReaderOptions = {}): Reader {
  const { cache = defaultCache(options), ...rest } = options;
  return createReaderOf(PROCESSORS, cache ? { ...rest, cache } : rest);
}

function defaultCache({ environment }: CreateReaderOptions): ConversionCache | undefined {
  const directory = cacheDirectory(environment ?? process.env);
  return directory === undefined ? undefined : createDiskCache({ directory });
}

/** Which scanner this machine runs: both are exact, `simd` is about ten times as fast. */
export function scannerKind(): 'simd' | 'scalar' {
  return hasSimd() ? 'simd' : 'scalar';
}

/** What attachments are prepared with, beside what they are prepared for. */
export interface PrepareAttachmentsOptions<T extends AttachmentTarget = AttachmentTarget>
  extends Omit<AttachmentOptions<T>, 'workspace'> {
  /** Paths are paths inside it, and what does not fit is pointed to there. */
  readonly workspace?: Files & Pick<Workspace, 'mount'>;
  /** Default: one of every format, over `workspace`. One of your own must be made with the same workspace. */
  readonly reader?: Reader;
  /** The encoding texts are counted in. Default `cl100k_base`, as a reader's. */
  readonly tokenizer?: EncodingName;
}

/**
 * Files as the content of one message for `target`: each as it is, as a picture, as text, as a sample or as a reference,
 * within the target's limits and one budget. The first part lists them all, with what was left out and how to see it. A
 * bad file is listed with its error and fails nothing else.
 * @throws {ReaderError} BAD_INPUT (options), ABORTED
 */
export async function prepareAttachments<T extends AttachmentTarget>(
  files: readonly Input[],
  options: PrepareAttachmentsOptions<T>,
): Promise<PreparedAttachments<T>> {
  const { workspace, tokenizer } = options;
  const { prepare } = await import('./attachments/index.ts');
  const reader =
    options.reader ??
    createReader({ ...(workspace && { workspace }), ...(tokenizer !== undefined && { tokenizer }) });
  const counter = createTokenCounter(tokenizer);
  return prepare(files, options, {
    reader,
    open: (input, signal) => open(input, reader.limits, signal, workspace),
    fitImage: async (bytes, bounds) =>
      (await import('../processors/image/fit.ts')).fitImage(bytes, {
        maxPixels: reader.limits.maxImagePixels,
        ...bounds,
      }),
    count: (text) => counter.count(text),
  });
}
