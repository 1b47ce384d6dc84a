// The walk through the rooms: open, detect, process, cap, render. Knows no format; a bad file is an answer, never an
// exception.

import type { ConversionCache } from '../cache/index.ts';
import {
  type Files,
  type Format,
  headingOf,
  type Limits,
  type Part,
  type Processor,
  plural,
  quoted,
  ReaderError,
  type Tokens,
  throwIfAborted,
  viewOf,
} from '../contract/index.ts';
import type { Pool } from '../isolation/index.ts';
import { resolveLimits } from '../limits/index.ts';
import { createTokenCounter, type EncodingName } from '../tokens/index.ts';
import { assemble, fileTypeOf, metadataOf, warnOfIgnored } from './assemble.ts';
import { createBudget } from './budget.ts';
import { answer, asReaderError, failure, nameOf } from './failure.ts';
import { gather } from './gather.ts';
import { type Input, open } from './open.ts';
import { createRegistry } from './registry.ts';
import { budgetOf, checkRequest, type ReadRequest } from './request.ts';
import type { FileExtractionResult, Inspection } from './result.ts';
import { type Engine, partsOf, type Session, wholeOf } from './session.ts';
import { startSession, withSession } from './start.ts';

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
  /** Several files under one budget: small ones hand on what they do not use; every file is listed. */
  readMany(inputs: readonly Input[], request?: ReadRequest): Promise<FileExtractionResult[]>;
  /** Type, encoding and counts; no content. */
  inspect(
    input: Input,
    request?: Pick<ReadRequest, 'encoding' | 'signal' | 'onProgress' | 'sheet'>,
  ): Promise<Inspection>;
  /** The whole converted file in pieces, in constant memory where the format allows. @throws {ReaderError} */
  stream(input: Input, request?: Omit<ReadRequest, 'all' | 'cursor'>): AsyncIterable<Part>;
  /**
   * The text of a document as far as earlier reads converted and kept it; converts nothing, and ends in BAD_INPUT where
   * that ends. @throws {ReaderError} UNSUPPORTED_FORMAT for a format of which no conversion is ever kept
   */
  kept(input: Input, request?: Pick<ReadRequest, 'signal'>): AsyncIterable<string>;
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
  const limits = resolveLimits(options.limits, options.environment ?? process.env);
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
    kept: (input, request = {}) => keptText(engine, input, request),
    count: (text) => engine.counter.count(text),
    close: () => Promise.resolve(),
  };
}

const named = ({ files }: Engine, input: Input): string => nameOf(input, files !== undefined);

async function readOne(
  engine: Engine,
  input: Input,
  request: ReadRequest,
  heading = '',
): Promise<FileExtractionResult> {
  return withSession(engine, input, request, async (session) => {
    const tokens = budgetOf(session.request, engine.limits);
    const headed = tokens - (heading === '' ? 0 : engine.counter.count(heading));
    const budget = createBudget(engine, Math.max(0, headed));
    const inOutline = session.cursor?.walk === 'outline';
    // Of the content an outline leaves out, only the facts are needed.
    const given = inOutline ? createBudget(engine, 0) : budget;
    let gathered = await gather(engine, session, partsOf(engine, session, given), given);
    const partial = gathered.account.omitted.length > 0 || gathered.account.cellsCut > 0;
    const overflow = session.request.overflow ?? 'truncate';
    if (partial && overflow === 'error') throw await overBudget(engine, session, request, tokens);
    if (inOutline || (partial && overflow === 'outline' && !session.cursor))
      gathered = await (await import('./outline.ts')).outlined(engine, session, gathered, budget);
    if (session.cursor && gathered.account.next?.cursor === request.cursor) throw stuck(tokens);
    warnOfIgnored(session);
    if (session.source.size === 0) {
      // That nothing is no document of the format goes without saying.
      const syntax = session.warnings.findIndex(({ code }) => code === 'INVALID_SYNTAX');
      if (syntax >= 0) session.warnings.splice(syntax, 1);
      session.warnings.push({ code: 'EMPTY_FILE', message: 'The file is empty: 0 bytes.' });
    }
    if (await session.opened.changed())
      session.warnings.push({
        code: 'CHANGED_DURING_READ',
        message: 'The file changed while it was read; the answer may mix two versions.',
      });
    return assemble(session, gathered, budget, heading);
  });
}

/** Tokens within which every format moves on; the fixtures of every format do within 8. */
const ENOUGH = 100;

/** The refusal of a continuation whose answer would end where it began: who follows its cursors would never finish. */
const stuck = (tokens: Tokens): ReaderError =>
  new ReaderError(
    'BAD_INPUT',
    `A budget of ${plural(tokens, 'token')} is too small to continue from this cursor.`,
    `Set \`maxTokens\` to ${ENOUGH} or more.`,
  );

/** The refusal of `overflow: "error"`, naming a limit that is sure to hold the whole file. */
async function overBudget(
  engine: Engine,
  session: Session,
  asked: ReadRequest,
  tokens: Tokens,
): Promise<ReaderError> {
  // A pool of one process has none left for the second session.
  await session.remote?.end();
  const whole = await startSession(engine, session.opened, { ...asked, all: true }, session.signal);
  let total = 0;
  let exact = true;
  try {
    for await (const part of partsOf(engine, whole, createBudget(engine, Number.POSITIVE_INFINITY))) {
      if (part.kind !== 'text') continue;
      const view = viewOf(part);
      // Past 4 MiB counting is dropped for the bound that always holds: a token is at least one byte.
      if (total > 4 * 1024 * 1024) exact = false;
      total += exact ? engine.counter.count(view) : Buffer.byteLength(view);
    }
    if (whole.interrupted) throw whole.interrupted;
  } finally {
    await whole.remote?.end();
  }
  if (total <= tokens)
    return new ReaderError(
      'OVER_BUDGET',
      `The file needs ${total} tokens, which are allowed, but does not fit the limits of its format.`,
      'Set `all` to true for the whole file, or leave `overflow` out to see what fits.',
    );
  return new ReaderError(
    'OVER_BUDGET',
    `The file needs ${exact ? '' : 'at most '}${total} tokens, more than the ${tokens} allowed.`,
    `Ask for a part of it, or set \`maxTokens\` to ${total} and \`all\` to true.`,
  );
}

async function inspectOne(engine: Engine, input: Input, request: ReadRequest): Promise<Inspection> {
  return withSession(engine, input, request, async (session) => {
    const budget = createBudget(engine, 0);
    await gather(engine, session, partsOf(engine, session, budget), budget);
    return {
      success: true,
      fileType: fileTypeOf(session),
      processor: session.processor.name,
      metadata: metadataOf(session),
      warnings: session.warnings,
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
      for await (const part of wholeOf(engine, session)) {
        throwIfAborted(signal);
        yield part;
      }
    } finally {
      await session.remote?.end();
    }
  } catch (error) {
    throw asReaderError(error);
  } finally {
    await opened.close();
  }
}

async function* keptText(
  engine: Engine,
  input: Input,
  request: Pick<ReadRequest, 'signal'>,
): AsyncGenerator<string> {
  const signal = request.signal ?? new AbortController().signal;
  const opened = await open(input, engine.limits, signal, engine.files);
  try {
    const session = await startSession(engine, opened, { all: true }, signal, true);
    try {
      if (!session.processor.keeps)
        throw new ReaderError(
          'UNSUPPORTED_FORMAT',
          `${quoted(session.source.name)} is read as ${session.processor.name}, of which no conversion is kept.`,
          'Read the file itself.',
        );
      for await (const part of wholeOf(engine, session)) if (part.kind === 'text') yield part.text;
    } finally {
      await session.remote?.end();
    }
  } catch (error) {
    throw asReaderError(error);
  } finally {
    await opened.close();
  }
}

/**
 * Each file has a fair reserve; those that need less hand the rest on. Small answers come first in the sharing, not
 * in the order of results.
 */
async function readMany(
  engine: Engine,
  inputs: readonly Input[],
  request: ReadRequest,
): Promise<FileExtractionResult[]> {
  try {
    checkRequest(request);
  } catch (error) {
    return inputs.map((input) => failure(asReaderError(error), named(engine, input)));
  }
  const results = new Array<FileExtractionResult | undefined>(inputs.length);
  const total = budgetOf(request, engine.limits);
  const order = [...inputs.entries()];
  // One after another: each is opened for it, and a process may have only so many files open.
  const sizes: number[] = [];
  for (const input of inputs) sizes.push(await sizeOf(engine, input));
  order.sort(([a], [b]) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  // Every heading is paid for first, so that every file is listed even when nothing of it fits.
  const headings = inputs.map((input) => (inputs.length > 1 ? headingOf(named(engine, input)) : ''));
  const costs = headings.map((heading) => engine.counter.count(heading));
  let left = total - costs.reduce((sum, cost) => sum + cost, 0);
  for (const [turn, [index, input]] of order.entries()) {
    const heading = left >= 0 ? (headings[index] ?? '') : '';
    const share =
      total === Number.POSITIVE_INFINITY ? total : Math.max(0, Math.floor(left / (order.length - turn)));
    const maxTokens = share + (heading === '' ? 0 : (costs[index] ?? 0));
    const asked = total === Number.POSITIVE_INFINITY ? request : { ...request, maxTokens };
    const result = await answer(named(engine, input), () => readOne(engine, input, asked, heading));
    if (result.success) left -= Math.max(0, engine.counter.count(result.text) - (costs[index] ?? 0));
    results[index] = result;
  }
  return results.filter((result) => result !== undefined);
}

async function sizeOf(engine: Engine, input: Input): Promise<number> {
  if (input instanceof Uint8Array) return input.length;
  if (input instanceof Blob) return input.size;
  const path =
    typeof input === 'string' || input instanceof URL ? input : 'path' in input ? input.path : undefined;
  if (path === undefined) return Number.MAX_SAFE_INTEGER;
  try {
    const opened = await open(path, engine.limits, new AbortController().signal, engine.files);
    await opened.close();
    return opened.source.size;
  } catch (error) {
    if (error instanceof ReaderError) return 0; // it will fail again when it is read, and be reported then
    throw error;
  }
}
