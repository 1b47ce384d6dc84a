// MCP over streamable HTTP, stateless: a new server for every request, so that any node can answer any request and no
// client shares anything with another. Serves revision 2026-07-28, and earlier ones without sessions. The caller listens,
// routes and authenticates.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type McpServer, type Server } from '@modelcontextprotocol/server';
import { checkOptions, type OptionNames, plural } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { readBody, sendAnswer, webRequest } from './http-exchange.ts';
import { createGate, type GateOptions } from './http-gate.ts';
import { refusal, sendRefusal } from './http-refusal.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { readMessage } from './message.ts';

/** The sender of a request, according to its key. */
export interface McpIdentity {
  /** Requests of one user share their limits. */
  readonly user: string;
}

/** What an HTTP endpoint of MCP serves. */
export interface McpHttpOptions<I extends McpIdentity> extends GateOptions {
  /** Creates a new server for one request of `identity`. Pass `lanes` to `createMcpServer`. */
  readonly serve: (identity: I, lanes: Lanes) => Server | McpServer | Promise<Server | McpServer>;
  /**
   * Called with what was wrong with a request, for logging. The message may contain text of the client. `fault` is an error
   * in lectern, which the client sees as status 500 without details.
   */
  readonly onProblem?: (message: string, fault?: unknown) => void;
}

/** See `createMcpHttpHandler`. */
export interface McpHttpHandler<I extends McpIdentity> {
  /**
   * Answers `request`, whose body must be unread. Settles when the exchange is over; never rejects. A client that closes
   * the response cancels the request. In Fastify, call `reply.hijack()` and pass `request.raw` and `reply.raw`.
   */
  handle(request: IncomingMessage, response: ServerResponse, identity: I): Promise<void>;
  /** Rejects further requests with 503, aborts running ones, and settles when they are over. */
  close(): Promise<void>;
}

/** Longest request body: the SDK's own limit for HTTP. */
const MAX_BODY_BYTES: number = 4 * 2 ** 20;

/** Maximum open requests per user, and bytes of their bodies. */
const MAX_OPEN = 256;
const MAX_HELD_BYTES: number = 8 * MAX_BODY_BYTES;

/** Maximum concurrent calls per user; other open calls wait. */
const AT_ONCE = 4;

/** Interval between comments on a quiet stream, so that proxies keep it open: the SDK's default. */
const KEEP_ALIVE_MS = 15_000;

/** Open requests of one user. Removed with the last of them. */
interface Account {
  readonly lanes: Lanes;
  open: number;
  heldBytes: number;
}

/**
 * Creates a handler for `POST /mcp`. Loopback names are always allowed in `Host` and `Origin`, others by the options. A
 * request without `Origin` is allowed: browsers send one with every cross-origin POST.
 * @throws {ReaderError} BAD_INPUT for an unknown option
 */
export function createMcpHttpHandler<I extends McpIdentity>(options: McpHttpOptions<I>): McpHttpHandler<I> {
  const known: OptionNames<McpHttpOptions<I>> = {
    serve: true,
    allowedHosts: true,
    allowedOrigins: true,
    onProblem: true,
  };
  checkOptions('createMcpHttpHandler', options, known);
  const gate = createGate(options);
  const accounts = new Map<string, Account>();
  const underWay = new Map<AbortController, Promise<void>>();
  let closed = false;

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    identity: I,
    signal: AbortSignal,
  ): Promise<void> {
    const visit = enter(accounts, identity.user);
    try {
      const refused = visit.isOneTooMany ? refusal(429, BUSY, RETRY) : gate(request);
      if (refused) return sendRefusal(response, refused, false);
      const body = await readBody(request, MAX_BODY_BYTES, visit.hold, signal);
      if (body === undefined) return sendRefusal(response, refusal(413, TOO_LARGE), false);
      const read = readMessage(body);
      if ('problem' in read)
        return sendRefusal(response, { status: 400, problem: read.problem, headers: {} }, true);
      const handler = createMcpHandler(() => options.serve(identity, visit.lanes), {
        keepAliveMs: KEEP_ALIVE_MS,
        onerror: ({ message }) => options.onProblem?.(message),
      });
      const made = await handler.fetch(webRequest(request, signal), { parsedBody: read.message });
      await sendAnswer(response, made, signal);
    } finally {
      visit.leave();
    }
  }

  return {
    async handle(request, response, identity) {
      if (closed) return sendRefusal(response, refusal(503, 'The server is closing.', RETRY), false);
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      response.on('close', abort);
      if (response.destroyed) abort();
      const work = answer(request, response, identity, controller.signal).catch((error: unknown) => {
        if (!response.headersSent && error instanceof ReaderError && error.code === 'BUSY')
          return sendRefusal(response, refusal(429, BUSY, RETRY), false);
        if (!controller.signal.aborted) {
          options.onProblem?.('A request failed.', error);
          if (!response.headersSent) return sendRefusal(response, refusal(500, FAILED), false);
        }
        // The client disconnected, or the answer had begun: an error can no longer be sent.
        response.destroy();
      });
      underWay.set(controller, work);
      await work;
      underWay.delete(controller);
      abort();
    },
    async close() {
      closed = true;
      const open = [...underWay];
      for (const [controller] of open) controller.abort();
      await Promise.all(open.map(([, work]) => work));
    },
  };
}

const BUSY = 'Too many requests of this user are open. Wait for answers, then send more.';
const TOO_LARGE = `The body is longer than ${plural(MAX_BODY_BYTES, 'byte')}. Send less at once.`;
const FAILED = 'An internal error in lectern prevented an answer. Report it.';
const RETRY: Readonly<Record<string, string>> = { 'retry-after': '1' };

/** One open request, counted in its user's account until it leaves. */
interface Visit {
  readonly lanes: Lanes;
  readonly isOneTooMany: boolean;
  /** Counts bytes of its body. @throws {ReaderError} BUSY if the total of the user would be too large */
  readonly hold: (bytes: number) => void;
  leave(): void;
}

function enter(accounts: Map<string, Account>, user: string): Visit {
  const account = accounts.get(user) ?? { lanes: createLanes(AT_ONCE, MAX_OPEN), open: 0, heldBytes: 0 };
  accounts.set(user, account);
  account.open += 1;
  let held = 0;
  return {
    lanes: account.lanes,
    isOneTooMany: account.open > MAX_OPEN,
    hold(bytes) {
      if (account.heldBytes + bytes > MAX_HELD_BYTES)
        throw new ReaderError('BUSY', BUSY, 'Wait, then call again.');
      account.heldBytes += bytes;
      held += bytes;
    },
    leave() {
      account.heldBytes -= held;
      account.open -= 1;
      if (account.open === 0) accounts.delete(user);
    },
  };
}
