// The reader's end of the channel to one leased child: sends the file, answers the child's questions, and validates its
// messages. `session.ts` interprets the answers.

import {
  described,
  HTTP_STATUS,
  ReaderError,
  recognized,
  type SeenPicture,
  type Source,
  throwIfAborted,
} from '../../contract/index.ts';
import { ChildEnded, type Lease } from '../../isolation/index.ts';
import { contentCache } from '../conversion.ts';
import type { Engine } from '../engine.ts';
import { asReaderError } from '../failure.ts';
import type { ReadRequest } from '../request.ts';
import { FileSource } from '../source/file.ts';
import type { Opened } from '../source/open.ts';
import { Meter, watched } from '../source/watched.ts';
import {
  type Answer,
  type Asked,
  type Command,
  checkSaid,
  type Look,
  type Question,
  type Reply,
  type StartCommand,
} from './messages.ts';

/** Files up to this size are sent whole, which is faster than in pieces. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Maximum bytes per question. */
const MAX_PIECE_BYTES = 1024 * 1024;
/** Maximum bytes one read may put into the cache, so that it cannot evict other entries; the rest is dropped. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Overhead of an entry besides its bytes. */
const ENTRY_BYTES = 4096;

/** The child's answer to a start. */
export type Started = Extract<Answer, { kind: 'started' }>;

/** An answer and its body. */
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
  readonly #signal: AbortSignal;
  /** Where the progress of the read is reported. */
  readonly meter: Meter | undefined;
  readonly #cache: ReturnType<typeof contentCache>;
  /** The child is waiting for a command. */
  #idle = true;
  /** At least one part has arrived. */
  given = false;
  /** Bytes the child has put into the cache. */
  #kept = 0;
  #ended = false;

  constructor(lease: Lease, engine: Engine, opened: Opened, { onProgress, signal }: ReadRequest) {
    this.lease = lease;
    this.#engine = engine;
    this.#opened = opened;
    this.meter = onProgress && new Meter(onProgress, opened.source.size);
    this.#source = this.meter ? watched(opened.source, this.meter) : opened.source;
    this.#signal = signal ?? new AbortController().signal;
    this.#cache = contentCache(engine, opened.source, this.#signal);
  }

  /** Sends the file, or its location. @throws {ChildEnded} @throws {ReaderError} */
  async start(
    { signal: _signal, said: _said, onProgress: _onProgress, ...request }: ReadRequest,
    searched: boolean,
  ): Promise<Started> {
    const { source, modified, entry, fragment } = this.#opened;
    const { name, mimeType, size } = source;
    const command: Command = {
      kind: 'start',
      request,
      user: this.#engine.user,
      limits: this.#engine.limits,
      tokenizer: this.#engine.counter.encoding,
      file: {
        name,
        ...(mimeType !== undefined && { mimeType }),
        size,
        ...(source.remote === true && { remote: true as const }),
        ...(modified && { modified: modified.getTime() }),
        ...(entry !== undefined && { entry }),
        ...(fragment !== undefined && { fragment }),
        ...(size > WHOLE_BYTES && (await this.#held())),
      },
      cached: this.#engine.cache !== undefined,
      searched,
      ...(this.#engine.redactor && {
        redactKey: Buffer.from(this.#engine.redactor.key).toString('base64'),
      }),
      ...(this.#engine.ocr && { ocr: this.#engine.ocr.name }),
      ...(this.#engine.describer && { describer: this.#engine.describer.name }),
    };
    const whole = size <= WHOLE_BYTES ? await this.#source.read(0, size) : undefined;
    const { answer } = await this.ask(command, whole);
    if (answer.kind !== 'started') throw this.distrust();
    return answer;
  }

  /** The path of an open file, unless read progress must be reported. */
  async #held(): Promise<Pick<StartCommand['file'], 'held'>> {
    const source = this.#source;
    if (!(source instanceof FileSource)) return {};
    const path = await source.path();
    return path === undefined ? {} : { held: { path, identity: await source.identity() } };
  }

  /** Releases the child. */
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

  /**
   * Sends a command, and answers the child's questions until its answer arrives. @throws {ChildEnded} @throws
   * {ReaderError}
   */
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
        await this.lease.send(...(await this.#answer(said, message.body)));
      }
    } catch (error) {
      if (error instanceof ChildEnded) this.lease.report(error.ending, !this.given);
      throw error;
    }
  }

  /** Looking at a picture has its own deadline; other work requested by the child counts against its time. */
  #answer(question: Asked<Question>, body: Uint8Array): Promise<readonly [Reply, Uint8Array?]> {
    return question.kind === 'recognize' || question.kind === 'describe'
      ? this.#look(question, body)
      : this.#charged(() => this.#reply(question, body));
  }

  async #look(
    { kind, id, mimeType, width, height }: Asked<Look>,
    data: Uint8Array,
  ): Promise<readonly [Reply]> {
    const { ocr, describer } = this.#engine;
    const picture: SeenPicture = { data, mimeType, width, height };
    const reply = { kind: 'reply', id, found: true } as const;
    try {
      if (kind === 'recognize' && ocr)
        return [{ ...reply, lines: await recognized(ocr, picture, this.#signal) }];
      if (kind === 'describe' && describer)
        return [{ ...reply, description: await described(describer, picture, this.#signal) }];
      throw this.distrust();
    } catch (error) {
      throwIfAborted(this.#signal);
      const { code, message, hint } = asReaderError(error);
      return [{ ...reply, found: false, failure: { code, message, hint } }];
    }
  }

  /** Work requested by the child counts against its time. */
  async #charged<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.lease.charge(performance.now() - started);
    }
  }

  async #reply(
    question: Asked<Exclude<Question, Look>>,
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

  /** The child sent an invalid message: it is replaced, and its further messages are ignored. */
  distrust(): ReaderError {
    this.#idle = false;
    this.lease.report('CRASHED', true);
    return new ReaderError(
      'CRASHED',
      'The process that read the file sent an invalid answer.',
      'Repair the file with the program that wrote it, or read another file.',
    );
  }
}
