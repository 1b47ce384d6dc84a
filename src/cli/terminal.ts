// Standard streams as the commands need them: backpressure, a progress line on terminals only, and nothing from a file
// that a terminal would obey.

import { oneLine } from '../contract/index.ts';
import type { Progress } from '../index.ts';

/** What commands write to and read from. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly columns: number;
  out(content: string | Uint8Array): Promise<void>;
  err(text: string): void;
  readonly progress: (progress: Progress) => void;
  /** Clears the progress line. */
  done(): void;
}

/** Controls but for tabs and line ends: terminals obey C1 as well as escape. */
const ACTING = /(?![\t\n]|\r\n)\p{Cc}/gu;
const PROGRESS_AFTER_MS = 1000;
const MIB = 2 ** 20;

/** The streams of `process`. Interrupt aborts the read under way. */
export function processTerminal(process: NodeJS.Process): Terminal {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const { stdout, stderr } = process;
  const started = Date.now();
  const shows = stderr.isTTY && process.env['TERM'] !== 'dumb';
  let drawn = false;
  const done = (): void => {
    if (drawn) stderr.write('\r\u001b[K');
    drawn = false;
  };
  return {
    stdin: process.stdin,
    environment: process.env,
    signal: interrupt.signal,
    columns: Math.max(40, Math.min(stdout.columns ?? 100, 120)),
    out: (content) =>
      new Promise((resolve, reject) => {
        done();
        const safe = stdout.isTTY && typeof content === 'string' ? content.replace(ACTING, oneLine) : content;
        stdout.write(safe, (error) => (error ? reject(error) : resolve()));
      }),
    err: (text) => {
      done();
      stderr.write(stderr.isTTY ? text.replace(ACTING, oneLine) : text);
    },
    progress: ({ bytes, of }) => {
      if (!shows || Date.now() - started < PROGRESS_AFTER_MS) return;
      drawn = true;
      const share = of > 0 ? ` (${Math.min(100, Math.round((bytes / of) * 100))} %)` : '';
      stderr.write(`\r\u001b[Kreading: ${Math.round(bytes / MIB)} MiB${share}`);
    },
    done,
  };
}

/** `text` in lines of at most `columns`, each indented. */
export function wrap(text: string, indent: number, columns: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((one) => ' '.repeat(indent) + one).join('\n');
}
