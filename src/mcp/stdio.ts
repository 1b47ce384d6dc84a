// A session over this process's standard streams. From its start on standard output carries protocol and nothing else.

import type { Server } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { LineTransport, type LineWriter } from './line-transport.ts';

/** What a session over standard streams is given; everything optional. */
export interface StdioOptions {
  /** Ends the session; what is under way is aborted. */
  readonly signal?: AbortSignal;
  /** Told what was wrong on the wire, for a log. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Serves one client over `process.stdin` and `process.stdout`, of any revision of MCP. Resolves when the client has closed
 * its end or gone, or when `signal` is aborted. Whatever else this process writes to standard output from now on goes to
 * standard error.
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
  // What a library prints must not come between two messages.
  stdout.write = stderr.write.bind(stderr);
  // That the client has gone ends the session in order; nobody else is to end the process for it.
  stdout.removeAllListeners('error');
  stderr.on('error', () => undefined);
  return { write: (line) => write(line), on: (event, listener) => stdout.on(event, listener) };
}
