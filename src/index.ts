// The front door of lectern: the reader over every format it knows. The only file that names the processors.

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
  type Input,
  open,
  type Reader,
  type ReaderOptions,
} from './reader/index.ts';
import type { EncodingName } from './tokens/index.ts';
import { createWorkspaceOf, type Workspace, type WorkspacePlace } from './workspace/index.ts';

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
  type CacheStats,
  type ConversionCache,
  cacheDirectory,
  createDiskCache,
  createMemoryCache,
  type DiskCache,
  type DiskCacheOptions,
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
  type MimeType,
  type OpenFile,
  type Part,
  type Processor,
  ReaderError,
  type RequestFields,
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
  type ContentPart,
  createReadPool,
  type FileExtractionResult,
  type Input,
  type Inspection,
  type Metadata,
  type Overflow,
  type Progress,
  type Reader,
  type ReadFailure,
  type ReadPoolOptions,
  type ReadRequest,
  type ReadSuccess,
  type Truncation,
} from './reader/index.ts';
export { createTokenCounter, type EncodingName, type TokenCounter } from './tokens/index.ts';
export {
  type Column,
  type ColumnType,
  containerToHostPath,
  createPrivateData,
  type FileContent,
  type FileFacts,
  hostToContainerPath,
  type Listing,
  type ListOptions,
  type Mapping,
  type Match,
  type PrivateData,
  type PrivateDataOptions,
  type PrivateRecord,
  type PrunedSession,
  type PruneOptions,
  pruneWorkspaces,
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
  type Usage,
  type Workspace,
  type WorkspaceEntry,
  type WorkspacePlace,
  type WriteOptions,
  type Written,
} from './workspace/index.ts';

/** What a reader of every format is made with; everything optional. */
export interface CreateReaderOptions extends Omit<ReaderOptions, 'cache' | 'pool'> {
  /**
   * Where files are read: `inline` (default) in this process, for files that are trusted; `process` in child processes of
   * its own, under limits of memory, CPU and time, until the reader is closed; or in those of a pool from
   * `createReadPool`, which many readers may share.
   */
  readonly isolation?: 'inline' | 'process' | Pool;
  /**
   * Where converted documents are kept between reads. Default: on disk in `cacheDirectory(environment)`, at most 512 MiB;
   * `false` keeps nothing.
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
};

/**
 * A reader of every format. Cheap to make: nothing is loaded before it is used.
 * @throws {ReaderError} BAD_INPUT for a limit that is no whole number, or another option that is none
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
  // Of what `createReadPool` gives, the part that readers use.
  if (typeof isolation === 'object' && isolation !== null && 'lease' in isolation) return isolation as Pool;
  throw new ReaderError(
    'BAD_INPUT',
    `\`isolation\` is ${quoted(String(isolation))}; expected \`inline\`, \`process\` or a pool.`,
    'Set `isolation` to `process` for files that are not trusted.',
  );
}

function defaultCache({ environment }: CreateReaderOptions): ConversionCache | undefined {
  const directory = cacheDirectory(environment ?? process.env);
  return directory === undefined ? undefined : createDiskCache({ directory });
}

/** What a workspace is made with, beside its place; everything optional. */
export interface CreateWorkspaceOptions {
  /** Over the defaults and the environment. A plain `root` has no quota but one that is set. */
  readonly limits?: Partial<WorkspaceLimits>;
  /** Where sandboxes see it. Default `/workspace`. */
  readonly mount?: string;
  /** Where limits and the data directory are looked up by their variable. Default: the process's. */
  readonly environment?: Environment;
  /**
   * Makes the reader that reads files for previews and searches, over this workspace: its tokenizer, limits, cache and
   * isolation hold there. Called once, by the first `saveResult` or `search`, which throws what it throws, and BAD_INPUT for
   * a reader of other files. Default: `createReader({ workspace, environment })`.
   */
  readonly reader?: (workspace: Workspace) => Reader;
}

const WORKSPACE_OPTIONS: OptionNames<CreateWorkspaceOptions> = {
  limits: true,
  mount: true,
  environment: true,
  reader: true,
};

/**
 * The workspace of a user's session, or a plain folder as one. Makes and opens nothing before it is used.
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
    textOf: (path, _file, signal) => reader().cachedText(path, { signal }),
  });
  let own: Reader | undefined;
  const reader = (): Reader => {
    own ??= make ? readerOf(workspace, make) : createReader({ workspace, environment });
    return own;
  };
  return workspace;
}

/** @throws {ReaderError} BAD_INPUT for a reader of other files, and where none can be made */
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

/** What attachments are prepared with, beside what they are prepared for. */
export interface PrepareAttachmentsOptions<T extends AttachmentTarget = AttachmentTarget>
  extends Omit<AttachmentOptions<T>, 'workspace'> {
  /** Paths are paths inside it, and what does not fit is pointed to there. */
  readonly workspace?: Files & Pick<Workspace, 'mount'>;
  /** The pool in which pictures are made to fit. Default: none, that is done in this process. */
  readonly isolation?: Pool;
  /** Whose turn it is in the pool. */
  readonly user?: string;
  /** Default: one of every format, over `workspace`. One of your own must be made with the same workspace. */
  readonly reader?: Reader;
  /** The encoding texts are counted in. Default `cl100k_base`, as a reader's. */
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
  signal: true,
  onProgress: true,
};

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
  checkOptions('prepareAttachments', options, ATTACHMENT_OPTIONS);
  if (options === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      '`prepareAttachments` was given no options, of which `target` is needed.',
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

/** Scales pictures in a child where there is a pool. */
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
