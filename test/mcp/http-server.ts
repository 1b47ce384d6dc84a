// The HTTP handler on a plain Node server, with keys that stand for users; how it is mounted is all that is the test's.

import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/server';
import { createReader, createWorkspace } from '../../src/index.ts';
import {
  createMcpHttpHandler,
  createMcpServer,
  type Lanes,
  limitsForClients,
  MAX_ANSWER_TOKENS,
  type McpHttpOptions,
  type McpIdentity,
} from '../../src/mcp/index.ts';
import { createTools, type Tool } from '../../src/tools/index.ts';

export interface HttpServed {
  readonly url: string;
  readonly port: number;
  /** What the handler logged. */
  readonly problems: string[];
  /** Requests that are being handled. */
  open(): number;
  closeHandler(): Promise<void>;
  close(): Promise<void>;
}

/** Serves `serve` on a port of its own. `Authorization: Bearer NAME` makes the user NAME; `local` without it. */
export async function serveHttp(
  serve: McpHttpOptions<McpIdentity>['serve'],
  options: Omit<McpHttpOptions<McpIdentity>, 'serve' | 'onProblem'> = {},
): Promise<HttpServed> {
  const problems: string[] = [];
  let open = 0;
  const handler = createMcpHttpHandler<McpIdentity>({
    serve,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  const server = createServer((request, response) => {
    const user = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1] ?? 'local';
    open += 1;
    void handler.handle(request, response, { user }).finally(() => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    problems,
    open: () => open,
    closeHandler: () => handler.close(),
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server over `root` for one request, as the product has it; `tools` instead of its own. */
export function serverOver(root: string, lanes: Lanes, tools?: readonly Tool[]): Server {
  const workspace = createWorkspace({ root });
  const plain = createReader({ workspace, cache: false });
  const reader = createReader({ workspace, cache: false, limits: limitsForClients(plain.limits) });
  return createMcpServer({
    reader,
    tools: tools ?? createTools({ reader, maxTokens: MAX_ANSWER_TOKENS }),
    lanes,
  });
}

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON body, or the messages of a stream. */
  readonly messages: readonly Record<string, unknown>[];
}

/** One request as it is, without a client's help. */
export function raw(
  url: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text, messages: messagesOf(answered['content-type'], text) });
      });
    });
    request.end(body);
  });
}

function messagesOf(type: string | undefined, text: string): Record<string, unknown>[] {
  if (type?.startsWith('application/json')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

/** A request of revision 2026-07-28: its body and the headers that go with it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): { body: string; headers: Record<string, string> } {
  const name = params['name'] ?? params['uri'];
  return {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...(params['_meta'] as object | undefined),
        },
      },
    }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
  };
}

/** A request of a revision before it. */
export function legacy(
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): { body: string; headers: Record<string, string> } {
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    headers: { 'mcp-protocol-version': '2025-11-25' },
  };
}
