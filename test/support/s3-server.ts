// A small S3 server for tests: objects in memory or generated, signatures checked, faults on request. Not for storage.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Content without disk: `read` gives the bytes of a range, always the same. */
export interface GeneratedObject {
  readonly bytes: number;
  read(position: number, length: number): Uint8Array;
}

/** How a request fails. `lost` carries it out and cuts the connection instead of answering. */
export type Fault =
  | { readonly status: number; readonly code: string; readonly retryAfter?: number }
  | 'cut'
  | 'lost'
  | 'hang'
  /** Cuts the connection after this many bytes of the body. */
  | { readonly cutAfter: number };

export interface SeenRequest {
  readonly method: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly range: string | undefined;
}

export interface S3Server {
  readonly url: string;
  /** Variables for a client. */
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
  /** Bytes of bodies sent and received. */
  readonly sent: number;
  readonly received: number;
  /** Multipart uploads neither completed nor aborted. */
  readonly openUploads: number;
  /** Forgets requests and byte counts. */
  reset(): void;
  /** Fails the next `times` requests for which `when` holds. */
  fail(
    fault: Fault,
    options?: { readonly times?: number; readonly when?: (seen: SeenRequest) => boolean },
  ): void;
  /** Ends all faults. */
  recover(): void;
  generate(bucket: string, key: string, content: GeneratedObject): void;
  /** Changes when the object was stored. */
  date(bucket: string, key: string, modified: Date): void;
  close(): Promise<void>;
}

interface Stored {
  readonly bytes: number;
  readonly etag: string;
  readonly modified: Date;
  readonly metadata: Readonly<Record<string, string>>;
  read(position: number, length: number): Uint8Array;
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, { readonly etag: string; readonly body: Buffer }>;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** As S3 requires of every part but the last. */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const EXPIRES_MS = 15 * 60_000;

export async function startS3Server({
  buckets = ['bucket'],
  pageSize = 1000,
}: {
  readonly buckets?: readonly string[];
  readonly pageSize?: number;
} = {}): Promise<S3Server> {
  const state = new State(buckets, pageSize);
  const server = createServer((request, response) => {
    state.answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof Refused) sendError(response, error.status, error.code);
      else sendError(response, 500, 'InternalError');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a TCP port always has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    environment: {
      AWS_ACCESS_KEY_ID: state.accessKeyId,
      AWS_SECRET_ACCESS_KEY: state.secret,
      AWS_REGION: state.region,
      AWS_ENDPOINT_URL_S3: url,
    },
    get requests() {
      return state.requests;
    },
    get sent() {
      return state.sent;
    },
    get received() {
      return state.received;
    },
    get openUploads() {
      return state.uploads.size;
    },
    reset: () => {
      state.requests = [];
      state.sent = 0;
      state.received = 0;
    },
    fail: (fault, { times = 1, when = () => true } = {}) => {
      state.faults.push({ fault, when, left: times });
    },
    recover: () => {
      state.faults.length = 0;
    },
    generate: (bucket, key, content) => {
      state.bucket(bucket).set(key, {
        bytes: content.bytes,
        etag: `"${randomBytes(16).toString('hex')}"`,
        modified: new Date(),
        metadata: {},
        read: (position, length) => content.read(position, length),
      });
    },
    date: (bucket, key, modified) => {
      const stored = state.bucket(bucket).get(key);
      if (!stored) throw new Error('No such object.');
      state.bucket(bucket).set(key, { ...stored, modified });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class State {
  readonly accessKeyId = 'AKIATESTTESTTESTTEST';
  readonly secret = randomBytes(20).toString('hex');
  readonly region = 'eu-central-1';
  readonly uploads = new Map<string, Upload>();
  readonly faults: { readonly fault: Fault; readonly when: (seen: SeenRequest) => boolean; left: number }[] =
    [];
  requests: SeenRequest[] = [];
  sent = 0;
  received = 0;
  readonly #buckets: ReadonlyMap<string, Map<string, Stored>>;
  readonly #pageSize: number;

  constructor(buckets: readonly string[], pageSize: number) {
    this.#buckets = new Map(buckets.map((name) => [name, new Map<string, Stored>()]));
    this.#pageSize = pageSize;
  }

  bucket(name: string): Map<string, Stored> {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw new Refused(404, 'NoSuchBucket');
    return bucket;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [rawPath = '/', rawQuery = ''] = (request.url ?? '/').split('?');
    const [, name = '', ...rest] = rawPath.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const query = Object.fromEntries(new URLSearchParams(rawQuery));
    const method = request.method ?? '';
    const seen: SeenRequest = { method, key, query, range: request.headers.range };
    this.requests.push(seen);
    const fault = this.#faultFor(seen);
    if (fault === 'hang') return;
    if (fault === 'cut') return void request.socket.destroy();
    const body = await bodyOf(request);
    this.received += body.length;
    if (typeof fault === 'object' && 'status' in fault) {
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', String(fault.retryAfter));
      return sendError(response, fault.status, fault.code);
    }
    this.#authorize(request, rawPath, rawQuery, body);
    if (fault === 'lost') {
      response.flushHeaders = () => undefined;
      const silent = new Proxy(response, {
        get: (target, property) => {
          if (property === 'writeHead') return () => silent;
          if (property === 'write' || property === 'end')
            return () => {
              request.socket.destroy();
              return true;
            };
          const value: unknown = Reflect.get(target, property, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      return await this.#route(request, silent, method, name, key, query, body, undefined);
    }
    await this.#route(request, response, method, name, key, query, body, fault?.cutAfter);
  }

  #faultFor(seen: SeenRequest): Fault | undefined {
    const found = this.faults.find(({ left, when }) => left > 0 && when(seen));
    if (found) found.left -= 1;
    return found?.fault;
  }

  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
    name: string,
    key: string,
    query: Readonly<Record<string, string>>,
    body: Buffer,
    cutAfter: number | undefined,
  ): Promise<void> {
    const bucket = this.bucket(name);
    const { headers } = request;
    if (key === '') {
      if (method === 'HEAD') return end(response, 200);
      if (method === 'GET' && query['list-type'] === '2') return this.#list(response, name, bucket, query);
    } else if (method === 'GET' || method === 'HEAD')
      return await this.#get(request, response, bucket.get(key), cutAfter);
    else if (method === 'PUT' && headers['x-amz-copy-source'] === undefined) {
      if (query['uploadId'] === undefined) {
        const stored = storedBody(body, metadataOf(headers));
        checkConditions(headers, bucket.get(key));
        bucket.set(key, stored);
        return end(response, 200, { etag: stored.etag });
      }
      const number = Number(query['partNumber']);
      if (!(Number.isInteger(number) && number >= 1 && number <= 10_000))
        throw new Refused(400, 'InvalidArgument');
      const etag = tagOf(body);
      this.#upload(query['uploadId'], name, key).parts.set(number, { etag, body });
      return end(response, 200, { etag });
    } else if (method === 'DELETE') {
      if (query['uploadId'] === undefined) {
        if (headers['if-match'] !== undefined) checkConditions(headers, bucket.get(key));
        bucket.delete(key);
      } else {
        this.#upload(query['uploadId'], name, key);
        this.uploads.delete(query['uploadId']);
      }
      return end(response, 204);
    } else if (method === 'POST' && query['uploads'] !== undefined) {
      const id = randomBytes(16).toString('hex');
      this.uploads.set(id, { bucket: name, key, metadata: metadataOf(headers), parts: new Map() });
      return xml(
        response,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    } else if (method === 'POST' && query['uploadId'] !== undefined) {
      const upload = this.#upload(query['uploadId'], name, key);
      const stored = assembled(upload, body.toString('utf8'));
      checkConditions(headers, bucket.get(key));
      bucket.set(key, stored);
      this.uploads.delete(query['uploadId']);
      return xml(
        response,
        `<CompleteMultipartUploadResult><ETag>${escapeXml(stored.etag)}</ETag></CompleteMultipartUploadResult>`,
      );
    }
    throw new Refused(501, 'NotImplemented');
  }

  #upload(id: string, bucket: string, key: string): Upload {
    const upload = this.uploads.get(id);
    if (upload?.bucket !== bucket || upload.key !== key) throw new Refused(404, 'NoSuchUpload');
    return upload;
  }

  async #get(
    request: IncomingMessage,
    response: ServerResponse,
    stored: Stored | undefined,
    cutAfter: number | undefined,
  ): Promise<void> {
    if (!stored) throw new Refused(404, 'NoSuchKey');
    const { headers } = request;
    if (headers['if-match'] !== undefined && headers['if-match'] !== stored.etag)
      throw new Refused(412, 'PreconditionFailed');
    if (headers['if-none-match'] === stored.etag) return end(response, 304, { etag: stored.etag });
    const range = rangeOf(headers.range, stored.bytes);
    const { from, to } = range ?? { from: 0, to: stored.bytes };
    response.writeHead(range ? 206 : 200, {
      ...stored.metadata,
      etag: stored.etag,
      'last-modified': stored.modified.toUTCString(),
      'accept-ranges': 'bytes',
      'content-type': 'binary/octet-stream',
      'content-length': to - from,
      ...(range && { 'content-range': `bytes ${from}-${to - 1}/${stored.bytes}` }),
    });
    if (request.method === 'HEAD') return void response.end();
    const closed = once(response, 'close');
    for (let at = from; at < to; ) {
      const most = cutAfter === undefined ? to : Math.min(to, from + cutAfter);
      if (at >= most) return void request.socket.destroy();
      const piece = stored.read(at, Math.min(PIECE_BYTES, most - at));
      at += piece.length;
      this.sent += piece.length;
      if (response.write(piece)) continue;
      await Promise.race([once(response, 'drain'), closed]);
      if (response.destroyed) return;
    }
    response.end();
  }

  #list(
    response: ServerResponse,
    name: string,
    bucket: ReadonlyMap<string, Stored>,
    query: Readonly<Record<string, string>>,
  ): void {
    const { prefix = '', delimiter = '' } = query;
    const token = query['continuation-token'];
    const after =
      token === undefined ? (query['start-after'] ?? '') : Buffer.from(token, 'base64url').toString();
    const most = Math.min(Number(query['max-keys'] ?? 1000), this.#pageSize);
    const encoded = (text: string): string =>
      query['encoding-type'] === 'url'
        ? encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/')
        : escapeXml(text);
    const keys = [...bucket.keys()].filter((key) => key.startsWith(prefix)).sort(byBytes);
    const lines: string[] = [];
    let last: string | undefined;
    let common: string | undefined;
    let truncated = false;
    for (const key of keys) {
      const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      const group = cut < 0 ? undefined : key.slice(0, cut + delimiter.length);
      const entry = group ?? key;
      if (byBytes(entry, after) <= 0 || (group !== undefined && group === common)) continue;
      if (lines.length === most) {
        truncated = true;
        break;
      }
      last = entry;
      common = group;
      const stored = bucket.get(key);
      lines.push(
        group === undefined && stored
          ? `<Contents><Key>${encoded(key)}</Key><LastModified>${stored.modified.toISOString()}</LastModified><ETag>${escapeXml(stored.etag)}</ETag><Size>${stored.bytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`
          : `<CommonPrefixes><Prefix>${encoded(entry)}</Prefix></CommonPrefixes>`,
      );
    }
    const next = Buffer.from(last ?? '').toString('base64url');
    xml(
      response,
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${name}</Name><Prefix>${encoded(prefix)}</Prefix><KeyCount>${lines.length}</KeyCount><MaxKeys>${most}</MaxKeys><IsTruncated>${truncated}</IsTruncated>${truncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}${lines.join('')}</ListBucketResult>`,
    );
  }

  /** Signature version 4, as in "Authenticating Requests: Using the Authorization Header" of the S3 API reference. */
  #authorize(request: IncomingMessage, path: string, query: string, body: Buffer): void {
    const { headers } = request;
    const found =
      /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      );
    if (!found) throw new Refused(403, 'AccessDenied');
    const [, id = '', day = '', region = '', names = '', signature = ''] = found;
    if (id !== this.accessKeyId) throw new Refused(403, 'InvalidAccessKeyId');
    const time = String(headers['x-amz-date'] ?? '');
    const stated = Date.parse(
      time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
    );
    if (!(Math.abs(Date.now() - stated) < EXPIRES_MS)) throw new Refused(403, 'RequestTimeTooSkewed');
    const hash = String(headers['x-amz-content-sha256'] ?? '');
    if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body))
      throw new Refused(400, 'XAmzContentSHA256Mismatch');
    const signed = names.split(';');
    const required = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
    if (required.some((name) => !signed.includes(name))) throw new Refused(403, 'AccessDenied');
    const canonical = [
      request.method,
      path,
      query === ''
        ? ''
        : query
            .split('&')
            .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
            .sort()
            .join('&'),
      ...signed.map(
        (name) =>
          `${name}:${String(headers[name] ?? '')
            .trim()
            .replace(/\s+/g, ' ')}`,
      ),
      '',
      names,
      hash,
    ].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
    const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${this.secret}`),
    );
    const expected = createHmac('sha256', key).update(text).digest();
    if (region !== this.region || !timingSafeEqual(expected, Buffer.from(signature, 'hex')))
      throw new Refused(403, 'SignatureDoesNotMatch');
  }
}

function checkConditions(headers: IncomingMessage['headers'], stored: Stored | undefined): void {
  if (headers['if-none-match'] === '*' && stored) throw new Refused(412, 'PreconditionFailed');
  if (headers['if-match'] === undefined) return;
  if (!stored) throw new Refused(404, 'NoSuchKey');
  if (headers['if-match'] !== stored.etag) throw new Refused(412, 'PreconditionFailed');
}

function assembled({ parts, metadata }: Upload, text: string): Stored {
  const named = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
    etag: (/<ETag>([^<]*)<\/ETag>/.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
  }));
  if (named.length === 0) throw new Refused(400, 'MalformedXML');
  if (named.some(({ number }, index) => index > 0 && number <= (named[index - 1]?.number ?? 0)))
    throw new Refused(400, 'InvalidPartOrder');
  const bodies = named.map(({ number, etag }, index) => {
    const part = parts.get(number);
    if (!part || part.etag.replaceAll('"', '') !== etag.replaceAll('"', ''))
      throw new Refused(400, 'InvalidPart');
    if (index < named.length - 1 && part.body.length < MIN_PART_BYTES)
      throw new Refused(400, 'EntityTooSmall');
    return part.body;
  });
  const stored = storedBody(Buffer.concat(bodies), metadata);
  const tags = Buffer.concat(bodies.map((body) => createHash('md5').update(body).digest()));
  return { ...stored, etag: `"${createHash('md5').update(tags).digest('hex')}-${bodies.length}"` };
}

function storedBody(body: Buffer, metadata: Readonly<Record<string, string>>): Stored {
  return {
    bytes: body.length,
    etag: tagOf(body),
    modified: new Date(),
    metadata,
    read: (position, length) => body.subarray(position, position + length),
  };
}

function metadataOf(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

/** Undefined for no range, or for one that is not understood, which means the whole object. */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= size || from >= to) throw new Refused(416, 'InvalidRange');
  return { from, to };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function end(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, headers);
  response.end();
}

function xml(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  xml(response, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const tagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
