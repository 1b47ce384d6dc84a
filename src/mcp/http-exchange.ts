// The two directions of one HTTP exchange: a bounded request body, and a web response written as fast as it is read.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { strictJson } from '../contract/index.ts';

/**
 * Reads the body; undefined if it is over `maxBytes`. Calls `hold` with the bytes of each chunk; an error it throws, or
 * `signal`, ends the read.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  // A declared length saves receiving the body, but is not trusted: the bytes are counted too.
  if (Number(request.headers['content-length']) > maxBytes) return undefined;
  const stop = (): void => void request.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await collect(request, maxBytes, hold);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function collect(
  request: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the socket, which carries the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // An IncomingMessage without an encoding yields buffers.
    const bytes: Buffer = chunk;
    length += bytes.length;
    if (length > maxBytes) return undefined;
    hold(bytes.length);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** `request` as the SDK takes it: with its headers, without its body, which is already parsed. Aborted by `signal`. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  // The SDK does not use the URL.
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal });
}

/** Writes `answer` to `response` with backpressure, until `signal` is aborted. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Response,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  // `Connection` belongs to the socket, which Node manages.
  for (const [name, value] of answer.headers) if (name !== 'connection') headers[name] = value;
  response.writeHead(answer.status, headers);
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  const reader = answer.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const decoder = new TextDecoder();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      // The SDK enqueues whole frames, so no escape is cut in two.
      const text = strictJson(decoder.decode(chunk.value, { stream: true }));
      if (!response.write(text)) await once(response, 'drain', { signal });
    }
    response.end();
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
