// A file under way: opened, entered and detected, with everything its processor reports on the way to an answer.

import type { ConversionCache } from '../cache/index.ts';
import {
  type Budget,
  type Encoding,
  type Files,
  type Limits,
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  type Processor,
  ReaderError,
  type Source,
  type TextPart,
  type TextSource,
  UNPAIRED_SURROGATES,
  type Warning,
  type Whole,
  wellFormed,
} from '../contract/index.ts';
import type { Pool } from '../isolation/index.ts';
import { MEDIA_TOOLS } from '../media/index.ts';
import type { TokenCounter } from '../tokens/index.ts';
import { createBudget } from './budget.ts';
import { conversionOf } from './conversion.ts';
import { type Cursor, checkOverflow, readCursor } from './cursor.ts';
import { decode } from './decode.ts';
import { type Detected, detect } from './detect.ts';
import { type Entered, enter } from './enter.ts';
import type { Opened } from './open.ts';
import { mimeOf, type Registry } from './registry.ts';
import { checkRequest, checkSelects, mergeKept, type ReadRequest, toSelection } from './request.ts';
import { watched } from './source.ts';

/** What one reader works with, all its calls alike. */
export interface Engine {
  readonly registry: Registry;
  readonly limits: Limits;
  readonly counter: TokenCounter;
  readonly cache: ConversionCache | undefined;
  /** Where paths lead; undefined for the host's own. */
  readonly files: Files | undefined;
  /** Where files are read; undefined for this process. */
  readonly pool: Pool | undefined;
  /** Whose turn it is when the pool is busy. */
  readonly user: string;
}

/** Where the parts of a session come from when another process reads the file. */
export interface RemoteParts {
  parts(budget: Budget): AsyncIterable<Part>;
  lines(budget: Budget): AsyncIterable<OutlineLine>;
  /** Starts the clock of the answer again: what was read so far has been handed on. */
  progressed(): void;
  /** Gives the process back. */
  end(): Promise<void>;
}

/** A file under way: opened, detected, with everything its processor reports. */
export interface Session {
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
  encoding: Encoding | undefined;
  readonly signal: AbortSignal;
  text: Promise<TextSource> | undefined;
  /** Bytes of the file as UTF-8, once it has been decoded. */
  textSize: number | undefined;
  /** Why the process that read the file ended after it had given parts. */
  interrupted: ReaderError | undefined;
  /** Converts nothing. */
  readonly onlyKept: boolean;
  /** Set when another process reads the file. */
  readonly remote?: RemoteParts;
}

/** Enters and detects what was opened, and puts the request together with what its cursor kept. */
export async function startHere(
  engine: Engine,
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
  onlyKept: boolean,
): Promise<Session> {
  const outer = request.onProgress ? watched(opened.source, request.onProgress) : opened.source;
  const entered = await enter(opened, outer, engine.registry, engine.limits, signal);
  const { source, listed } = entered;
  const { cursor, whole } = await continued(request, source);
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
    textSize: undefined,
    interrupted: undefined,
    onlyKept,
  };
}

/** The request with what its cursor kept. @throws {ReaderError} BAD_INPUT, STALE_CURSOR */
export async function continued(
  request: ReadRequest,
  source: Source,
): Promise<{ readonly cursor: Cursor | undefined; readonly whole: ReadRequest }> {
  if (request.cursor === undefined) return { cursor: undefined, whole: request };
  const cursor = readCursor(request.cursor, await source.identity());
  const whole = mergeKept(request, cursor.kept);
  checkOverflow(request, cursor);
  checkRequest(whole);
  return { cursor, whole };
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

/** What a processor is handed for one answer. */
function contextFor(engine: Engine, session: Session, budget: Budget, outline = false): ProcessContext {
  const { request, signal } = session;
  return {
    selection: {
      ...toSelection(request),
      ...(session.entered.listed && { folder: session.entered.listed.folder }),
      // An answer that held nothing leaves an empty position: its cursor makes the same request again.
      ...(session.cursor &&
        session.cursor.walk !== 'outline' &&
        session.cursor.position.length > 0 && { resume: session.cursor.position }),
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
  session.textSize = decoded.source.size;
  return decoded.source;
}

/** The processor's parts as UTF-8 can hold them. */
export async function* partsOf(engine: Engine, session: Session, budget: Budget): AsyncGenerator<Part> {
  for await (const part of processed(engine, session, budget))
    yield part.kind === 'text' ? wellFormedPart(session, part) : part;
}

/** The parts of the whole file, each in a time of its own. @throws {ReaderError} also when its process ended between two parts */
export async function* wholeOf(engine: Engine, session: Session): AsyncGenerator<Part> {
  for await (const part of partsOf(engine, session, createBudget(engine, Number.POSITIVE_INFINITY))) {
    yield part;
    session.remote?.progressed();
  }
  if (session.interrupted) throw session.interrupted;
}

function wellFormedPart(session: Session, part: TextPart): TextPart {
  const text = encodable(session, part.text);
  const view = part.view === undefined ? undefined : encodable(session, part.view);
  if (text === part.text && view === part.view) return part;
  return { ...part, text, ...(view !== undefined && { view }) };
}

/** `text` with U+FFFD for every unpaired surrogate, which an escape in a file may stand for, and a warning. */
function encodable(session: Session, text: string): string {
  const whole = wellFormed(text);
  if (whole !== text && !session.warnings.includes(UNPAIRED_SURROGATES))
    session.warnings.push(UNPAIRED_SURROGATES);
  return whole;
}

/** A textual file that is not what it claims starts over as text, with the reason. */
async function* processed(engine: Engine, session: Session, budget: Budget): AsyncGenerator<Part> {
  if (session.remote) {
    yield* session.remote.parts(budget);
    return;
  }
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

/** The lines of the processor's outline as UTF-8 can hold them; none where its format has none. */
export async function* linesOf(
  engine: Engine,
  session: Session,
  budget: Budget,
): AsyncGenerator<OutlineLine> {
  const lines = session.remote
    ? session.remote.lines(budget)
    : session.processor.outline?.(session.source, contextFor(engine, session, budget, true));
  for await (const line of lines ?? []) yield { ...line, text: encodable(session, line.text) };
}
