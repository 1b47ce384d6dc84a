// The front door of the MCP room: a session over a workspace, and the standard streams to serve it on.

export { limitsForClients, MAX_ANSWER_TOKENS, MAX_RESULT_BYTES } from './client-limits.ts';
export { createMcpServer, type McpServerOptions } from './server.ts';
export { type StdioOptions, serveStdio } from './stdio.ts';
