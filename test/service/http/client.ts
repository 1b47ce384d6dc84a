// A client that sends exactly what a test says: nothing in a path or header is normalised, and answers come back whole.

import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { Readable } from 'node:stream';

export interface Asked {
  /** Default GET. */
  readonly method?: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, pieces in chunks. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | object;
}

export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  json(): Record<string, unknown>;
}

/** @throws {Error} when the connection ends without an answer */
export function ask(url: string, { method = 'GET', path, headers = {}, body }: Asked): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const sent = sentOf(body);
  const options: RequestOptions = {
    host: hostname,
    port,
    method,
    path,
    agent: false,
    headers: {
      ...(sent.json && { 'content-type': 'application/json' }),
      ...(sent.bytes && { 'content-length': String(sent.bytes.length) }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString();
        const { statusCode = 0, headers: received } = incoming;
        // The tests read what the document check has held against its schema.
        const json = (): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
        resolve({ method, status: statusCode, headers: received, bytes, text, json });
      });
    });
    outgoing.on('error', reject);
    if (sent.bytes) outgoing.end(sent.bytes);
    else if (sent.stream) Readable.from(sent.stream).pipe(outgoing);
    else outgoing.end();
  });
}

function sentOf(body: Asked['body']): {
  readonly bytes?: Uint8Array;
  readonly stream?: AsyncIterable<Uint8Array>;
  readonly json?: true;
} {
  if (body === undefined) return {};
  if (typeof body === 'string') return { bytes: Buffer.from(body) };
  if (body instanceof Uint8Array) return { bytes: body };
  if (Symbol.asyncIterator in body) return { stream: body as AsyncIterable<Uint8Array> }; // no other body has it
  return { bytes: Buffer.from(JSON.stringify(body)), json: true };
}

export interface FormPart {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Uint8Array;
}

/** A body of multipart/form-data and its header. */
export function formOf(parts: readonly FormPart[]): {
  readonly headers: { readonly 'content-type': string };
  readonly body: Buffer;
} {
  const boundary = 'test-boundary-7d1f';
  const pieces = parts.flatMap(({ name, filename, type, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content as Uint8Array), // takes text as well
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
