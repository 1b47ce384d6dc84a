// Messages over a byte stream between this process and a child: each has a JSON head and a binary body, preceded by
// their lengths. The other end may be hostile, so an oversized or malformed message closes the channel.

import type { Duplex } from 'node:stream';
import { ReaderError } from '../contract/index.ts';

/** One message, exactly as the other end sent it: nothing is validated. */
export interface Message {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

/** Two lengths of 4 bytes each, little endian: head and body. */
const PREFIX_BYTES = 8;
/**
 * Two bytes of JSON can become an object of tens of bytes, so text goes into the body and a head holds little more than
 * counts.
 */
const MAX_HEAD_BYTES = 8 * 1024 * 1024;
/** Enough for one part of an answer, or one cache entry. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** The channel broke: the other end closed it, or sent an invalid message. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
  /** The other end sent an invalid message. */
  readonly malformed: boolean;

  constructor(reason: string, malformed = false) {
    super(reason);
    this.malformed = malformed;
  }
}

/** Sends and receives messages in order; one receiver at a time. */
export class Channel {
  readonly #stream: Duplex;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #lengths: { readonly head: number; readonly body: number } | undefined;
  readonly #arrived: Message[] = [];
  #waiting: { resolve(message: Message): void; reject(error: unknown): void } | undefined;
  #closed: ChannelClosed | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', (bytes: Buffer) => this.#take(bytes));
    stream.on('error', (error) => this.#close(error.message));
    stream.on('close', () => this.#close('The other end closed the channel.'));
  }

  /**
   * Resolves when more may be sent. Drops messages to a closed channel.
   * @throws {ReaderError} LIMIT_EXCEEDED for a message the other end would reject; nothing is sent
   */
  async send(head: object, body: Uint8Array = NOTHING): Promise<void> {
    if (this.#closed) return;
    const json = Buffer.from(JSON.stringify(head));
    if (json.length > MAX_HEAD_BYTES || body.length > MAX_BODY_BYTES)
      throw tooLarge(json.length, body.length);
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32LE(json.length, 0);
    prefix.writeUInt32LE(body.length, 4);
    this.#stream.cork();
    this.#stream.write(prefix);
    let more = this.#stream.write(json);
    if (body.length > 0) more = this.#stream.write(body);
    this.#stream.uncork();
    if (more) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#stream.off('drain', done).off('close', done);
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
  }

  /** The next message. @throws {ChannelClosed} when there will be none */
  receive(): Promise<Message> {
    const message = this.#arrived.shift();
    if (message) {
      if (this.#arrived.length === 0) this.#stream.resume();
      return Promise.resolve(message);
    }
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** True if nothing has arrived that has not been received. */
  get quiet(): boolean {
    return this.#arrived.length === 0 && this.#heldBytes === 0 && !this.#closed;
  }

  close(): void {
    this.#close('The channel was closed.');
    this.#stream.destroy();
  }

  #take(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    while (!this.#closed && this.#next());
  }

  /** Takes one message off the buffer; false if it is incomplete. */
  #next(): boolean {
    if (!this.#lengths) {
      if (this.#heldBytes < PREFIX_BYTES) return false;
      const prefix = new DataView(this.#cut(PREFIX_BYTES).buffer);
      this.#lengths = { head: prefix.getUint32(0, true), body: prefix.getUint32(4, true) };
      if (this.#lengths.head > MAX_HEAD_BYTES || this.#lengths.body > MAX_BODY_BYTES) return this.#fail();
    }
    const { head, body } = this.#lengths;
    if (this.#heldBytes < head + body) return false;
    this.#lengths = undefined;
    const parsed = parse(this.#cut(head));
    const rest = this.#cut(body);
    if (!parsed) return this.#fail();
    const message = { head: parsed, body: rest };
    if (this.#waiting) {
      this.#waiting.resolve(message);
      this.#waiting = undefined;
    } else {
      this.#arrived.push(message);
      this.#stream.pause();
    }
    return true;
  }

  #fail(): false {
    this.#close('The other end sent an invalid message.', true);
    this.#stream.destroy();
    return false;
  }

  /** Copies and removes the first `length` buffered bytes. */
  #cut(length: number): Uint8Array<ArrayBuffer> {
    const cut = new Uint8Array(length);
    let filled = 0;
    let used = 0;
    while (filled < length) {
      const first = this.#held[used];
      if (!first) break;
      const piece = first.subarray(0, length - filled);
      cut.set(piece, filled);
      filled += piece.length;
      if (piece.length < first.length) this.#held[used] = first.subarray(piece.length);
      else used += 1;
    }
    this.#held.splice(0, used);
    this.#heldBytes -= filled;
    return cut;
  }

  #close(reason: string, malformed = false): void {
    if (this.#closed) return;
    this.#closed = new ChannelClosed(reason, malformed);
    this.#held = [];
    this.#heldBytes = 0;
    this.#waiting?.reject(this.#closed);
    this.#waiting = undefined;
  }
}

function parse(json: Uint8Array<ArrayBuffer>): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(json.buffer).toString('utf8'));
    // An object from JSON.parse: its keys are strings.
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Not JSON: the caller closes the channel.
  }
  return undefined;
}

function tooLarge(head: number, body: number): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `One piece of the answer has a body of ${body} bytes and a head of ${head} bytes; the limits between processes are ${MAX_BODY_BYTES} and ${MAX_HEAD_BYTES}.`,
    'Ask for a smaller part of the file.',
  );
}
