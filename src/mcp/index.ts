// Public entry point of the MCP room: a session over a workspace, served on standard streams or HTTP.

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
