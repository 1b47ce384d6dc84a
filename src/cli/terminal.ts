// Standard streams for the commands: with backpressure, a progress line on terminals, and without control characters
// from files.

import { oneLine } from '../contract/index.ts';
import type { Progress } from '../index.ts';
import { createProgressLine } from './progress-line.ts';
import type { SecretInput } from './secret-prompt.ts';

/** Input and output of commands. */
export interface Terminal {
  readonly stdin: SecretInput;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly columns: number;
  /** Text in `style`, if standard output shows colours. */
  out(content: string | Uint8Array, style?: Style): Promise<void>;
  /** The same for standard error. */
  err(text: string, style?: Style): void;
  /** Both streams are terminals, so standard error may include hints for people. */
  readonly isInteractive: boolean;
  /** Standard input and standard error are terminals, so a person can answer a question. */
  readonly asksPeople: boolean;
  readonly progress: (progress: Progress) => void;
  /** Clears the progress line. */
  done(): void;
}

export type Style = 'bold' | 'dim' | 'red' | 'green';

/** Select Graphic Rendition, ECMA-48 8.3.117. */
const STYLES: Readonly<Record<Style, string>> = { bold: '1', dim: '2', red: '31', green: '32' };

/** Applies a style to `text`, except to the line break at its end. */
function styled(text: string, style: Style | undefined, stream: NodeJS.WriteStream): string {
  // `hasColors` respects NO_COLOR, FORCE_COLOR and TERM.
  if (style === undefined || !stream.isTTY || !stream.hasColors()) return text;
  const end = text.endsWith('\n') ? '\n' : '';
  return `\u001b[${STYLES[style]}m${text.slice(0, text.length - end.length)}\u001b[0m${end}`;
}

/** Control characters except tabs and line ends: terminals interpret C1 as well as escape. */
const ACTING = /(?![\t\n]|\r\n)\p{Cc}/gu;

/** The streams of `process`. An interrupt aborts the current read. */
export function processTerminal(process: NodeJS.Process): Terminal {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const { stdout, stderr } = process;
  const line = createProgressLine(stderr, stderr.isTTY && process.env['TERM'] !== 'dumb');
  const done = line.clear;
  return {
    stdin: process.stdin,
    environment: process.env,
    signal: interrupt.signal,
    columns: Math.max(40, Math.min(stdout.columns ?? 100, 120)),
    isInteractive: Boolean(stdout.isTTY && stderr.isTTY),
    asksPeople: Boolean(process.stdin.isTTY && stderr.isTTY),
    out: (content, style) =>
      new Promise((resolve, reject) => {
        done();
        const safe =
          stdout.isTTY && typeof content === 'string'
            ? styled(content.replace(ACTING, oneLine), style, stdout)
            : content;
        stdout.write(safe, (error) => (error ? reject(error) : resolve()));
      }),
    err: (text, style) => {
      done();
      stderr.write(stderr.isTTY ? styled(text.replace(ACTING, oneLine), style, stderr) : text);
    },
    progress: line.show,
    done,
  };
}

/** Reports the progress of `files[at]`. */
export const progressOf =
  ({ progress }: Terminal, files: readonly string[], at: number): Terminal['progress'] =>
  (one) =>
    progress({ name: files[at] ?? '', file: at + 1, files: files.length, ...one });

/** Wraps `text` at `columns` and indents each line. */
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
