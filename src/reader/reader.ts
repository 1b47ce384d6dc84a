// Runs a read through its stages: open, detect, process, cap, render. Knows no format; a bad file gives a failed
// answer, never an exception.

import type { ConversionCache } from '../cache/index.ts';
import {
  checkHook,
  type Files,
  type FileType,
  type Format,
  type FormatFacts,
  type Limits,
  type Ocr,
  type Part,
  type PictureDescriber,
  type Processor,
  plural,
  type TextPart,
  type Tokens,
  throwIfAborted,
  type Warning,
} from '../contract/index.ts';
import type { Section } from '../document/index.ts';
import type { Pool } from '../isolation/index.ts';
import { givenLimits, viewLimitsOf } from '../limits/index.ts';
import { createRedactor, keyOf, type Redactor } from '../redact/index.ts';
import { createTokenCounter, type EncodingName } from '../tokens/index.ts';
import { fileTypeOf, fileWarnings, hasBoxes, metadataOf } from './assemble.ts';
import { createBudget } from './budget.ts';
import { type Chunk, type ChunkRequest, chunksIn, sectionsOf } from './chunks.ts';
import { type Converted, wholeOf } from './converter.ts';
import type { Engine } from './engine.ts';
import { answer } from './failure.ts';
import { gather } from './gather.ts';
import { nameOf } from './input-names.ts';
import { checkPassword } from './password.ts';
import { readOne } from './read.ts';
import { readMany } from './read-many.ts';
import { createRegistry } from './registry.ts';
import type { ReadRequest } from './request.ts';
import type { FileExtractionResult, Inspection } from './result.ts';
import { shownAs } from './searched-as.ts';
import { redactedAnswer } from './secrets.ts';
import { isFirst, type Session } from './session.ts';
import { extensionOf, type Input } from './source/input.ts';
import { openAddress } from './source/open.ts';
import { withSession, withWhole } from './start.ts';
import { textTokens } from './text-tokens.ts';

/** Options of a reader. All are optional. */
export interface ReaderOptions {
  /** Override the defaults and the environment. */
  readonly limits?: Partial<Limits>;
  /** The encoding for counting tokens. Default `cl100k_base`. */
  readonly tokenizer?: EncodingName;
  /** Where converted documents are kept between reads. Default: nowhere. */
  readonly cache?: ConversionCache;
  /** Resolves paths in a workspace. Default: the host's own files. */
  readonly workspace?: Files;
  /** Child processes that read the files; not closed by the reader. Default: none, files are read in this process. */
  readonly pool?: Pool;
  /** The user of this reader: readers of different users take turns in one pool. */
  readonly user?: string;
  /**
   * Reads the text of scanned pages and pictures. Default: none, a scanned page is reported as one. Called in this
   * process, also for files read in a child process. `lectern/ocr` has engines.
   */
  readonly ocr?: Ocr;
  /** Describes pictures, such as with a model of the caller's. Default: none. Called in this process. */
  readonly describer?: PictureDescriber;
  /** Opens protected files read without a password of their own. Default: none. */
  readonly password?: string;
  /**
   * Replaces keys, tokens, private keys and passwords in everything that is read from files by placeholders. Pictures and
   * recordings are not looked at. Default false.
   */
  readonly redact?: boolean;
  /** Environment variables for limits. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** How to look at a file. All fields are optional; `maxTokens` is the budget of the list of contents. */
export type InspectRequest = Pick<
  ReadRequest,
  'encoding' | 'password' | 'signal' | 'onProgress' | 'sheet' | 'maxTokens' | 'cursor'
>;

/** Reads files; see `createReader`. Keeps nothing open between calls. */
export interface Reader {
  /** Reads one file. Never throws: a bad file, request or budget gives `{ success: false, error }`. */
  read(input: Input, request?: ReadRequest): Promise<FileExtractionResult>;
  /**
   * Reads several files under one budget: small ones pass on what they do not use, and every file is listed.
   * @throws {ReaderError} BAD_INPUT if the inputs are not an array
   */
  readMany(inputs: readonly Input[], request?: ReadRequest): Promise<FileExtractionResult[]>;
  /** Type, encoding and counts; with `maxTokens` or `cursor`, also what the file consists of. */
  inspect(input: Input, request?: InspectRequest): Promise<Inspection>;
  /**
   * The whole converted file in pieces, in constant memory where the format allows. The value that ends the iteration
   * holds the warnings about the file. @throws {ReaderError}
   */
  stream(
    input: Input,
    request?: Omit<ReadRequest, 'all' | 'cursor'>,
  ): AsyncIterable<Part, readonly Warning[]>;
  /**
   * The file in pieces for a search index, cut between its blocks, each with its headings and its place. The first
   * chunk of a long document is there as soon as its first pages are read. Ends like `stream`. @throws {ReaderError}
   */
  chunks(input: Input, request?: ChunkRequest): AsyncIterable<Chunk, readonly Warning[]>;
  /**
   * All text of a file and of the files inside it, or of the place that an address names, to be searched: documents as they are shown, tables as CSV, text
   * unchanged. @throws {ReaderError} UNSUPPORTED_FORMAT for a file without text
   */
  searchable(input: Input, request?: Pick<ReadRequest, 'signal' | 'formulas'>): AsyncIterable<TextPart>;
  /**
   * The definitions of source code and the headings of a text, by line, none of a file that is converted; and the type
   * of the file.
   */
  sections(
    input: Input,
    request?: Pick<ReadRequest, 'signal'>,
  ): Promise<{ readonly fileType: FileType; readonly sections: readonly Section[] }>;
  /** How answers show files of this name: as they are, or converted. Undefined for an unknown extension. */
  shownAs(name: string): 'text' | 'converted' | 'without text' | undefined;
  /** Number of tokens in `text`, in the reader's encoding. */
  count(text: string): Tokens;
  readonly limits: Limits;
  readonly processors: readonly Processor[];
  /** Replaces secrets in what it reads; undefined if they are shown. */
  readonly redactor?: Redactor | undefined;
  /** The workspace that resolves its paths; undefined for the host's own files. */
  readonly workspace: Files | undefined;
  /** Ends the child processes it started and stops reading files. A pool passed in stays open. */
  close(): Promise<void>;
}

/** A reader for the given formats. @throws {ReaderError} BAD_INPUT for a limit that is not an integer */
export function createReaderOf(formats: readonly Format[], options: ReaderOptions = {}): Reader {
  const set = givenLimits(options.limits, options.environment ?? process.env);
  const limits = viewLimitsOf(set);
  const registry = createRegistry(formats);
  if (options.ocr !== undefined) checkHook('ocr', options.ocr, 'recognize');
  if (options.describer !== undefined) checkHook('describer', options.describer, 'describe');
  checkPassword(options.password);
  const engine: Engine = {
    registry,
    limits,
    counter: createTokenCounter(options.tokenizer),
    cache: options.cache,
    files: options.workspace,
    pool: options.pool,
    user: options.user ?? '',
    ocr: options.ocr,
    describer: options.describer,
    password: options.password,
    redactor: options.redact === true ? createRedactor(keyOf(options.environment ?? process.env)) : undefined,
  };
  // A request may be anything until it is checked.
  const engineFor = (request: ReadRequest | null): Engine => {
    const maxTokens = request?.maxTokens;
    if (!Number.isSafeInteger(maxTokens) || maxTokens === undefined || maxTokens <= limits.maxTokensPerFile)
      return engine;
    return { ...engine, limits: viewLimitsOf({ ...set, maxTokensPerFile: maxTokens }) };
  };
  return {
    limits,
    processors: registry.processors,
    workspace: options.workspace,
    redactor: engine.redactor,
    read: async (input, request = {}) =>
      redactedAnswer(
        await answer(named(engine, input), () => readOne(engineFor(request), input, request)),
        engine,
      ),
    readMany: async (inputs, request = {}) =>
      (await readMany(engineFor(request), inputs, request)).map((one) => redactedAnswer(one, engine)),
    inspect: async (input, request = {}) =>
      redactedAnswer(await answer(named(engine, input), () => inspectOne(engine, input, request)), engine),
    stream: (input, request = {}) => streamOne(engine, input, request),
    chunks: (input, request = {}) => chunksIn(engine, input, request),
    searchable: (input, request = {}) => searchable(engine, input, request),
    sections: (input, request = {}) =>
      withSession(engine, input, { ...request, all: true }, async (session) => {
        const { sections } = await sectionsOf(engine, session);
        return { fileType: fileTypeOf(session, session.converter.converted()), sections };
      }),
    shownAs: (name) => {
      const processor = registry.byExtension(extensionOf(name));
      return processor && shownAs(processor, engine);
    },
    count: (text) => engine.counter.count(text),
    close: () => Promise.resolve(),
  };
}

const named = ({ files }: Engine, input: Input): string => nameOf(input, files !== undefined);

/** Tokens of a list of contents that is continued without a budget. */
const LISTING_TOKENS: Tokens = 1000;

async function inspectOne(engine: Engine, input: Input, request: InspectRequest): Promise<Inspection> {
  const { cursor, maxTokens = cursor === undefined ? undefined : LISTING_TOKENS } = request;
  const isListed = maxTokens !== undefined;
  return withSession(
    engine,
    input,
    isListed ? { ...request, overflow: 'outline' } : request,
    async (session) => {
      const { converted } = await gather(engine, session, createBudget(engine, 0));
      const tokens = await textTokens(session, converted, engine);
      const contents =
        isListed &&
        (await (await import('./outline.ts')).listing(engine, session, createBudget(engine, maxTokens)));
      return {
        success: true,
        ...(contents && { contents }),
        fileType: fileTypeOf(session, converted),
        processor: converted.processor.name,
        metadata: { ...metadataOf(session, converted), ...countOf(session, converted), ...tokens },
        warnings: converted.warnings,
      };
    },
  );
}

/** How much the selected part holds: `{ keys: 712 }`. */
function countOf(session: Session, { wholes: [main], facts }: Converted): FormatFacts {
  if (isFirst(session) || !main || 'matches' in facts) return {};
  return { [plural(2, main.unit).slice(2)]: main.of };
}

function streamOne(
  engine: Engine,
  input: Input,
  request: ReadRequest,
): AsyncGenerator<Part, readonly Warning[]> {
  const opening = (signal: AbortSignal) => openAddress(input, engine.limits, signal, engine.files);
  return withWhole(engine, opening, request, async function* (session) {
    let boxed = false;
    for await (const part of wholeOf(engine, session.converter)) {
      throwIfAborted(session.signal);
      boxed ||= hasBoxes(part);
      yield part;
    }
    return fileWarnings(session, session.converter.converted(), boxed);
  });
}

async function* searchable(
  engine: Engine,
  input: Input,
  request: Pick<ReadRequest, 'signal' | 'formulas'>,
): AsyncGenerator<TextPart> {
  const opening = (aborting: AbortSignal) => openAddress(input, engine.limits, aborting, engine.files);
  const text = async function* ({ converter }: Session): AsyncGenerator<TextPart> {
    for await (const part of wholeOf(engine, converter)) if (part.kind === 'text') yield part;
  };
  yield* withWhole(engine, opening, request, text, true);
}
