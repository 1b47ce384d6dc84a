// Answers an HTTP request before MCP sees it: a status, and the reason as a JSON-RPC error.

import type { ServerResponse } from 'node:http';
import { strictJson } from '../contract/index.ts';
import type { Problem } from './message.ts';

/** Why a request is refused. */
export interface HttpRefusal {
  readonly status: number;
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** From the range that JSON-RPC 2.0 section 5.1 reserves for servers. The MCP SDK uses the same code for HTTP errors. */
const REFUSED = -32_000;

export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpRefusal {
  return { status, problem: { id: undefined, code: REFUSED, message }, headers };
}

/** Answers with `refused`, and closes the connection if the body was not read. */
export function sendRefusal(
  response: ServerResponse,
  { status, problem, headers }: HttpRefusal,
  bodyRead: boolean,
): void {
  const { id, code, message } = problem;
  const body = strictJson(JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } }));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(!bodyRead && { connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
