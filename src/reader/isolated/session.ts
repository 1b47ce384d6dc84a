// A session whose file is read in a child process: the same values as in this process, and a converter that asks the
// child.

import { createHash } from 'node:crypto';
import {
  type Budget,
  type MimeType,
  type OutlineLine,
  type Part,
  ReaderError,
  type Source,
} from '../../contract/index.ts';
import { ChildEnded, type Pool } from '../../isolation/index.ts';
import type { Converted, Converter } from '../converter.ts';
import type { Engine } from '../engine.ts';
import { located } from '../located.ts';
import type { ReadRequest } from '../request.ts';
import { continued, type Session } from '../session.ts';
import { extensionOf } from '../source/input.ts';
import type { Opened } from '../source/open.ts';
import { type Heard, Link, type Started } from './link.ts';
import type { Command, News, Outlines, State } from './messages.ts';
import { unpacked } from './part.ts';

/** Bytes at each end of a file that, with its size, identify its content to the pool. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * Starts a session in a process of the pool.
 * @throws {ReaderError} errors of opening and detecting, BUSY, TIMED_OUT, OUT_OF_MEMORY, CRASHED
 */
export async function startRemote(
  engine: Engine & { readonly pool: Pool },
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
  searched: boolean,
): Promise<Session> {
  const content = await contentKey(opened.source);
  const { user, pool, registry } = engine;
  const family = registry.byExtension(extensionOf(opened.entry ?? opened.source.name))?.name ?? '';
  const lease = await pool.lease({ signal, user, content, family });
  const link = new Link(lease, engine, opened, request);
  try {
    const started = await link.start(request, searched);
    return await sessionOf(engine, opened, link, started, request, signal);
  } catch (error) {
    await link.end();
    throw error instanceof ChildEnded ? error.asReaderError() : error;
  }
}

/** Identifies the content before all of it has been read. */
async function contentKey(source: Source): Promise<string> {
  const hash = createHash('sha256').update(`${source.size} `);
  hash.update(await source.read(0, SAMPLE_BYTES));
  hash.update(await source.read(Math.max(0, source.size - SAMPLE_BYTES), SAMPLE_BYTES));
  return hash.digest('hex');
}

async function sessionOf(
  engine: Engine,
  opened: Opened,
  link: Link,
  { detected: name, mimeType, file, entered, state }: Started,
  given: ReadRequest,
  signal: AbortSignal,
): Promise<Session> {
  const processor = engine.registry.byProcessorName(name);
  if (!processor) throw link.distrust();
  const source = { ...file, identity: () => Promise.resolve(file.identity) };
  const { cursor, whole } = await continued(given, source, opened);
  // Fills metadata only; the child has chosen the processor.
  const detected = { processor, mimeType: mimeType as MimeType };
  const { modified, ...rest } = entered;
  return {
    opened,
    entered: { ...rest, source, modified: modified === undefined ? undefined : new Date(modified) },
    detected,
    request: located(whole, cursor, entered, detected, engine.registry),
    cursor,
    signal,
    converter: new RemoteConverter(engine, link, state),
  };
}

/**
 * A converter whose file is read by a child. If the child dies after its first part, the answer ends there; before it,
 * the read fails.
 */
class RemoteConverter implements Converter {
  readonly #engine: Engine;
  readonly #link: Link;
  #state: State;
  #interrupted: ReaderError | undefined;

  constructor(engine: Engine, link: Link, state: State) {
    this.#engine = engine;
    this.#link = link;
    this.#state = state;
  }

  async *parts(budget: Budget): AsyncGenerator<Part> {
    try {
      for await (const { answer, body } of this.#answers('parts', budget)) {
        if (answer.kind !== 'part') throw this.#link.distrust();
        const part = unpacked(answer.part, body);
        if (!part) throw this.#link.distrust();
        this.#link.given = true;
        this.#link.meter?.part(part, this.#state.facts);
        yield part;
      }
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error;
      const ended = error.asReaderError();
      if (!this.#link.given) throw ended;
      this.#interrupted = ended;
    }
  }

  async *lines(budget: Budget, brief = false): AsyncGenerator<OutlineLine> {
    // All outline lines are held before the first is shown.
    let room = this.#engine.limits.maxBytesInMemory / 4;
    try {
      for await (const { answer } of this.#answers(brief ? 'brief outline' : 'outline', budget)) {
        if (answer.kind !== 'lines') throw this.#link.distrust();
        for (const line of answer.lines) room -= sizeOf(line);
        if (room < 0) throw tooLong('outline');
        yield* answer.lines;
      }
    } catch (error) {
      throw error instanceof ChildEnded ? error.asReaderError() : error;
    }
  }

  converted(): Converted {
    const { processor: name, warnings, ...rest } = this.#state;
    const processor = this.#engine.registry.byProcessorName(name);
    if (!processor) throw this.#link.distrust();
    const ended = this.#interrupted;
    if (!ended) return { ...rest, processor, warnings };
    const message = `${ended.message} The answer shows what was read before.`;
    return {
      ...rest,
      processor,
      warnings: [...warnings, { code: 'INTERRUPTED', message }],
      interrupted: ended,
    };
  }

  progressed(): void {
    this.#link.lease.restart();
  }

  end(): Promise<void> {
    return this.#link.end();
  }

  /** The child's answers to one command and each following `next`. @throws {ChildEnded} @throws {ReaderError} */
  async *#answers(kind: 'parts' | Outlines, budget: Budget): AsyncGenerator<Heard> {
    const { tokens, tokensBesideNotes, characters, charactersBesideNotes } = budget;
    const room = { tokens, tokensBesideNotes, characters, charactersBesideNotes };
    let command: Command = { kind, room: tokens === Number.POSITIVE_INFINITY ? null : room };
    let finished = false;
    try {
      for (;;) {
        finished = true;
        const heard = await this.#link.ask(command);
        const { answer } = heard;
        if (answer.kind !== 'started' && 'state' in answer) this.#learn(answer.state);
        if (answer.kind === 'done') return;
        finished = false;
        yield heard;
        command = { kind: 'next' };
      }
    } finally {
      if (!finished) await this.#stop();
    }
  }

  /** @throws {ReaderError} LIMIT_EXCEEDED */
  #learn({ wholes, ...news }: News = {}): void {
    this.#state = { ...this.#state, ...news, wholes: this.#state.wholes };
    if (!wholes) return;
    const held = [...this.#state.wholes.slice(0, wholes.from), ...wholes.wholes];
    const characters = held.reduce((sum, { name = '' }) => sum + LINE_COST + name.length, 0);
    if (characters > this.#engine.limits.maxBytesInMemory / 4) throw tooLong('list of contents');
    this.#state = { ...this.#state, wholes: held };
  }

  async #stop(): Promise<void> {
    try {
      const { answer } = await this.#link.ask({ kind: 'stop' });
      if (answer.kind === 'done') this.#learn(answer.state);
    } catch {
      // The child is gone or failing: keep what it sent before; `end` deals with the child.
    }
  }
}

/** Memory of an outline line besides its text, in characters. */
const LINE_COST = 64;
const sizeOf = ({ text, short = '', name = '', around = ['', ''] }: OutlineLine): number =>
  LINE_COST + text.length + short.length + name.length + around[0].length + around[1].length;

const tooLong = (what: string): ReaderError =>
  new ReaderError(
    'LIMIT_EXCEEDED',
    `The ${what} is too large to hold in memory (limit \`maxBytesInMemory\`).`,
    what === 'outline' ? 'Read the content instead of the outline.' : 'Ask for a smaller part of the file.',
  );
