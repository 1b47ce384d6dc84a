// The reader's end of a session in a child process: hands over the file, answers what the child asks, and checks what it
// says. When the child dies after its first part the answer ends there; before it, the read fails.

import { createHash } from 'node:crypto';
import {
  type Budget,
  HTTP_STATUS,
  type MimeType,
  type OutlineLine,
  type Part,
  type Processor,
  ReaderError,
  type Source,
} from '../../contract/index.ts';
import { ChildEnded, type Lease, type Pool } from '../../isolation/index.ts';
import { contentCache } from '../conversion.ts';
import { extensionOf, type Opened } from '../open.ts';
import type { ReadRequest } from '../request.ts';
import { continued, type Engine, type Session } from '../session.ts';
import { FileSource, watched } from '../source.ts';
import {
  type Answer,
  type Command,
  checkSaid,
  type Reply,
  type Said,
  type StartCommand,
  type State,
} from './messages.ts';
import { unpacked } from './part.ts';

/** Files up to this many bytes are handed over whole: faster than asking for pieces. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** The most that one question may ask for. */
const MAX_PIECE_BYTES = 1024 * 1024;
/** The most that one read may put into the cache, so that it cannot push out what others keep; the rest is dropped. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** What an entry costs beside its bytes. */
const ENTRY_BYTES = 4096;
/** What of a file names its content to the pool: its size and both ends. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * Starts a session in a process of the pool.
 * @throws {ReaderError} what opening and detecting throw, BUSY, TIMED_OUT, OUT_OF_MEMORY, CRASHED
 */
export async function startRemote(
  engine: Engine & { readonly pool: Pool },
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
  onlyKept: boolean,
): Promise<Session> {
  const content = await contentKey(opened.source);
  const { user, pool, registry } = engine;
  const family = registry.byExtension(extensionOf(opened.entry ?? opened.source.name))?.name ?? '';
  const lease = await pool.lease({ signal, user, content, family });
  const link = new Link(lease, engine, opened, request);
  try {
    return await link.start(request, signal, onlyKept);
  } catch (error) {
    await link.end();
    throw error instanceof ChildEnded ? error.asReaderError() : error;
  }
}

/** Names the content before it has been read as a whole. */
async function contentKey(source: Source): Promise<string> {
  const hash = createHash('sha256').update(`${source.size} `);
  hash.update(await source.read(0, SAMPLE_BYTES));
  hash.update(await source.read(Math.max(0, source.size - SAMPLE_BYTES), SAMPLE_BYTES));
  return hash.digest('hex');
}

interface Heard {
  readonly answer: Answer;
  readonly body: Uint8Array;
}

/** One leased child during one session. */
class Link {
  readonly #lease: Lease;
  readonly #engine: Engine;
  readonly #opened: Opened;
  readonly #source: Source;
  readonly #cache: ReturnType<typeof contentCache>;
  /** The child waits for a command. */
  #idle = true;
  /** A part has arrived. */
  #given = false;
  /** Bytes that the child has put into the cache. */
  #kept = 0;
  #ended = false;

  constructor(lease: Lease, engine: Engine, opened: Opened, { onProgress, signal }: ReadRequest) {
    this.#lease = lease;
    this.#engine = engine;
    this.#opened = opened;
    this.#source = onProgress ? watched(opened.source, onProgress) : opened.source;
    this.#cache = contentCache(engine.cache, opened.source, signal ?? new AbortController().signal);
  }

  async start(
    { signal: _signal, onProgress: _onProgress, ...request }: ReadRequest,
    signal: AbortSignal,
    onlyKept: boolean,
  ): Promise<Session> {
    const { source, modified, entry } = this.#opened;
    const { name, mimeType, size } = source;
    const command: Command = {
      kind: 'start',
      request,
      limits: this.#engine.limits,
      tokenizer: this.#engine.counter.encoding,
      file: {
        name,
        ...(mimeType !== undefined && { mimeType }),
        size,
        ...(modified && { modified: modified.getTime() }),
        ...(entry !== undefined && { entry }),
        ...(size > WHOLE_BYTES && (await this.#held())),
      },
      cached: this.#engine.cache !== undefined,
      onlyKept,
    };
    const whole = size <= WHOLE_BYTES ? await this.#source.read(0, size) : undefined;
    const { answer } = await this.#ask(command, whole);
    if (answer.kind !== 'started') throw this.#distrust();
    return this.#session(answer, request, signal, onlyKept);
  }

  /** The path of an open file, unless somebody wants to know how much of it has been read. */
  async #held(): Promise<Pick<StartCommand['file'], 'held'>> {
    const source = this.#source;
    if (!(source instanceof FileSource)) return {};
    const path = await source.path();
    return path === undefined ? {} : { held: { path, identity: await source.identity() } };
  }

  async #session(
    answer: Extract<Answer, { kind: 'started' }>,
    request: ReadRequest,
    signal: AbortSignal,
    onlyKept: boolean,
  ): Promise<Session> {
    const { entered, file } = answer;
    const modified = entered.modified === undefined ? undefined : new Date(entered.modified);
    const detected = this.#processor(answer.detected);
    // Only what names and measures the file: its bytes are read in the child.
    const source: Source = { ...UNREADABLE, ...file, identity: () => Promise.resolve(file.identity) };
    const { cursor, whole } = await continued(request, source);
    const session: Session = {
      opened: this.#opened,
      entered: {
        source,
        name: entered.name,
        bytes: entered.bytes,
        modified,
        limits: this.#engine.limits,
        facts: entered.facts,
        warnings: [],
      },
      source,
      processor: detected,
      // A type for metadata; nothing is chosen by it here.
      detected: { processor: detected, mimeType: answer.mimeType as MimeType, warnings: [] },
      request: whole,
      cursor,
      warnings: [],
      wholes: new Map(),
      facts: {},
      encoding: undefined,
      signal,
      text: undefined,
      textSize: undefined,
      interrupted: undefined,
      onlyKept,
      remote: {
        parts: (budget) => this.#parts(session, budget),
        lines: (budget) => this.#lines(session, budget),
        progressed: () => this.#lease.restart(),
        end: () => this.end(),
      },
    };
    this.#apply(session, answer.state);
    return session;
  }

  async *#parts(session: Session, budget: Budget): AsyncGenerator<Part> {
    try {
      for await (const { answer, body } of this.#answers(session, 'parts', budget)) {
        if (answer.kind !== 'part') throw this.#distrust();
        const part = unpacked(answer.part, body);
        if (!part) throw this.#distrust();
        this.#given = true;
        yield part;
      }
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error;
      const ended = error.asReaderError();
      if (!this.#given) throw ended;
      session.interrupted = ended;
      session.warnings.push({
        code: 'INTERRUPTED',
        message: `${ended.message} What was read before is shown.`,
      });
    }
  }

  async *#lines(session: Session, budget: Budget): AsyncGenerator<OutlineLine> {
    // All lines of an outline are held before the first is shown.
    let room = this.#engine.limits.maxBytesInMemory / 4;
    try {
      for await (const { answer } of this.#answers(session, 'outline', budget)) {
        if (answer.kind !== 'lines') throw this.#distrust();
        for (const { text } of answer.lines) room -= text.length + LINE_COST;
        if (room < 0) throw outlineTooLong();
        yield* answer.lines;
      }
    } catch (error) {
      throw error instanceof ChildEnded ? error.asReaderError() : error;
    }
  }

  /** What the child gives for one command and each `next` after it. @throws {ChildEnded} @throws {ReaderError} */
  async *#answers(session: Session, kind: 'parts' | 'outline', budget: Budget): AsyncGenerator<Heard> {
    const unlimited = budget.tokens === Number.POSITIVE_INFINITY;
    let command: Command = { kind, tokens: unlimited ? null : budget.tokens };
    let finished = false;
    try {
      for (;;) {
        finished = true;
        const heard = await this.#ask(command);
        const { answer } = heard;
        if ('state' in answer && answer.state) this.#apply(session, answer.state);
        if (answer.kind === 'done') return;
        finished = false;
        yield heard;
        command = { kind: 'next' };
      }
    } finally {
      if (!finished) await this.#stop(session);
    }
  }

  async #stop(session: Session): Promise<void> {
    try {
      const { answer } = await this.#ask({ kind: 'stop' });
      if (answer.kind === 'done' && answer.state) this.#apply(session, answer.state);
    } catch {
      // The child is gone or fails: the answer is what it gave before, and `end` sees to the child.
    }
  }

  /** Gives the child back. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const clean =
      this.#idle &&
      (await this.#ask({ kind: 'end' }).then(
        ({ answer }) => answer.kind === 'ended',
        () => false,
      ));
    await this.#lease.release(clean);
  }

  /** Sends a command and answers the child's questions until it answers. @throws {ChildEnded} @throws {ReaderError} */
  async #ask(command: Command, body?: Uint8Array): Promise<Heard> {
    if (!this.#idle) throw new ChildEnded('CRASHED');
    this.#idle = false;
    try {
      await this.#lease.send(command, body);
      for (;;) {
        const message = await this.#lease.receive();
        const said = checkSaid(message.head);
        if (!said) throw this.#distrust();
        if (!('id' in said)) {
          this.#idle = true;
          if (said.kind === 'failed') throw this.#failure(said);
          return { answer: said, body: message.body };
        }
        await this.#lease.send(...(await this.#charged(() => this.#reply(said, message.body))));
      }
    } catch (error) {
      if (error instanceof ChildEnded) this.#lease.report(error.ending, !this.#given);
      throw error;
    }
  }

  /** Work that the child asked for, on its time. */
  async #charged<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#lease.charge(performance.now() - started);
    }
  }

  async #reply(
    question: Extract<Said, { id: number }>,
    body: Uint8Array,
  ): Promise<readonly [Reply, Uint8Array?]> {
    const reply = { kind: 'reply', id: question.id, found: true } as const;
    switch (question.kind) {
      case 'read': {
        const length = Math.min(question.length, MAX_PIECE_BYTES);
        return [reply, await this.#source.read(question.position, length)];
      }
      case 'identity':
        return [{ ...reply, identity: await this.#source.identity() }];
      case 'get': {
        const bytes = await this.#cache.get(question.key);
        return bytes ? [reply, bytes] : [{ ...reply, found: false }];
      }
      case 'put':
        this.#kept += body.length + ENTRY_BYTES;
        if (this.#kept <= MAX_KEPT_BYTES) await this.#cache.put(question.key, body);
        return [reply];
    }
  }

  #failure({ code, message, hint }: Extract<Answer, { kind: 'failed' }>): ReaderError {
    return Object.hasOwn(HTTP_STATUS, code) ? new ReaderError(code, message, hint) : this.#distrust();
  }

  /** The child said what it must not say: it is replaced, and what it says next is not heard. */
  #distrust(): ReaderError {
    this.#idle = false;
    this.#lease.report('CRASHED', true);
    return new ReaderError(
      'CRASHED',
      'The process that read the file sent an answer that is not valid.',
      'Repair the file with the program that wrote it, or read another file.',
    );
  }

  #processor(name: string): Processor {
    const processor = this.#engine.registry.byProcessorName(name);
    if (!processor) throw this.#distrust();
    return processor;
  }

  #apply(session: Session, state: State): void {
    session.processor = this.#processor(state.processor);
    session.warnings.splice(0, session.warnings.length, ...state.warnings);
    session.wholes.clear();
    for (const whole of state.wholes) session.wholes.set(`${whole.unit}\u0000${whole.name ?? ''}`, whole);
    session.facts = { ...state.facts };
    session.encoding = state.encoding;
    session.textSize = state.textSize;
  }
}

/** Characters' worth of what a line of an outline takes beside its text. */
const LINE_COST = 64;

function outlineTooLong(): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    'The outline is larger than may be held (limit `maxBytesInMemory`).',
    'Read the content instead of the outline.',
  );
}

const elsewhere = (): never => {
  throw new Error('This file is read in another process.');
};

const UNREADABLE: Omit<Source, 'name' | 'size' | 'identity'> = {
  extension: '',
  mimeType: undefined,
  read: elsewhere,
  readInto: elsewhere,
  chunks: elsewhere,
  bytes: elsewhere,
};
