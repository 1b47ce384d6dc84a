// The front door of lectern: the reader over every format it knows. The only file that names the processors.

import { PROCESSORS } from '../processors/index.ts';
import { type ConversionCache, cacheDirectory, createDiskCache } from './cache/index.ts';
import { createReaderOf, type Reader, type ReaderOptions } from './reader/reader.ts';
import { hasSimd } from './scan/simd.ts';

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
