// The Fastify application: runs every operation behind the same checks of origin, key, rate and schema, and returns
// errors as problems.

import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { jsonWithBytes } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';
import { LOCAL } from '../identity.ts';
import { type AdmitOptions, admit } from './access/admit.ts';
import { checkHost } from './access/origin.ts';
import { continueBody, type Pace } from './body/body.ts';
import { affordableConnections } from './connections.ts';
import type { Mount } from './mount.ts';
import type { Operation, Reply } from './operation.ts';
import { type PerformOptions, perform } from './perform.ts';
import { HttpError } from './problem.ts';
import { begin, type RecordOptions } from './record.ts';
import { knownError, SECURE, sendClientError, sendProblem } from './send-problem.ts';

export interface AppOptions extends AdmitOptions, RecordOptions, PerformOptions {
  readonly operations: readonly Operation[];
  readonly mounts: readonly Mount[];
  readonly pace: AppPace;
}

/** Minimum speed of clients. */
export interface AppPace extends Pace {
  /** Time to send all headers. */
  readonly headersMs: number;
  /** Interval of checking connections for it. */
  readonly checkMs: number;
}

/** Cuts off uploads slower than 1 KiB in 10 seconds. */
export const PACE: AppPace = { minBytesPerWindow: 1024, windowMs: 10_000, headersMs: 10_000, checkMs: 2_000 };
/** Longer than the largest upload takes on a slow line; the pace limit ends slow senders. */
const MAX_REQUEST_MS = 60 * 60 * 1000;
const REQUESTS_PER_SOCKET = 10_000;

/** Not listening yet; `inject` also works. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = bareApp(options.pace);
  app.server.maxConnections = Math.min(options.limits.maxConnections, affordableConnections());
  addOperations(app, options);
  for (const mount of options.mounts)
    app.route({
      method: [...METHODS],
      url: routeOf(mount.path),
      handler: (request, reply) => handOver(mount, options, request, reply),
    });
  app.setNotFoundHandler((request, reply) => {
    const error = new ReaderError(
      'FILE_NOT_FOUND',
      'Nothing is served at this path.',
      'See `/openapi.json` for the available paths.',
    );
    return refuse(error, options, request, reply);
  });
  return app;
}

/** An app without routes: handling of connections, unread bodies and errors on every route. */
function bareApp(pace: AppPace): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: MAX_REQUEST_MS,
    keepAliveTimeout: 5_000,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: true },
    genReqId: ({ headers }) => requestIdFrom(headers['x-request-id']),
    clientErrorHandler: sendClientError,
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    http: {
      headersTimeout: pace.headersMs,
      connectionsCheckingInterval: pace.checkMs,
      requireHostHeader: false, // rejected below, with a body that explains why
    },
  });
  // Answered when the body is read, so that a rejection can precede it.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  // Other expectations are ignored, as RFC 9110, section 10.1.1 allows.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Operations read the bodies they need.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      checkHost(request.raw);
      done();
    } catch (error) {
      done(knownError(error));
    }
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const given = reply.getHeaders();
    reply.headers({ ...SECURE, 'x-request-id': request.id, ...given });
    done(null, payload);
  });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  return app;
}

/** Adds every operation under its path, and rejects other methods with the allowed ones. */
function addOperations(app: FastifyInstance, options: AppOptions): void {
  const methods = new Map<string, string[]>();
  const paths = new Set(options.operations.map(({ method, path }) => `${method} ${path}`));
  for (const operation of options.operations) {
    const url = routeOf(operation.path);
    // GET implies HEAD (RFC 9110, section 9.3.2).
    const alsoHead = operation.method === 'GET' && !paths.has(`HEAD ${operation.path}`);
    const served = alsoHead ? ['GET', 'HEAD'] : [operation.method];
    methods.set(url, [...(methods.get(url) ?? []), ...served]);
    app.route({
      method: served,
      url,
      handler: (request, reply) => answer(operation, options, request, reply),
    });
  }
  for (const [url, known] of methods)
    app.route({
      method: METHODS.filter((method) => !known.includes(method)),
      url,
      handler: (request, reply) => refuse(otherMethod(request.method, known), options, request, reply),
    });
}

/** `{path*}` takes the rest of the path, with its slashes. */
const routeOf = (path: string): string => path.replace(/\{\w+\*\}/g, '*').replace(/\{(\w+)\}/g, ':$1');
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

const otherMethod = (method: string, known: readonly string[]): HttpError =>
  new HttpError(
    405,
    'BAD_INPUT',
    `This path does not support \`${method}\`.`,
    `Use ${known.map((one) => `\`${one}\``).join(' or ')}.`,
    { allow: known.join(', ') },
  );

/** Answers requests that match no operation. */
async function refuse(
  error: ReaderError,
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const finish = begin({ id: 'none', scope: null }, options, request);
  await sendProblem(error, request, reply);
  finish({ identity: LOCAL, status: reply.statusCode, outcome: error.code, fault: error });
  return reply;
}

async function answer(
  operation: Operation,
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const finish = begin(operation, options, request);
  let identity = LOCAL;
  let outcome = 'INTERNAL';
  let fault: ReaderError | undefined;
  try {
    identity = await admit(operation, options, request);
    const given = await perform(operation, options, identity, request, reply);
    outcome = given.outcome ?? 'ok';
    return await send(given, reply);
  } catch (error) {
    fault = knownError(error);
    outcome = fault.code;
    return await sendProblem(fault, request, reply);
  } finally {
    finish({ identity, status: reply.statusCode, outcome, fault });
  }
}

/** Checks a request like that of an operation, then passes it to `mount`. */
async function handOver(
  mount: Mount,
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const finish = begin(mount, options, request);
  let identity = LOCAL;
  let outcome = 'ok';
  let fault: ReaderError | undefined;
  try {
    identity = await admit(mount, options, request);
    // As Fastify parses a path.
    const params = request.params as Record<string, string>;
    mount.check(identity, params);
    continueBody(request.raw, reply.raw);
    for (const [name, value] of Object.entries(SECURE)) reply.raw.setHeader(name, value);
    reply.hijack();
    await mount.handle(request.raw, reply.raw, identity, params);
    return undefined;
  } catch (error) {
    fault = knownError(error);
    outcome = fault.code;
    if (!reply.sent) return await sendProblem(fault, request, reply);
    reply.raw.destroy();
    return undefined;
  } finally {
    const { statusCode } = reply.sent ? reply.raw : reply;
    finish({ identity, status: statusCode, outcome, fault });
  }
}

async function send(
  { status = 200, headers = {}, body, type }: Reply,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  if (typeof body === 'string' || body instanceof Uint8Array || isReadable(body))
    return reply.type(type ?? 'application/octet-stream').send(body);
  return reply.type('application/json; charset=utf-8').send(jsonWithBytes(body));
}

const isReadable = (body: object): body is NodeJS.ReadableStream => 'pipe' in body;

function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : randomUUID();
}
