// The bytes of a request's body: bounded, never slower than a limit allows, and parsed where they are JSON.

import type { IncomingMessage } from 'node:http';
import { type Bytes, plural, ReaderError } from '../../index.ts';
import { HttpError } from './problem.ts';

export interface BodyLimits {
  readonly maxBytes: Bytes;
  /** Bytes that must come in each window; slower senders are cut off. */
  readonly minBytesPerWindow: Bytes;
  readonly windowMs: number;
}

/**
 * The body in pieces.
 * @throws {ReaderError} LIMIT_EXCEEDED before the first byte where `Content-Length` tells, BAD_INPUT (a sender that is too
 * slow or stops halfway)
 */
export async function* bodyOf(message: IncomingMessage, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const { maxBytes } = limits;
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pace = paceOf(message, limits);
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      pace.count(chunk.length);
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ReaderError ? error : (pace.problem ?? brokenOff(size));
  } finally {
    pace.stop();
  }
}

/** A clock that ends a body which comes too slowly. Time in which nobody asks for the next piece does not count. */
function paceOf(
  message: IncomingMessage,
  { minBytesPerWindow, windowMs }: BodyLimits,
): { count(bytes: number): void; stop(): void; readonly problem: ReaderError | undefined } {
  let received = 0;
  let problem: ReaderError | undefined;
  const timer = setInterval(() => {
    if (received >= minBytesPerWindow || message.isPaused() || message.readableLength > 0) {
      received = 0;
      return;
    }
    problem = new HttpError(
      408,
      'TIMED_OUT',
      `The body came at less than ${minBytesPerWindow} bytes in ${windowMs / 1000} seconds.`,
      'Send the request again over a faster connection.',
      { connection: 'close' },
    );
    message.destroy(problem);
  }, windowMs);
  timer.unref();
  return {
    count: (bytes) => {
      received += bytes;
    },
    stop: () => clearInterval(timer),
    get problem() {
      return problem;
    },
  };
}

/** A JSON body, whole. @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED */
export async function jsonOf(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch (cause) {
    throw new ReaderError('BAD_INPUT', 'The body is not UTF-8.', 'Send JSON as UTF-8.', cause);
  }
  return parsedJson(text, 'body');
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
    `The body broke off after ${plural(size, 'byte')}.`,
    'Send the request again.',
  );
}
