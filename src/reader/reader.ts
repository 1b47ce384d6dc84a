// The walk through the rooms: open, detect, process, cap, render. Knows no format; a bad file is an answer, never an
// exception.

import type { ConversionCache } from '../cache/index.ts';
import {
  type Files,
  type Format,
  type Limits,
  type Part,
  type Processor,
  quoted,
  ReaderError,
  type Tokens,
  throwIfAborted,
} from '../contract/index.ts';
import type { Pool } from '../isolation/index.ts';
import { resolveViewLimits } from '../limits/index.ts';
import { createTokenCounter, type EncodingName } from '../tokens/index.ts';
import { fileTypeOf, metadataOf } from './assemble.ts';
import { createBudget } from './budget.ts';
import { wholeOf } from './converter.ts';
import type { Engine } from './engine.ts';
import { answer, asReaderError, nameOf } from './failure.ts';
import { gather } from './gather.ts';
import { readOne } from './read.ts';
import { readMany } from './read-many.ts';
import { createRegistry } from './registry.ts';
import { checkRequest, type ReadRequest } from './request.ts';
import type { FileExtractionResult, Inspection } from './result.ts';
import type { Input } from './source/input.ts';
import { open } from './source/open.ts';
import { startSession, withSession } from './start.ts';
import { textTokens } from './text-tokens.ts';

/** What a reader is made with; everything optional. */
export interface ReaderOptions {
  /** Over the defaults and the environment. */
  readonly limits?: Partial<Limits>;
  /** The encoding budgets are counted in. Default `cl100k_base`. */
  readonly tokenizer?: EncodingName;
  /** Where converted documents are kept between reads. Default: nowhere. */
  readonly cache?: ConversionCache;
  /** Where paths lead: a workspace. Default: the host's own files. */
  readonly workspace?: Files;
  /** Child processes that read the files; the reader does not close it. Default: none, files are read in this process. */
  readonly pool?: Pool;
  /** Whose reads these are: readers of different users take turns at one pool. */
  readonly user?: string;
  /** Where limits are looked up by their variable. Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Reads files; see `createReader`. Keeps nothing open between calls. */
export interface Reader {
  /** One file. Never throws: a bad file, request or budget is `{ success: false, error }`. */
  read(input: Input, request?: ReadRequest): Promise<FileExtractionResult>;
  /**
   * Several files under one budget: small ones hand on what they do not use; every file is listed.
   * @throws {ReaderError} BAD_INPUT for inputs that are no list
   */
  readMany(inputs: readonly Input[], request?: ReadRequest): Promise<FileExtractionResult[]>;
  /** Type, encoding and counts; no content. */
  inspect(
    input: Input,
    request?: Pick<ReadRequest, 'encoding' | 'signal' | 'onProgress' | 'sheet'>,
  ): Promise<Inspection>;
  /** The whole converted file in pieces, in constant memory where the format allows. @throws {ReaderError} */
  stream(input: Input, request?: Omit<ReadRequest, 'all' | 'cursor'>): AsyncIterable<Part>;
  /**
   * The text of a document as far as earlier reads converted it; converts nothing, and ends in BAD_INPUT where the cached
   * part ends. @throws {ReaderError} UNSUPPORTED_FORMAT for a format whose conversions are not cached
   */
  cachedText(input: Input, request?: Pick<ReadRequest, 'signal'>): AsyncIterable<string>;
  /** Tokens of `text` in the encoding budgets are counted in. */
  count(text: string): Tokens;
  readonly limits: Limits;
  readonly processors: readonly Processor[];
  /** Where its paths lead; undefined for the host's own files. */
  readonly workspace: Files | undefined;
  /** Ends the child processes that it started, after which it reads no more files; a pool that it was given stays. */
  close(): Promise<void>;
}

/** A Reader of the given formats. @throws {ReaderError} BAD_INPUT for a limit that is no whole number */
export function createReaderOf(formats: readonly Format[], options: ReaderOptions = {}): Reader {
  const limits = resolveViewLimits(options.limits, options.environment ?? process.env);
  const registry = createRegistry(formats);
  const engine: Engine = {
    registry,
    limits,
    counter: createTokenCounter(options.tokenizer),
    cache: options.cache,
    files: options.workspace,
    pool: options.pool,
    user: options.user ?? '',
  };
  return {
    limits,
    processors: registry.processors,
    workspace: options.workspace,
    read: (input, request = {}) => answer(named(engine, input), () => readOne(engine, input, request)),
    readMany: (inputs, request = {}) => readMany(engine, inputs, request),
    inspect: (input, request = {}) => answer(named(engine, input), () => inspectOne(engine, input, request)),
    stream: (input, request = {}) => streamOne(engine, input, request),
    cachedText: (input, request = {}) => cachedText(engine, input, request),
    count: (text) => engine.counter.count(text),
    close: () => Promise.resolve(),
  };
}

const named = ({ files }: Engine, input: Input): string => nameOf(input, files !== undefined);

async function inspectOne(engine: Engine, input: Input, request: ReadRequest): Promise<Inspection> {
  return withSession(engine, input, request, async (session) => {
    const budget = createBudget(engine, 0);
    const { converted } = await gather(engine, session, budget);
    const tokens = await textTokens(session, converted, engine);
    return {
      success: true,
      fileType: fileTypeOf(session, converted),
      processor: converted.processor.name,
      metadata: { ...metadataOf(session, converted), ...tokens },
      warnings: converted.warnings,
    };
  });
}

async function* streamOne(engine: Engine, input: Input, request: ReadRequest): AsyncGenerator<Part> {
  checkRequest(request);
  const signal = request.signal ?? new AbortController().signal;
  const opened = await open(input, engine.limits, signal, engine.files);
  try {
    const session = await startSession(engine, opened, { ...request, all: true }, signal);
    try {
      for await (const part of wholeOf(engine, session.converter)) {
        throwIfAborted(signal);
        yield part;
      }
    } finally {
      await session.converter.end();
    }
  } catch (error) {
    throw asReaderError(error);
  } finally {
    await opened.close();
  }
}

async function* cachedText(
  engine: Engine,
  input: Input,
  request: Pick<ReadRequest, 'signal'>,
): AsyncGenerator<string> {
  const signal = request.signal ?? new AbortController().signal;
  const opened = await open(input, engine.limits, signal, engine.files);
  try {
    const session = await startSession(engine, opened, { all: true }, signal, true);
    try {
      const { processor } = session.converter.converted();
      if (!processor.keeps)
        throw new ReaderError(
          'UNSUPPORTED_FORMAT',
          `${quoted(session.entered.source.name)} is read as ${processor.name}, whose conversions are not cached.`,
          'Read the file itself.',
        );
      for await (const part of wholeOf(engine, session.converter)) if (part.kind === 'text') yield part.text;
    } finally {
      await session.converter.end();
    }
  } catch (error) {
    throw asReaderError(error);
  } finally {
    await opened.close();
  }
}
