// The reader's end of the channel to one leased child: hands over the file, answers what the child asks, and checks what it
// says. What the answers mean is `session.ts`.

import { HTTP_STATUS, ReaderError, type Source } from '../../contract/index.ts';
import { ChildEnded, type Lease } from '../../isolation/index.ts';
import { contentCache } from '../conversion.ts';
import type { Engine } from '../engine.ts';
import type { ReadRequest } from '../request.ts';
import { FileSource } from '../source/file.ts';
import type { Opened } from '../source/open.ts';
import { Meter, watched } from '../source/watched.ts';
import {
  type Answer,
  type Command,
  checkSaid,
  type Reply,
  type Said,
  type StartCommand,
} from './messages.ts';

/** Files up to this many bytes are handed over whole: faster than asking for pieces. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** The most that one question may ask for. */
const MAX_PIECE_BYTES = 1024 * 1024;
/** The most that one read may put into the cache, so that it cannot push out what others keep; the rest is dropped. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** What an entry costs beside its bytes. */
const ENTRY_BYTES = 4096;

/** The child's answer to a start. */
export type Started = Extract<Answer, { kind: 'started' }>;

/** An answer, and the bytes that came with it. */
export interface Heard {
  readonly answer: Answer;
  readonly body: Uint8Array;
}

/** One leased child during one session. */
export class Link {
  readonly lease: Lease;
  readonly #engine: Engine;
  readonly #opened: Opened;
  readonly #source: Source;
  readonly #cache: ReturnType<typeof contentCache>;
  /** The child waits for a command. */
  #idle = true;
  /** A part has arrived. */
  given = false;
  /** Bytes that the child has put into the cache. */
  #kept = 0;
  #ended = false;

  constructor(lease: Lease, engine: Engine, opened: Opened, { onProgress, signal }: ReadRequest) {
    this.lease = lease;
    this.#engine = engine;
    this.#opened = opened;
    this.#source = onProgress
      ? watched(opened.source, new Meter(onProgress, opened.source.size))
      : opened.source;
    this.#cache = contentCache(engine.cache, opened.source, signal ?? new AbortController().signal);
  }

  /** Sends the file, or says where it is. @throws {ChildEnded} @throws {ReaderError} */
  async start(
    { signal: _signal, onProgress: _onProgress, ...request }: ReadRequest,
    onlyCached: boolean,
  ): Promise<Started> {
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
      onlyCached,
    };
    const whole = size <= WHOLE_BYTES ? await this.#source.read(0, size) : undefined;
    const { answer } = await this.ask(command, whole);
    if (answer.kind !== 'started') throw this.distrust();
    return answer;
  }

  /** The path of an open file, unless somebody wants to know how much of it has been read. */
  async #held(): Promise<Pick<StartCommand['file'], 'held'>> {
    const source = this.#source;
    if (!(source instanceof FileSource)) return {};
    const path = await source.path();
    return path === undefined ? {} : { held: { path, identity: await source.identity() } };
  }

  /** Gives the child back. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const clean =
      this.#idle &&
      (await this.ask({ kind: 'end' }).then(
        ({ answer }) => answer.kind === 'ended',
        () => false,
      ));
    await this.lease.release(clean);
  }

  /** Sends a command and answers the child's questions until it answers. @throws {ChildEnded} @throws {ReaderError} */
  async ask(command: Command, body?: Uint8Array): Promise<Heard> {
    if (!this.#idle) throw new ChildEnded('CRASHED');
    this.#idle = false;
    try {
      await this.lease.send(command, body);
      for (;;) {
        const message = await this.lease.receive();
        const said = checkSaid(message.head);
        if (!said) throw this.distrust();
        if (!('id' in said)) {
          this.#idle = true;
          if (said.kind === 'failed') throw this.#failure(said);
          return { answer: said, body: message.body };
        }
        await this.lease.send(...(await this.#charged(() => this.#reply(said, message.body))));
      }
    } catch (error) {
      if (error instanceof ChildEnded) this.lease.report(error.ending, !this.given);
      throw error;
    }
  }

  /** Work that the child asked for, on its time. */
  async #charged<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.lease.charge(performance.now() - started);
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
    return Object.hasOwn(HTTP_STATUS, code) ? new ReaderError(code, message, hint) : this.distrust();
  }

  /** The child said what it must not say: it is replaced, and what it says next is not heard. */
  distrust(): ReaderError {
    this.#idle = false;
    this.lease.report('CRASHED', true);
    return new ReaderError(
      'CRASHED',
      'The process that read the file sent an answer that is not valid.',
      'Repair the file with the program that wrote it, or read another file.',
    );
  }
}
