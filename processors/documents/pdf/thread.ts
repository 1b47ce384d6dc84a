// The host side of the pdf.js thread: sends it bytes, waits with a deadline, and terminates it if it hangs, grows too
// large or is no longer needed. Independent of pages.

import type { Worker } from 'node:worker_threads';
import { ReaderError, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { dataFile } from './data-files.ts';
import { keepWorker, type TakenWorker, takeWorker } from './idle-worker.ts';
import type { Answers, FromThread, Need, Request, ToThread } from './messages.ts';
import type { Mode } from './open.ts';
import { keepProgram } from './program.ts';

/** Maximum growth of the whole process, in bytes, during one request; nothing else limits bytes outside the heap. */
const MOST_GROWTH = 3 * 2 ** 28;
const LOOK_EVERY_MS = 25;
/** Maximum time to load our own modules on a busy machine; the thread is then terminated too. */
const MOST_LOADING_MS = 10_000;
/** Maximum time to close a document; the thread is then terminated. */
const MOST_CLOSING_MS = 1000;
/** Files up to this size in bytes are passed whole, which is faster than by ranges. */
const WHOLE_BYTES = 8 * 2 ** 20;

/** Share of the deadline for a page that is read as plain text: it has used its time once already. */
const PLAIN_SHARE = 0.5;

/** How a thread was brought down. */
export type Ending = 'hung' | 'memory' | 'crashed';

/** The thread is gone; `page` is what it was processing, 0 for the document as a whole. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly ending: Ending;
  readonly page: number;

  constructor(ending: Ending, page: number) {
    super(`The thread ended: ${ending}.`);
    this.ending = ending;
    this.page = page;
  }
}

/** An error thrown by pdf.js, with its own name. */
export class PdfFailure extends Error {
  override readonly name: string;

  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface ThreadOptions {
  readonly source: Source;
  readonly signal: AbortSignal;
  /** Per page, and per request that is not about one page. */
  readonly deadlineMs: number;
  /** Maximum bytes passed for one document; a damaged one requests all of it. */
  readonly maxBytes: number;
  readonly mode: Mode;
}

type Closed = Extract<FromThread, { kind: 'closed' }>;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A thread while it has one document; handles one request at a time. Must be closed in any case. One that reads pages is
 * kept for the next document for a while, unless it was brought down.
 */
export class PdfThread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  #waiting: Waiting | undefined;
  #ended: unknown;
  #page = 0;
  #deadline = 0;
  #share = 1;
  #reading = 0;
  #given = 0;
  #startSize = 0;
  #watch: NodeJS.Timeout | undefined;
  /** Number of `loaded` messages the thread still has to send. */
  #loading: number;
  #whenLoaded: (() => void) | undefined;
  #whenClosed: ((closed: Closed) => void) | undefined;
  #stopped: Promise<void> | undefined;
  readonly #onMessage = (message: FromThread): void => this.#hear(message);
  readonly #onError = ({ code }: Error & { readonly code?: string }): void =>
    this.#end(new ThreadEnded(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', this.#page));
  readonly #onExit = (): void => {
    this.#loadedAll();
    this.#end(new ThreadEnded('crashed', this.#page));
  };
  readonly #onAbort = (): void => {
    try {
      throwIfAborted(this.#options.signal);
    } catch (error) {
      this.#end(error);
    }
  };

  private constructor(options: ThreadOptions, { worker, isLoaded }: TakenWorker) {
    this.#options = options;
    this.#worker = worker;
    this.#loading = isLoaded ? 0 : 1;
    this.#worker.on('message', this.#onMessage);
    this.#worker.on('error', this.#onError);
    this.#worker.on('exit', this.#onExit);
    options.signal.addEventListener('abort', this.#onAbort);
    this.#onAbort();
  }

  /** @throws {ReaderError} ABORTED */
  static async start(options: ThreadOptions): Promise<PdfThread> {
    throwIfAborted(options.signal);
    return new PdfThread(options, await takeWorker(options.mode === 'layout'));
  }

  /** The first request, with the bytes. */
  async open(
    request: Omit<Extract<Request, { kind: 'open' }>, 'kind' | 'size' | 'bytes' | 'mode'>,
  ): Promise<Answers['open']> {
    const { source, mode } = this.#options;
    const bytes = source.size <= WHOLE_BYTES ? await source.read(0, source.size) : undefined;
    return this.ask<'open'>({ kind: 'open', mode, size: source.size, ...(bytes && { bytes }), ...request });
  }

  /**
   * The thread's answer to a request.
   * @throws {ThreadEnded} if the thread was terminated or died; a new one is needed
   * @throws {PdfFailure} an error of pdf.js; the thread stays usable
   */
  async ask<Kind extends keyof Answers>(request: Extract<Request, { kind: Kind }>): Promise<Answers[Kind]> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#page = 'number' in request ? request.number : 0;
    this.#share = 'plain' in request && request.plain ? PLAIN_SHARE : 1;
    this.#restart();
    this.#startSize = process.memoryUsage.rss();
    this.#watch = setInterval(() => this.#look(), LOOK_EVERY_MS);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    if (request.kind === 'open') this.#loading += 1;
    const bytes = 'bytes' in request ? request.bytes : undefined;
    this.#say({ kind: 'request', request }, bytes ? [transferable(bytes)] : []);
    try {
      // The thread runs our own code; its answer has the requested kind.
      return (await answer) as Answers[Kind];
    } finally {
      clearInterval(this.#watch);
      this.#waiting = undefined;
    }
  }

  async close(): Promise<void> {
    const closed = await this.#emptied();
    if (closed && this.#ended === undefined) {
      this.#ended = new ThreadEnded('crashed', 0);
      this.#options.signal.removeEventListener('abort', this.#onAbort);
      // Node.js has listeners of its own, which must stay.
      this.#worker.off('message', this.#onMessage);
      this.#worker.off('error', this.#onError);
      this.#worker.off('exit', this.#onExit);
      keepWorker(this.#worker, closed.used);
      if (closed.compiled) await keepProgram(closed.compiled.code, closed.compiled.pages);
      return;
    }
    this.#end(new ThreadEnded('crashed', 0));
    await this.#stopped;
  }

  /** Closes the document in the thread: what is left in it; undefined if the thread cannot be used again. */
  async #emptied(): Promise<Closed | undefined> {
    const isBusy = this.#waiting !== undefined || this.#loading > 0 || this.#reading > 0;
    if (this.#ended !== undefined || isBusy || this.#options.mode !== 'layout') return undefined;
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), MOST_CLOSING_MS);
      this.#whenClosed = (closed) => {
        clearTimeout(timer);
        resolve(closed);
      };
      this.#say({ kind: 'close' });
    });
  }

  #say(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #restart(): void {
    this.#deadline = performance.now() + this.#options.deadlineMs * this.#share;
  }

  #look(): void {
    if (process.memoryUsage.rss() - this.#startSize > MOST_GROWTH)
      this.#end(new ThreadEnded('memory', this.#page));
    // While it waits for bytes or its own modules, the document is not using the time.
    else if (this.#reading > 0 || this.#loading > 0) this.#restart();
    else if (performance.now() > this.#deadline) this.#end(new ThreadEnded('hung', this.#page));
  }

  #hear(message: FromThread): void {
    if (message.kind === 'loaded') {
      this.#loading -= 1;
      if (this.#loading <= 0) this.#loadedAll();
    }
    if (this.#ended !== undefined) return;
    switch (message.kind) {
      case 'closed':
        this.#whenClosed?.(message);
        break;
      case 'stage':
        this.#page = message.page;
        this.#restart();
        break;
      case 'need':
        this.#give(message.need);
        break;
      case 'answer':
        this.#waiting?.resolve(message.value);
        break;
      case 'failure':
        this.#waiting?.reject(new PdfFailure(message.name, message.message));
        break;
    }
  }

  #give(need: Need): void {
    this.#reading += 1;
    const isRange = 'from' in need;
    (isRange ? this.#range(need.from, need.to) : dataFile(need.path))
      .then(
        (bytes) => this.#ended ?? this.#say({ kind: 'given', need, bytes }, [transferable(bytes)]),
        (error: unknown) => (isRange ? this.#end(error) : this.#say({ kind: 'given', need })),
      )
      .finally(() => {
        this.#reading -= 1;
      });
  }

  async #range(from: number, to: number): Promise<Uint8Array> {
    const { source, maxBytes } = this.#options;
    if (!(from >= 0 && to > from && to <= source.size)) throw new ThreadEnded('crashed', this.#page);
    this.#given += to - from;
    if (this.#given > maxBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Reading the document requires more than \`${maxBytes}\` bytes.`,
        'Raise the limit `maxBytesInMemory`, or repair the file with another program.',
      );
    return await source.read(from, to - from);
  }

  #end(error: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    clearInterval(this.#watch);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#waiting?.reject(error);
    this.#stopped = this.#stop();
  }

  /** A thread terminated while it loads modules would leave their files open for the life of the process. */
  async #stop(): Promise<void> {
    if (this.#loading > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MOST_LOADING_MS);
        this.#whenLoaded = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    await this.#worker.terminate().catch(() => undefined);
  }

  #loadedAll(): void {
    this.#loading = 0;
    this.#whenLoaded?.();
  }
}

/** The bytes' own buffer, or a copy if the buffer is larger. */
function transferable(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? buffer
    : new Uint8Array(bytes).buffer;
}
