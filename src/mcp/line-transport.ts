// MCP over a pair of byte streams, one JSON message per line. An invalid line is answered with an error and does not
// end the session. Knows nothing of tools or files.

import type { Readable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { strictJson } from '../contract/index.ts';
import { createLineSplitter, type LineSplitter } from './line-splitter.ts';
import { MAX_MESSAGE_BYTES, type Problem, readMessage } from './message.ts';

/** The part of a stream the transport writes to. */
export interface LineWriter {
  /** False to wait for `drain` before writing more. */
  write(line: string): boolean;
  on(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
}

/** How long running requests may still be answered after the client has closed its end. */
const DRAIN_MS = 1000;

/** Stops reading from a client that leaves this many characters unread. */
const MAX_WAITING = 16 * 2 ** 20;

/** Messages allowed before `initialize`, besides requests that name their revision (2026-07-28 has no handshake). */
const OPENING: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover']);

/** Reads `input` and writes `output` until either ends. Closes neither. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Settles when reading and writing have ended. */
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: LineWriter;
  readonly #splitter: LineSplitter = createLineSplitter(MAX_MESSAGE_BYTES);
  readonly #pending: Set<RequestId> = new Set();
  #settleClosed: () => void = () => undefined;
  #initialized = false;
  #waiting = 0;
  #ended = false;
  #over = false;

  constructor(input: Readable, output: LineWriter) {
    this.#input = input;
    this.#output = output;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on('error', () => this.#close());
    this.#output.on('close', () => this.#close());
    this.#output.on('drain', () => {
      this.#waiting = 0;
      if (!this.#over) this.#input.resume();
    });
    for (const event of ['end', 'close', 'error']) this.#input.on(event, () => this.#drain());
    this.#input.on('data', this.#onData);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    this.#close();
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#splitter.push(chunk))
      if (line === undefined || line.length > 0) this.#take(line);
  };

  #take(line: Buffer | undefined): void {
    const read = readMessage(line);
    if ('problem' in read) this.#refuse(read.problem);
    else if (!isJSONRPCRequest(read.message)) {
      this.#forgetCancelled(read.message);
      this.onmessage?.(read.message);
    } else {
      const why = this.#notNow(read.message);
      if (why === undefined) {
        this.#pending.add(read.message.id);
        this.onmessage?.(read.message);
      } else this.#refuse({ id: read.message.id, code: ProtocolErrorCode.InvalidRequest, message: why });
    }
  }

  /** Why a request is rejected. */
  #notNow(request: JSONRPCRequest): string | undefined {
    if (this.#pending.has(request.id)) return 'Another request with this id is running.';
    this.#initialized ||= request.method === 'initialize';
    return this.#initialized || OPENING.has(request.method) || namesRevision(request)
      ? undefined
      : 'The session is not initialized. Send `initialize` first.';
  }

  #refuse({ id, code, message }: Problem): void {
    this.onerror?.(new Error(message));
    // JSON-RPC 2.0, section 5: the id is null if none could be read, which the SDK's type does not allow.
    this.#write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
  }

  #write(message: object): void {
    const line = `${strictJson(JSON.stringify(message))}\n`;
    if (this.#over || this.#output.write(line)) return;
    this.#waiting += line.length;
    if (this.#waiting > MAX_WAITING) this.#input.pause();
  }

  /** A cancelled request gets no answer, so do not wait for one. */
  #forgetCancelled(message: JSONRPCMessage): void {
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
    const id: unknown = message.params?.['requestId'];
    if (typeof id === 'string' || typeof id === 'number') this.#settle(id);
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#ended && this.#pending.size === 0) this.#close();
  }

  /** The client has closed its end: answer its running requests for a short while. */
  #drain(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#pending.size === 0) this.#close();
    else setTimeout(() => this.#close(), DRAIN_MS).unref();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#settleClosed();
    this.onclose?.();
  }
}

function namesRevision({ params }: JSONRPCRequest): boolean {
  return params?._meta !== undefined && PROTOCOL_VERSION_META_KEY in params._meta;
}
