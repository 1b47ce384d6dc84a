// Public entry point of lectern: the reader over all formats. The only file that imports the processors.

import { FORMATS } from '../processors/index.ts';
import type {
  AttachmentOptions,
  AttachmentTarget,
  FitImage,
  PreparedAttachments,
} from './attachments/index.ts';
import { type ConversionCache, cacheDirectory, createDiskCache } from './cache/index.ts';
import {
  checkFiles,
  checkOptions,
  checkReaderOf,
  type Environment,
  type Files,
  type OptionNames,
  quoted,
  ReaderError,
  type WorkspaceLimits,
} from './contract/index.ts';
import type { Pool } from './isolation/index.ts';
import {
  createReaderOf,
  createReadPool,
  createRegistry,
  decodedText,
  type Input,
  open,
  type Reader,
  type ReaderOptions,
} from './reader/index.ts';
import type { EncodingName } from './tokens/index.ts';
import {
  createWorkspaceOf,
  type QuotaLedger,
  type Workspace,
  type WorkspacePlace,
} from './workspace/index.ts';

export { type FormatPlaces, type Place, parseAddress, printAddress } from './address/index.ts';
export type {
  AiSdkPart,
  AnthropicBlock,
  AttachedFile,
  AttachmentContent,
  AttachmentLimits,
  AttachmentLimitValues,
  AttachmentOptions,
  AttachmentPart,
  AttachmentTarget,
  BedrockBlock,
  GeminiPart,
  Given,
  Held,
  ImageTokenRule,
  MistralChunk,
  OpenAiChatPart,
  OpenAiResponsesItem,
  PreparedAttachments,
  SourcedLimit,
} from './attachments/index.ts';
export {
  type BlobFacts,
  type BlobRange,
  type Blobs,
  type ListBlobs,
  type OpenBlobsOptions,
  openBlobs,
  type PutOptions,
} from './blobs/index.ts';
export {
  type CacheStats,
  type ConversionCache,
  cacheDirectory,
  createDiskCache,
  createMemoryCache,
  createStoredCache,
  type DiskCache,
  type DiskCacheOptions,
  type StoredCache,
  type StoredCacheOptions,
} from './cache/index.ts';
export {
  type Bytes,
  type Changes,
  type Detail,
  type Encoding,
  type Environment,
  type ErrorCode,
  EXIT_STATUS,
  type Extent,
  type Files,
  type FileType,
  HTTP_STATUS,
  type IsolationLimits,
  type Limits,
  type LocalFile,
  type MimeType,
  type Ocr,
  type OcrLine,
  type OpenFile,
  type Part,
  type PictureDescriber,
  type Processor,
  ReaderError,
  type RemoteBytes,
  type RemoteFile,
  type RequestFields,
  type SeenPicture,
  type TableFormat,
  type Tokens,
  type Unit,
  type Warning,
  type WarningCode,
  type WorkspaceLimits,
} from './contract/index.ts';
export type { Pool, PoolStatus } from './isolation/index.ts';
export { ATTACHMENT_LIMITS } from './models/index.ts';
export {
  type ByteStream,
  type Chunk,
  type ChunkRequest,
  type ContentPart,
  type ContentsPage,
  createReadPool,
  type FileExtractionResult,
  type Input,
  type Inspection,
  type InspectRequest,
  type Metadata,
  type Overflow,
  type Progress,
  type Reader,
  type ReadFailure,
  type ReadPoolOptions,
  type ReadRequest,
  type ReadSuccess,
  SaidNotes,
  type Truncation,
} from './reader/index.ts';
export type { Redactor } from './redact/index.ts';
export { createTokenCounter, type EncodingName, type TokenCounter } from './tokens/index.ts';
export {
  type Column,
  type ColumnType,
  containerToHostPath,
  createPrivateData,
  type FileContent,
  type FileFacts,
  type FullFolder,
  hostToContainerPath,
  type LedgerClaim,
  type LedgerFolder,
  type Listing,
  type ListOptions,
  type Mapping,
  type Match,
  openSharedPrivateData,
  type PrivateData,
  type PrivateDataOptions,
  type PrivateRecord,
  type PrunedSession,
  type PruneOptions,
  pruneWorkspaces,
  type QuotaLedger,
  type RemoveOptions,
  type RemoveWorkspaceOptions,
  type ResultFormat,
  type ResultInput,
  type Row,
  removeWorkspace,
  type SavedResult,
  type SaveOptions,
  type SearchAnswer,
  type SearchOptions,
  type SharedPrivateData,
  type Usage,
  type Workspace,
  type WorkspaceEntry,
  type WorkspacePlace,
  type WriteOptions,
  type Written,
} from './workspace/index.ts';

/** Options of a reader for all formats. All are optional. */
export interface CreateReaderOptions extends Omit<ReaderOptions, 'cache' | 'pool'> {
  /**
   * Where files are read. `inline` (default): in this process, for trusted files. `process`: in the reader's own child
   * processes, with limits on memory, CPU and time, until the reader is closed. Or a pool from `createReadPool`, which
   * several readers may share.
   */
  readonly isolation?: 'inline' | 'process' | Pool;
  /**
   * Where converted documents are kept between reads. Default: on disk in `cacheDirectory(environment)`, at most 512
   * MiB; `false` keeps nothing.
   */
  readonly cache?: ConversionCache | false;
}

const READER_OPTIONS: OptionNames<CreateReaderOptions> = {
  limits: true,
  tokenizer: true,
  cache: true,
  workspace: true,
  environment: true,
  isolation: true,
  user: true,
  ocr: true,
  describer: true,
  password: true,
  redact: true,
};

/**
 * A reader for all formats. Cheap to create: nothing is loaded before first use.
 * @throws {ReaderError} BAD_INPUT for a limit that is not an integer, or another invalid option
 */
export function createReader(options: CreateReaderOptions = {}): Reader {
  checkOptions('createReader', options, READER_OPTIONS);
  if (options.workspace !== undefined) checkFiles(options.workspace);
  const { cache = defaultCache(options), isolation = 'inline', ...rest } = options;
  const { environment } = rest;
  const own = isolation === 'process' ? createReadPool({ ...(environment && { environment }) }) : undefined;
  const pool = own ?? poolOf(isolation);
  const reader = createReaderOf(FORMATS, { ...rest, ...(cache && { cache }), ...(pool && { pool }) });
  return own ? { ...reader, close: () => own.close() } : reader;
}

/** @throws {ReaderError} BAD_INPUT */
function poolOf(isolation: unknown): Pool | undefined {
  if (isolation === 'inline') return undefined;
  // The part of a pool from `createReadPool` that readers use.
  if (typeof isolation === 'object' && isolation !== null && 'lease' in isolation) return isolation as Pool;
  throw new ReaderError(
    'BAD_INPUT',
    `\`isolation\` is ${quoted(String(isolation))}; expected \`inline\`, \`process\` or a pool.`,
    'Set `isolation` to `process` for untrusted files.',
  );
}

function defaultCache({ environment }: CreateReaderOptions): ConversionCache | undefined {
  const directory = cacheDirectory(environment ?? process.env);
  return directory === undefined ? undefined : createDiskCache({ directory });
}

/** Options of a workspace besides its place. All are optional. */
export interface CreateWorkspaceOptions {
  /** Override the defaults and the environment. A plain `root` has no quota unless one is set. */
  readonly limits?: Partial<WorkspaceLimits>;
  /** The path at which sandboxes see it. Default `/workspace`. */
  readonly mount?: string;
  /** Environment variables for limits and the data directory. Default: those of the process. */
  readonly environment?: Environment;
  /**
   * Creates the reader for previews and searches over this workspace: its tokenizer, limits, cache and isolation apply
   * there. Called once, by the first `saveResult` or `search`, which throws its errors, and BAD_INPUT for a reader of
   * other files. Default: `createReader({ workspace, environment })`.
   */
  readonly reader?: (workspace: Workspace) => Reader;
  /**
   * Counts the writes of all processes against the quotas of a session and its user. Default: each process counts alone.
   */
  readonly ledger?: QuotaLedger;
}

const WORKSPACE_OPTIONS: OptionNames<CreateWorkspaceOptions> = {
  limits: true,
  mount: true,
  environment: true,
  reader: true,
  ledger: true,
};

/**
 * The workspace of a user's session, or a plain folder used as one. Creates and opens nothing before first use.
 * @throws {ReaderError} BAD_INPUT for an invalid id, limit, place or option
 */
export function createWorkspace(place: WorkspacePlace, options: CreateWorkspaceOptions = {}): Workspace {
  checkOptions('createWorkspace', options, WORKSPACE_OPTIONS);
  const { environment = process.env, reader: make, ...rest } = options;
  if (make !== undefined && typeof make !== 'function')
    throw new ReaderError(
      'BAD_INPUT',
      `\`reader\` is a value of type ${quoted(typeof make)}; expected a function.`,
      'Pass it as in `reader: (workspace) => createReader({ workspace })`.',
    );
  const workspace = createWorkspaceOf(place, {
    ...rest,
    environment,
    ready: () => void reader(),
    preview: async (_workspace, path, maxTokens) => {
      const answer = await reader().read(path, { maxTokens });
      return answer.success ? answer.text : `${answer.error.message} ${answer.error.hint}`;
    },
    searchable: (path, signal, formulas) => reader().searchable(path, { signal, formulas }),
    shownAs: (name) => reader().shownAs(name),
    sections: (path, signal) => reader().sections(path, { signal }),
    redactor: () => reader().redactor,
    decode: decodedText,
  });
  let own: Reader | undefined;
  const reader = (): Reader => {
    own ??= make ? readerOf(workspace, make) : createReader({ workspace, environment });
    return own;
  };
  return workspace;
}

/** @throws {ReaderError} BAD_INPUT for a reader of other files, and if creating it fails */
function readerOf(workspace: Workspace, make: (workspace: Workspace) => Reader): Reader {
  let reader: Reader;
  try {
    reader = make(workspace);
  } catch (cause) {
    if (cause instanceof ReaderError) throw cause;
    throw new ReaderError(
      'BAD_INPUT',
      'The function `reader` of `createWorkspace` failed.',
      'See the `cause` of this error.',
      cause,
    );
  }
  checkReaderOf(workspace, reader);
  return reader;
}

/** Dependencies of attachment preparation, besides its options. */
export interface PrepareAttachmentsOptions<T extends AttachmentTarget = AttachmentTarget>
  extends Omit<AttachmentOptions<T>, 'workspace'> {
  /** Resolves paths; content that does not fit is referenced there. */
  readonly workspace?: Files & Pick<Workspace, 'mount'>;
  /** The pool in which pictures are resized. Default: none, this process does it. */
  readonly isolation?: Pool;
  /** User for fair scheduling in the pool. */
  readonly user?: string;
  /** Default: a reader for all formats over `workspace`. A custom one must be created with the same workspace. */
  readonly reader?: Reader;
  /** The encoding for counting tokens. Default `cl100k_base`, as in a reader. */
  readonly tokenizer?: EncodingName;
}

const ATTACHMENT_OPTIONS: OptionNames<PrepareAttachmentsOptions> = {
  target: true,
  model: true,
  budget: true,
  limits: true,
  held: true,
  workspace: true,
  tool: true,
  isolation: true,
  user: true,
  reader: true,
  tokenizer: true,
  password: true,
  prefer: true,
  signal: true,
  onProgress: true,
};

/**
 * Converts files to the content of one message for `target`: each unchanged, as a picture, as text, as a sample or as a
 * reference, within the target's limits and one budget. The first part lists them all, with what was left out and how
 * to see it. A bad file is listed with its error and does not affect the others.
 * @throws {ReaderError} BAD_INPUT (options), ABORTED
 */
export async function prepareAttachments<T extends AttachmentTarget>(
  files: readonly Input[],
  options: PrepareAttachmentsOptions<T>,
): Promise<PreparedAttachments<T>> {
  checkOptions('prepareAttachments', options, ATTACHMENT_OPTIONS);
  if (options === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      '`prepareAttachments` needs options with a `target`.',
      'Pass `{ target }`, the message format the attachments are for.',
    );
  const { tokenizer, workspace } = options;
  if (workspace !== undefined) checkFiles(workspace);
  if (options.reader !== undefined) checkReaderOf(workspace, options.reader);
  const { prepare } = await import('./attachments/index.ts');
  const reader =
    options.reader ??
    createReader({ ...(workspace && { workspace }), ...(tokenizer !== undefined && { tokenizer }) });
  return prepare(files, options, {
    reader,
    open: (input, signal) => open(input, reader.limits, signal, workspace),
    signatures: createRegistry(FORMATS),
    fitImage: imageFitter(options, reader.limits.maxImagePixels),
    count: (text) => reader.count(text),
  });
}

/** Resizes pictures in a child process if there is a pool. */
function imageFitter(
  { isolation, user = '', signal }: PrepareAttachmentsOptions,
  maxPixels: number,
): FitImage {
  if (!isolation)
    return async (bytes, bounds) =>
      (await import('../processors/image/fit/fit.ts')).fitImage(bytes, { maxPixels, ...bounds });
  return async (bytes, { signal: _signal, ...bounds }) =>
    (await import('./isolated/image.ts')).fitInChild(
      isolation,
      bytes,
      { maxPixels, ...bounds },
      { user, signal: signal ?? new AbortController().signal },
    );
}
