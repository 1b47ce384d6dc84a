// Sends errors to the client, even if there is only a connection and no valid request.

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReaderError } from '../../index.ts';
import { lingerAtEnd } from './body/linger.ts';
import { HttpError, problemOf } from './problem.ts';

/** A page of another origin can load an answer as a picture or script; the policy keeps it from using one. */
export const SECURE = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const;
const TYPE = 'application/problem+json; charset=utf-8';

export async function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, headers, body } = problemOf(knownError(error), request.id);
  // The rest of a rejected body is not read, so the connection cannot be reused.
  if (!request.raw.complete) {
    reply.header('connection', 'close');
    lingerAtEnd(request.raw.socket);
  }
  // Also where no hook runs: for a path that cannot be decoded.
  return reply
    .code(status)
    .headers({ ...SECURE, 'x-request-id': request.id, ...headers })
    .type(TYPE)
    .send(JSON.stringify(body));
}

/** Answers requests the HTTP parser rejected, and closes the connection. */
export function sendClientError(error: Error, socket: Socket): void {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = problemOf(clientError(code), randomUUID());
  const text = JSON.stringify(body);
  lingerAtEnd(socket);
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      `Content-Type: ${TYPE}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      ...Object.entries(SECURE).map(([name, value]) => `${name}: ${value}`),
      '',
      text,
    ].join('\r\n'),
    () => socket.destroySoon(),
  );
}

function clientError(code: unknown): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpError(
      431,
      'LIMIT_EXCEEDED',
      'The headers of the request are too large; expected at most 16 KiB.',
      'Send shorter headers.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpError(
      408,
      'TIMED_OUT',
      'The request did not arrive in time.',
      'Send the request again over a faster connection.',
    );
  return notHttp(400);
}

/** Converts any error to one that may be shown. */
export function knownError(error: unknown): ReaderError {
  if (error instanceof ReaderError) return error;
  const status: unknown = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 415)
    return new HttpError(
      415,
      'BAD_INPUT',
      'The `Content-Type` header is not a media type.',
      'Send a type such as `application/json`, or no such header.',
    );
  if (typeof status === 'number' && status >= 400 && status < 500) return notHttp(status);
  return new ReaderError(
    'INTERNAL',
    'An internal error in lectern prevented an answer.',
    'Report it.',
    error,
  );
}

const notHttp = (status: number): HttpError =>
  new HttpError(status, 'BAD_INPUT', 'The request is not valid HTTP.', 'Check the path and headers.');
