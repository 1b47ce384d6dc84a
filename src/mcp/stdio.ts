// A session over this process's standard streams. From its start on, standard output carries only the protocol.

import type { Server } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { LineTransport, type LineWriter } from './line-transport.ts';

/** Options of a session over standard streams. All are optional. */
export interface StdioOptions {
  /** Ends the session and aborts running calls. */
  readonly signal?: AbortSignal;
  /** Called with protocol errors, for logging. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Serves one client over `process.stdin` and `process.stdout`, of any revision of MCP. Resolves when the client has
 * closed its end or gone, or when `signal` is aborted. Anything else this process writes to standard output goes to
 * standard error from now on.
 */
export async function serveStdio(create: () => Server, options: StdioOptions = {}): Promise<void> {
  const transport = new LineTransport(process.stdin, claimOutput());
  const session = serve(create, {
    transport,
    onerror: (error) => options.onProblem?.(error.message),
  });
  const end = (): void => void session.close();
  if (options.signal?.aborted) end();
  options.signal?.addEventListener('abort', end, { once: true });
  await transport.closed;
  options.signal?.removeEventListener('abort', end);
  process.stdin.destroy();
}

function claimOutput(): LineWriter {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // Library output must not come between two messages.
  stdout.write = stderr.write.bind(stderr);
  // A client that disconnects ends the session normally; other listeners must not end the process for it.
  stdout.removeAllListeners('error');
  stderr.on('error', () => undefined);
  return { write: (line) => write(line), on: (event, listener) => stdout.on(event, listener) };
}
