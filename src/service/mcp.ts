// MCP at `/mcp`: each request gets the tools of one workspace of the key's user.

import { BoundedMap } from '../contract/index.ts';
import type { Reader } from '../index.ts';
import {
  createMcpHttpHandler,
  createMcpServer,
  limitsForClients,
  MAX_ANSWER_TOKENS,
  type McpHttpHandler,
} from '../mcp/index.ts';
import type { QueryEngine } from '../query/index.ts';
import type { Recall } from '../recall/index.ts';
import { archivingTools, createTools, recallTool, type Tool } from '../tools/index.ts';
import type { Archives } from './archives.ts';
import type { Mount } from './http/mount.ts';
import type { AppLog } from './http/record.ts';
import type { Identity } from './identity.ts';
import type { Readers } from './readers.ts';

/** A key's identity, and the session named by the URL. */
interface McpCaller extends Identity {
  readonly session: string;
}

export interface McpMountOptions {
  readonly readers: Readers;
  readonly archives: Archives;
  /** For the tool `query_result`; undefined where queries cannot run. */
  readonly queries: QueryEngine | undefined;
  /** Host names of the service. */
  readonly hosts: readonly string[];
  readonly log: AppLog;
}

/** The session of `/mcp`; `/mcp/{session}` names another. */
const DEFAULT_SESSION = 'mcp';

/** Sessions whose tools are kept. */
const MAX_SESSIONS = 200;

export interface McpMounts {
  readonly mounts: readonly Mount[];
  /** Aborts running requests. */
  close(): Promise<void>;
}

export function mountMcp({ readers, archives, queries, hosts, log }: McpMountOptions): McpMounts {
  /** Kept between requests, because the tools remember what the model has seen. */
  const known = new BoundedMap<string, ReturnType<typeof partsOf>>({ most: MAX_SESSIONS });
  const handler: McpHttpHandler<McpCaller> = createMcpHttpHandler<McpCaller>({
    allowedHosts: hosts,
    onProblem: (_, fault) => {
      if (fault !== undefined) log.error({ operation: 'mcp', err: fault }, 'fault');
    },
    serve: async ({ user, session, scopes }, lanes) => {
      const writes = scopes.includes('files');
      const key = JSON.stringify([user, session, writes]);
      const parts = known.get(key) ?? partsOf({ readers, queries }, user, session, writes);
      known.set(key, parts);
      const { reader, tools } = parts;
      const isArchived = writes && (await archives.has(user, session));
      return createMcpServer({
        reader,
        tools: isArchived ? withRecall(tools, reader, archives, user, session) : tools,
        lanes,
      });
    },
  });
  const mount = (path: '/mcp' | '/mcp/{session}'): Mount => ({
    id: 'mcp',
    path,
    scope: 'mcp',
    summary: path === '/mcp' ? 'MCP over the workspace `mcp`' : 'MCP over the workspace of a session',
    requests: ['application/json'],
    answers: ['application/json', 'text/event-stream'],
    check: ({ user }, { session = DEFAULT_SESSION }) => {
      readers.workspace(user, session);
    },
    handle: (request, response, identity, { session = DEFAULT_SESSION }) =>
      handler.handle(request, response, { ...identity, session }),
  });
  return { mounts: [mount('/mcp'), mount('/mcp/{session}')], close: () => handler.close() };
}

/** Tools that write need the scope `files`. */
function partsOf(
  { readers, queries }: Pick<McpMountOptions, 'readers' | 'queries'>,
  user: string,
  session: string,
  writes: boolean,
): { readonly reader: Reader; readonly tools: readonly Tool[] } {
  const { limits } = readers.of(user, session);
  const reader = readers.with(user, session, limitsForClients(limits));
  return {
    reader,
    tools: createTools({
      reader,
      readOnly: !writes,
      maxTokens: MAX_ANSWER_TOKENS,
      queries: queries ?? false,
    }),
  };
}

/** The tools of a session with an archive: their answers are stored there, and `recall` finds them. */
function withRecall(
  tools: readonly Tool[],
  reader: Reader,
  archives: Archives,
  user: string,
  session: string,
): readonly Tool[] {
  const archive: Pick<Recall, 'add' | 'search'> = {
    add: (entries) => archives.use(user, session, (recall) => recall.add(entries)),
    search: (query, options) => archives.use(user, session, (recall) => recall.search(query, options)),
  };
  const found = recallTool(archive, {
    count: (text) => reader.count(text),
    maxTokens: MAX_ANSWER_TOKENS,
    ...(reader.redactor && { redactor: reader.redactor }),
  });
  return [...archivingTools(tools, archive), found];
}
