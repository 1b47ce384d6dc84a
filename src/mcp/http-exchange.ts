// The two directions of one HTTP exchange: a bounded request body, and a web response written as fast as it is read.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { strictJson } from '../index.ts';

/** The body, or undefined once it is over `maxBytes`. `hold` is told of bytes as they arrive, and throws to end it. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Buffer | undefined> {
  // Said in advance, it need not be received; what is said is not trusted otherwise.
  if (Number(request.headers['content-length']) > maxBytes) return undefined;
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

/** `request` for the SDK: its headers and no body, which is parsed already. Aborted by `signal`. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  // Only its headers and its signal count; the address that the client used is not trusted.
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal });
}

/** Writes `answer` to `response`, each chunk when the client has taken those before, until `signal` is aborted. */
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
