// The front door of the MCP room: a session over a workspace, and the standard streams or HTTP to serve it on.

export { limitsForClients, MAX_ANSWER_TOKENS, MAX_RESULT_BYTES } from './client-limits.ts';
export {
  createMcpHttpHandler,
  type McpHttpHandler,
  type McpHttpOptions,
  type McpIdentity,
} from './http.ts';
export type { Lanes } from './lanes.ts';
export { createMcpServer, type McpServerOptions } from './server.ts';
export { type StdioOptions, serveStdio } from './stdio.ts';
