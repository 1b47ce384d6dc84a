// The walk through the rooms: open, detect, process, cap, render. Knows no format; a bad file is an answer, never an
// exception.

import type { ConversionCache } from '../cache/index.ts';
import {
  type Budget,
  type Extent,
  type Files,
  type FileType,
  type Limits,
  type MediaPart,
  mergeExtents,
  NotThisFormat,
  omittedExtents,
  type Part,
  type ProcessContext,
  type Processor,
  quoted,
  ReaderError,
  type Source,
  type TextPart,
  type TextSource,
  type Tokens,
  throwIfAborted,
  viewOf,
  type Warning,
  type Whole,
} from '../contract/index.ts';
import { resolveLimits } from '../limits/index.ts';
import { MEDIA_TOOLS } from '../media/index.ts';
import { createTokenCounter, type EncodingName, type TokenCounter } from '../tokens/index.ts';
import { createBudget } from './budget.ts';
import { cap } from './cap.ts';
import { conversionOf } from './conversion.ts';
import { type Cursor, type Kept, readCursor, writeCursor } from './cursor.ts';
import { decode } from './decode.ts';
import { createRegistry, type Detected, detect, mimeOf, type Registry } from './detect.ts';
import { type Entered, enter } from './enter.ts';
import { answer, asReaderError, failure, nameOf } from './failure.ts';
import { type Input, type Opened, open } from './open.ts';
import { type Account, render, truncationNotes } from './render.ts';
import { budgetOf, checkRequest, checkSelects, mergeKept, type ReadRequest, toSelection } from './request.ts';
import type { ContentPart, FileExtractionResult, Inspection, Metadata, Truncation } from './result.ts';
import { watched } from './source.ts';

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
   * that ends. @throws {ReaderError}
   */
  kept(input: Input, request?: Pick<ReadRequest, 'signal'>): AsyncIterable<string>;
  readonly limits: Limits;
  readonly processors: readonly Processor[];
}

/** A Reader over the given processors. @throws {ReaderError} BAD_INPUT for a limit that is no whole number */
export function createReaderOf(processors: readonly Processor[], options: ReaderOptions = {}): Reader {
  const limits = resolveLimits(options.limits, options.environment ?? process.env);
  const engine: Engine = {
    registry: createRegistry(processors),
    limits,
    counter: createTokenCounter(options.tokenizer),
    cache: options.cache,
    files: options.workspace,
  };
  return {
    limits,
    processors,
    read: (input, request = {}) => answer(named(engine, input), () => readOne(engine, input, request)),
    readMany: (inputs, request = {}) => readMany(engine, inputs, request),
    inspect: (input, request = {}) => answer(named(engine, input), () => inspectOne(engine, input, request)),
    stream: (input, request = {}) => streamOne(engine, input, request),
    kept: (input, request = {}) => keptText(engine, input, request),
  };
}

interface Engine {
  readonly registry: Registry;
  readonly limits: Limits;
  readonly counter: TokenCounter;
  readonly cache: ConversionCache | undefined;
  /** Where paths lead; undefined for the host's own. */
  readonly files: Files | undefined;
}

const named = ({ files }: Engine, input: Input): string => nameOf(input, files !== undefined);

/** A file under way: opened, detected, with everything its processor reports. */
interface Session {
  readonly opened: Opened;
  readonly entered: Entered;
  readonly source: Source;
  processor: Processor;
  readonly detected: Detected;
  readonly request: ReadRequest;
  readonly cursor: Cursor | undefined;
  readonly warnings: Warning[];
  readonly wholes: Map<string, Whole>;
  facts: Record<string, unknown>;
  encoding: { readonly name: string; readonly confidence: number } | undefined;
  readonly signal: AbortSignal;
  text: Promise<TextSource> | undefined;
  /** Converts nothing. */
  onlyKept?: boolean;
}

async function withSession<T>(
  engine: Engine,
  input: Input,
  request: ReadRequest,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  checkRequest(request);
  const signal = request.signal ?? new AbortController().signal;
  const opened = await open(input, engine.limits, signal, engine.files);
  try {
    return await work(await startSession(engine, opened, request, signal));
  } finally {
    await opened.close();
  }
}

async function startSession(
  engine: Engine,
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<Session> {
  const outer = request.onProgress ? watched(opened.source, request.onProgress) : opened.source;
  const entered = await enter(opened, outer, engine.registry, engine.limits, signal);
  const { source, listed } = entered;
  const cursor =
    request.cursor === undefined ? undefined : readCursor(request.cursor, await source.identity());
  const whole = cursor ? mergeKept(request, cursor.kept) : request;
  checkRequest(whole);
  const detected = listed
    ? { processor: listed.lister, mimeType: mimeOf(listed.lister), warnings: [] }
    : await detect(source, engine.registry, whole.encoding !== undefined);
  const processor = pick(engine.registry, detected, whole, cursor);
  if (!cursor) checkSelects(whole, processor.selects, processor.name);
  return {
    opened,
    entered,
    source,
    processor,
    detected,
    request: whole,
    cursor,
    warnings: [...entered.warnings, ...detected.warnings],
    wholes: new Map(),
    facts: { ...entered.facts },
    encoding: undefined,
    signal,
    text: undefined,
  };
}

/**
 * `lines` of any textual format are read as text, and `region` or `detail` of one that can be drawn shows the drawing; a
 * cursor goes on with the processor that made it.
 */
function pick(
  registry: Registry,
  { processor: detected, mimeType }: Detected,
  request: ReadRequest,
  cursor: Cursor | undefined,
): Processor {
  const drawn = request.region !== undefined || request.detail !== undefined;
  const painter = drawn && detected.textual ? registry.byDrawing(mimeType) : undefined;
  const name = cursor
    ? cursor.processor
    : painter
      ? painter.name
      : detected.textual &&
          (request.format === 'text' || (request.lines !== undefined && !detected.selects.includes('lines')))
        ? 'text'
        : detected.name;
  const processor = registry.byProcessorName(name);
  // What may go on: what reads the file, the text or the drawing of a textual one.
  const known =
    name === detected.name ||
    (detected.textual && (processor?.textual || name === registry.byDrawing(mimeType)?.name));
  if (processor && known) return processor;
  throw new ReaderError(
    'BAD_INPUT',
    'The cursor names a format that is not read here.',
    'Leave `cursor` out to start again.',
  );
}

function contextFor(engine: Engine, session: Session, budget: Budget, outline = false): ProcessContext {
  const { request, signal } = session;
  return {
    selection: {
      ...toSelection(request),
      ...(session.entered.listed && { folder: session.entered.listed.folder }),
      // An answer that held nothing leaves an empty position: its cursor makes the same request again.
      ...(session.cursor && session.cursor.position.length > 0 && { resume: session.cursor.position }),
      outline,
    },
    limits: session.entered.limits,
    budget,
    signal,
    media: MEDIA_TOOLS,
    text: (source) => {
      session.text ??= openText(engine, session, source);
      return session.text;
    },
    conversion: async (source, version) => {
      // Text that was decoded otherwise becomes another document.
      const kept = request.encoding === undefined ? version : `${version} ${request.encoding}`;
      const conversion = await conversionOf(engine.cache, source, session.processor.name, kept, signal);
      return session.onlyKept ? { ...conversion, only: true } : conversion;
    },
    warn: (warning) => {
      const known = session.warnings.some(
        ({ code, message }) => code === warning.code && message === warning.message,
      );
      if (!known && session.warnings.length < MAX_WARNINGS) session.warnings.push(warning);
    },
    describe: (facts) => {
      session.facts = { ...session.facts, ...facts };
    },
    whole: (whole) => {
      session.wholes.set(`${whole.unit}\u0000${whole.name ?? ''}`, whole);
    },
  };
}

const MAX_WARNINGS = 50;

async function openText(engine: Engine, session: Session, source: Source): Promise<TextSource> {
  const decoded = await decode(source, session.request.encoding, engine.limits, session.signal);
  session.warnings.push(...decoded.warnings);
  session.encoding = decoded.source.encoding;
  return decoded.source;
}

/** The processor's parts; a textual file that is not what it claims starts over as text, with the reason. */
async function* partsOf(engine: Engine, session: Session, budget: Budget): AsyncGenerator<Part> {
  const { source } = session;
  const first = session.processor;
  // No bytes are no file of a binary format, and not a damaged one either.
  if (source.size === 0 && !first.textual) return;
  try {
    yield* first.process(source, contextFor(engine, session, budget));
    return;
  } catch (error) {
    const text = engine.registry.byProcessorName('text');
    if (!(error instanceof NotThisFormat) || !text || first === text || !first.textual) throw error;
    session.warnings.push(error.warning);
    session.processor = text;
    session.wholes.clear();
    session.facts = { ...session.entered.facts };
    checkSelects(session.request, [...text.selects, 'columns', 'rows', 'sheet', 'pointer'], text.name);
  }
  yield* session.processor.process(source, contextFor(engine, session, budget));
}

interface Gathered {
  readonly parts: readonly Part[];
  readonly account: Omit<Account, 'warnings'>;
}

/** Runs the parts through the cap and works out what they show and leave out. */
async function gather(
  engine: Engine,
  session: Session,
  parts: AsyncIterable<Part>,
  budget: Budget,
): Promise<Gathered> {
  // A character takes up to two bytes, here and in the answer's joined text.
  const most = engine.limits.maxBytesInMemory / 2;
  let characters = 0;
  const kept: Part[] = [];
  const extents: Extent[] = [];
  let cellsCut = 0;
  let last: Part['next'];
  let cutAt: Extent | undefined;
  for await (const { part, keptOfView } of cap(parts, budget)) {
    throwIfAborted(session.signal);
    if (part.kind === 'text') characters += part.text.length;
    if (characters > most)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The file has more than ${most} characters, the most that one answer may hold (limit \`maxBytesInMemory\`).`,
        'Ask for a part of it, or read it in pieces with `stream` or `lectern read --all`.',
      );
    kept.push(part);
    if (keptOfView !== undefined && part.kind === 'text') {
      // The processor did not fit itself. What was kept is told in characters, and the walk repeats the part.
      cutAt = { unit: 'character', from: 1, to: keptOfView, name: 'the part shown last' };
      continue;
    }
    extents.push(...part.shown);
    if (part.kind === 'text') cellsCut += part.cellsCut ?? 0;
    last = part.next;
  }
  const wholes = [...session.wholes.values()];
  const shown = mergeExtents(cutAt ? [...extents, cutAt] : extents, wholes);
  const found = omittedExtents(extents, wholes);
  const omitted = found.length === 0 && kept.length === 0 ? await unseen(session, budget) : found;
  const unfinished = omitted.length > 0 && (kept.length === 0 || cutAt !== undefined);
  const next = unfinished && !last ? { position: session.cursor?.position ?? [] } : last;
  return {
    parts: kept,
    account: { shown, omitted, cellsCut, next: next ? await nextOf(session, next) : null },
  };
}

/** The bytes of a file that has no wholes to count (`{}`, a number) when the budget holds none of it. */
async function unseen(session: Session, budget: Budget): Promise<Extent[]> {
  if (budget.tokensBesideNotes >= 1 && budget.charactersBesideNotes >= 1) return [];
  const { size } = (await session.text) ?? session.source;
  return size === 0 ? [] : [{ unit: 'byte', from: 1, to: size, of: size }];
}

async function nextOf(
  session: Session,
  next: NonNullable<Part['next']>,
): Promise<NonNullable<Account['next']>> {
  const { request } = session;
  const begun = next.position.length > 0;
  const kept: Kept = {
    ...(request.lines !== undefined && !begun && { lines: String(request.lines) }),
    ...(request.rows !== undefined && !begun && { rows: String(request.rows) }),
    ...(request.columns !== undefined && { columns: String(request.columns) }),
    ...(request.sheet !== undefined && { sheet: String(request.sheet) }),
    ...(request.pages !== undefined && { pages: String(request.pages) }),
    ...(request.pointer !== undefined && { pointer: request.pointer }),
    ...(request.region !== undefined && { region: request.region }),
    ...(request.changes !== undefined && { changes: request.changes }),
    ...(request.detail !== undefined && { detail: request.detail }),
    ...(request.format !== undefined && { format: request.format }),
    ...(request.encoding !== undefined && { encoding: request.encoding }),
    ...(request.numbered === true && { numbered: true }),
  };
  const cursor = { processor: session.processor.name, kept, position: next.position };
  return {
    cursor: writeCursor(cursor, await session.source.identity()),
    ...(next.request && { request: next.request }),
    ...(next.skip && { skip: next.skip }),
  };
}

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
    let gathered = await gather(engine, session, partsOf(engine, session, budget), budget);
    const partial = gathered.account.omitted.length > 0 || gathered.account.cellsCut > 0;
    const overflow = session.request.overflow ?? 'truncate';
    if (partial && overflow === 'error') throw await overBudget(engine, session, tokens);
    if (partial && overflow === 'outline' && session.processor.outline)
      gathered = await outlined(engine, session, gathered, budget);
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

/** Fields that shape an answer and say nothing to this format: it is shown all the same, and they are named. */
function warnOfIgnored({ processor, request, warnings }: Session): void {
  const { format, numbered, detail } = request;
  const ignored = [
    ...(format !== undefined &&
    !(format === 'text' && processor.textual) &&
    !(format !== 'text' && processor.formats?.includes(format))
      ? [`\`format\` \`${format}\``]
      : []),
    ...(numbered === true && !processor.selects.includes('lines') ? ['`numbered`'] : []),
    ...(detail !== undefined && !processor.selects.includes('region') && !processor.selects.includes('pages')
      ? ['`detail`']
      : []),
  ];
  for (const field of ignored)
    warnings.push({
      code: 'IGNORED_FIELD',
      message: `${field} has no effect on ${processor.name} files.`,
    });
}

/**
 * The outline in place of the content, which counts as left out whole; a file that has nothing to outline keeps the
 * answer it had.
 */
async function outlined(
  engine: Engine,
  session: Session,
  content: Gathered,
  budget: Budget,
): Promise<Gathered> {
  const { outline } = session.processor;
  if (!outline) return content;
  const wholes = [...session.wholes];
  session.wholes.clear();
  const parts = outline(session.source, contextFor(engine, session, budget, true));
  const gathered = await gather(engine, session, parts, budget);
  if (!gathered.parts.some((part) => part.kind === 'text' && part.text !== '')) {
    session.wholes.clear();
    for (const [key, whole] of wholes) session.wholes.set(key, whole);
    return content;
  }
  const { account } = gathered;
  if (account.omitted.length > 0) return gathered;
  // An outline may itself show a whole, such as all columns by name: what is left out is another.
  const hidden = content.account.omitted.filter(
    (left) => !account.shown.some(({ unit, name }) => unit === left.unit && name === left.name),
  );
  const first = hidden.find(({ name = '' }) => name === '') ?? hidden[0];
  const whole = wholes.find(([, { unit, name }]) => unit === first?.unit && name === first.name)?.[1];
  return { ...gathered, account: { ...account, omitted: whole ? omittedExtents([], [whole]) : [] } };
}

function assemble(
  session: Session,
  { parts, account: found }: Gathered,
  budget: Budget,
  heading: string,
): FileExtractionResult {
  const texts = parts.filter((part): part is TextPart => part.kind === 'text');
  invisible(texts, session.warnings);
  const account: Account = { ...found, warnings: session.warnings };
  const partial = account.omitted.length > 0 || account.cellsCut > 0 || account.next !== null;
  const text = heading + render(texts, account, budget);
  const shownTokens = partial ? budget.count(texts.map((part) => part.text).join('')) : 0;
  const truncation: Truncation | null = partial
    ? {
        shown: account.shown,
        omitted: account.omitted,
        ...(account.cellsCut > 0 && { cellsCut: account.cellsCut }),
        tokens: { shown: shownTokens, total: null },
        next: account.next && {
          cursor: account.next.cursor,
          ...(account.next.request && { request: account.next.request }),
        },
      }
    : null;
  if (partial)
    session.warnings.unshift({
      code: 'TRUNCATED',
      message: (truncationNotes(account)[0] ?? '').slice(1, -1),
    });
  const { processor } = session;
  return {
    success: true,
    fileType: fileTypeOf(session),
    processor: processor.name,
    text,
    content: parts.filter((part) => !isCaption(part)).map(toContent),
    truncation,
    metadata: metadataOf(session),
    warnings: session.warnings,
  };
}

/** A textual file keeps its type when it is read as plain text. */
function fileTypeOf({ processor, detected }: Session): FileType {
  return detected.processor.textual && processor.name === 'text'
    ? detected.processor.fileType
    : processor.fileType;
}

/** Words about a picture or a recording: for the model's eyes, no content of the file. */
function isCaption(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && part.shown.length === 0;
}

function toContent(part: TextPart | MediaPart): ContentPart {
  return part.kind === 'text'
    ? { kind: 'text', text: part.text, at: part.shown }
    : { kind: 'binary', data: part.data, mimeType: part.mimeType, at: part.shown };
}

function metadataOf(session: Session): Metadata {
  const { entered, detected } = session;
  const { name, bytes, modified } = entered;
  return {
    name,
    bytes,
    ...(modified && { modified: modified.toISOString() }),
    mimeType: detected.mimeType,
    ...(session.encoding && { encoding: session.encoding }),
    ...session.facts,
  };
}

/** Characters that change what a person or a model thinks it reads without showing themselves (Trojan Source, tags). */
const HIDDEN = /[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
const ESCAPES = new RegExp(String.fromCharCode(27), 'g');

function invisible(parts: readonly TextPart[], warnings: Warning[]): void {
  let hidden = 0;
  let escapes = 0;
  for (const { text } of parts) {
    hidden += text.match(HIDDEN)?.length ?? 0;
    escapes += text.match(ESCAPES)?.length ?? 0;
  }
  const found = [
    ...(hidden > 0 ? [`${hidden} invisible direction or tag characters`] : []),
    ...(escapes > 0 ? [`${escapes} terminal escape sequences`] : []),
  ];
  if (found.length > 0)
    warnings.push({
      code: 'INVISIBLE_CHARACTERS',
      message: `The text shown holds ${found.join(' and ')}; they are kept as they are.`,
    });
}

/** The refusal of `overflow: "error"`, naming a limit that is sure to hold the whole file. */
async function overBudget(engine: Engine, session: Session, tokens: Tokens): Promise<ReaderError> {
  const request = { ...session.request, all: true };
  const whole: Session = {
    ...session,
    request,
    cursor: session.cursor,
    warnings: [],
    wholes: new Map(),
    facts: { ...session.entered.facts },
  };
  const unlimited = createBudget(engine, Number.POSITIVE_INFINITY);
  let total = 0;
  let exact = true;
  for await (const part of partsOf(engine, whole, unlimited)) {
    if (part.kind !== 'text') continue;
    const view = viewOf(part);
    // Past 4 MiB counting is dropped for the bound that always holds: a token is at least one byte.
    if (total > 4 * 1024 * 1024) exact = false;
    total += exact ? engine.counter.count(view) : Buffer.byteLength(view);
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
    for await (const part of partsOf(engine, session, createBudget(engine, Number.POSITIVE_INFINITY))) {
      throwIfAborted(signal);
      yield part;
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
    const session = await startSession(engine, opened, { all: true }, signal);
    if (!session.processor.keeps)
      throw new ReaderError(
        'BAD_INPUT',
        `${quoted(session.source.name)} is read as ${session.processor.name}, of which no conversion is kept.`,
        'Read the file itself.',
      );
    session.onlyKept = true;
    for await (const part of partsOf(engine, session, createBudget(engine, Number.POSITIVE_INFINITY)))
      if (part.kind === 'text') yield part.text;
  } catch (error) {
    throw asReaderError(error);
  } finally {
    await opened.close();
  }
}

/** `==> name <==`, as head and tail print it. */
const headingOf = (name: string): string => `==> ${name} <==\n`;

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
