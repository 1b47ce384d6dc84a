// A server, by a process or by HTTP, and a client of it, the same for every client there is: what tests and the transcript
// talk through.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The compiled command line. */
export const MAIN: string = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** A block of a result, of any kind. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

export interface Answer {
  readonly isError?: boolean | undefined;
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** What every client can do. */
export interface Session {
  readonly instructions: string | undefined;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<Answer>;
  resources(cursor?: string): Promise<{
    resources: readonly {
      uri: string;
      name: string;
      mimeType?: string | undefined;
      size?: number | undefined;
    }[];
    nextCursor?: string | undefined;
  }>;
  templates(): Promise<readonly { uriTemplate: string }[]>;
  read(
    uri: string,
  ): Promise<readonly { uri: string; mimeType?: string | undefined; text?: string; blob?: string }[]>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** Of every client. */
export const IDENTITY: { readonly name: string; readonly version: string } = {
  name: 'lectern-test',
  version: '0',
};

/** How to start the server. */
export function parameters(args: readonly string[]): { command: string; args: string[]; stderr: 'ignore' } {
  return { command: process.execPath, args: [MAIN, 'mcp', ...args], stderr: 'ignore' };
}

/** The official client of the second SDK, by the handshake or by the revision that has none. */
export async function secondClient(args: readonly string[], modern: boolean): Promise<Session> {
  const client = second(modern);
  await client.connect(new StdioClientTransport(parameters(args)));
  return secondSession(client, modern);
}

/** The same over HTTP, with a key. */
export async function secondHttpClient(url: string, key: string, modern: boolean): Promise<Session> {
  const client = second(modern);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), withKey(key)));
  return secondSession(client, modern);
}

/** Options of a transport over HTTP. */
export const withKey = (key: string): { requestInit: RequestInit } => ({
  requestInit: { headers: { authorization: `Bearer ${key}` } },
});

const second = (modern: boolean): Client =>
  new Client(IDENTITY, modern ? { versionNegotiation: { mode: 'auto' } } : {});

function secondSession(client: Client, modern: boolean): Session {
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, given, options) =>
      (await client.callTool({ name, arguments: given }, { timeout: 50_000, ...options })) as Answer,
    resources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents,
    ping: () => (modern ? client.discover() : client.ping()),
    close: () => client.close(),
  };
}

/** Connects a client over HTTP. */
export type Connect = (url: string, key: string) => Promise<Session>;

/** A folder of its own, made when it is first asked for, and how to be rid of it. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  let made: string | undefined;
  return {
    get path(): string {
      made ??= mkdtempSync(join(tmpdir(), 'lectern-mcp-'));
      return made;
    },
    remove: () => {
      if (made !== undefined) rmSync(made, { recursive: true, force: true });
    },
  };
}

/** A table of `rows` orders. Every row is one line. */
export function writeOrders(folder: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => `${i + 1},"Smith, ${i % 97}",${(i * 7) % 1000}.50`);
  const text = `id,customer,amount\n${lines.join('\n')}\n`;
  writeFileSync(join(folder, 'orders.csv'), text);
  return text;
}

/** The text of an answer. */
export const textOf = ({ content }: Answer): string => content.map((block) => block.text ?? '').join('\n');

/** Reads a table to its end, each time as the answer before says; the rows of all answers, under one header. */
export async function readToEnd(session: Session, path: string): Promise<{ text: string; calls: number }> {
  const rows: string[] = [];
  let header = '';
  let calls = 0;
  let onward: Record<string, string> | undefined = { rows: '1-' };
  while (onward) {
    const text = textOf(await session.call('read_file', { path, ...onward }));
    calls += 1;
    const [first = '', ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('['));
    header = first;
    rows.push(...lines);
    const next = /Continue with (rows|cursor) "([^"]+)"/.exec(text);
    onward = next?.[1] && next[2] ? { [next[1]]: next[2] } : undefined;
  }
  return { text: `${[header, ...rows].join('\n')}\n`, calls };
}
