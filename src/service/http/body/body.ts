// Reads request bodies: bounded in size, with a minimum speed, and parsed if they are JSON.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { plural } from '../../../contract/index.ts';
import { type Bytes, ReaderError } from '../../../index.ts';
import { HttpError } from '../problem.ts';
import { type Incoming, incomingOf } from './incoming.ts';

/** Minimum speed of a sender. */
export interface Pace {
  /** Bytes required per window; slower senders are cut off. */
  readonly minBytesPerWindow: Bytes;
  readonly windowMs: number;
}

export interface BodyLimits extends Pace {
  readonly maxBytes: Bytes;
}

/**
 * The body in chunks. A client that sent `Expect: 100-continue` is told to continue with the first read.
 * @throws {ReaderError} LIMIT_EXCEEDED before the first byte if `Content-Length` says so, BAD_INPUT (the sender stopped
 * halfway), TIMED_OUT (it is too slow)
 */
export async function* bodyOf(
  message: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const { maxBytes } = limits;
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  continueBody(message, response);
  const incoming = incomingOf(message);
  const stopClock = watchPace(incoming, limits);
  let size = 0;
  try {
    for (;;) {
      const piece = await incoming.next();
      if (!piece) return;
      size += piece.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield piece;
    }
  } catch (error) {
    throw error instanceof ReaderError ? error : brokenOff(size);
  } finally {
    stopClock();
    incoming.stop();
  }
}

/** Answers `Expect: 100-continue`. Until then the client holds the body back, and after a rejection never sends it. */
export function continueBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (/^100-continue$/i.test(headers.expect ?? '') && !response.headersSent) response.writeContinue();
}

/** Ends a body that arrives too slowly. A window in which the client had to wait does not count. */
function watchPace(incoming: Incoming, { minBytesPerWindow, windowMs }: Pace): () => void {
  let before = incoming.received;
  let held = false;
  const judge = (): void => {
    const { received, full } = incoming;
    if (received - before < minBytesPerWindow && !full && !held)
      incoming.fail(
        new HttpError(
          408,
          'TIMED_OUT',
          `The body arrived at less than ${minBytesPerWindow} bytes in ${windowMs / 1000} seconds.`,
          'Send the request again over a faster connection.',
          { connection: 'close' },
        ),
      );
    before = received;
    held = full;
  };
  // After what has arrived is read: this process may have been busy for the whole window.
  let turn: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    turn = setImmediate(judge);
  }, windowMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    clearImmediate(turn);
  };
}

/** From `Content-Type`, in lower case and without parameters; undefined if there is none. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** A complete UTF-8 body. @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch (cause) {
    throw new ReaderError('BAD_INPUT', 'The body is not UTF-8.', 'Send the body as UTF-8.', cause);
  }
}

/** Maximum JSON parsed in this process: a longer one would delay all other requests. */
const MAX_PARSED_BYTES = 1024 * 1024;

/** A complete JSON body. @throws {ReaderError} BAD_INPUT; LIMIT_EXCEEDED above 1 MiB */
export async function jsonOf(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  return parsedJson(await textOf(upTo(MAX_PARSED_BYTES, chunks)), 'body');
}

async function* upTo(maxBytes: Bytes, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** `where` is named in errors. @throws {ReaderError} BAD_INPUT */
export function parsedJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'it is nested too deeply';
    throw new ReaderError(
      'BAD_INPUT',
      `The ${where} is not valid JSON: ${reason.slice(0, 200)}.`,
      'Send a JSON object.',
      cause,
    );
  }
}

export function tooLarge(maxBytes: Bytes): ReaderError {
  return new HttpError(
    413,
    'LIMIT_EXCEEDED',
    `The body has more than ${maxBytes} bytes.`,
    'Send less at once; `/v1/limits` lists the limits.',
    { connection: 'close' },
  );
}

function brokenOff(size: number): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The body ended early, after ${plural(size, 'byte')}.`,
    'Send the request again.',
  );
}
