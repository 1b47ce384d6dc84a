// The command line in this process: its words, its two streams and its status, without the start of a process.

import { Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A terminal that keeps what is written to it, 80 columns wide. */
export function keptTerminal(
  stdin = '',
  environment: Readonly<Record<string, string>> = {},
): { readonly terminal: Terminal; readonly out: () => string; readonly err: () => string } {
  const out: Buffer[] = [];
  let err = '';
  const terminal: Terminal = {
    stdin: Readable.from(Buffer.from(stdin)),
    environment,
    signal: new AbortController().signal,
    columns: 80,
    isInteractive: false,
    asksPeople: false,
    out: async (content) => {
      out.push(Buffer.from(content));
    },
    err: (text) => {
      err += text;
    },
    progress: () => undefined,
    done: () => undefined,
  };
  return { terminal, out: () => Buffer.concat(out).toString(), err: () => err };
}

/** `lectern` with `words`; `stdin` is all there is on standard input. */
export async function lectern(
  words: readonly string[],
  stdin?: string,
  environment?: Readonly<Record<string, string>>,
): Promise<Run> {
  const { terminal, out, err } = keptTerminal(stdin, environment);
  const status = await run(words, terminal);
  return { status, out: out(), err: err() };
}
