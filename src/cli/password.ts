// The password of a protected file: from standard input, the environment or a person at the terminal, never from an argument, which other users
// of the host and the shell's history would see.

import { type Environment, shortName } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { Option, Values } from './options.ts';
import { askSecret, type SecretInput } from './secret-prompt.ts';
import type { Terminal } from './terminal.ts';

export const PASSWORD_OPTIONS: readonly Option[] = [
  {
    name: 'password-stdin',
    help: 'open a protected file with the password in the first line of standard input, or typed at a terminal (else LECTERN_PASSWORD)',
  },
];

const MAX_LINE = 64 * 1024;

/** @throws {ReaderError} BAD_INPUT if standard input is also a file to read, or has no line */
export async function passwordFrom(
  files: readonly string[],
  values: Values,
  terminal: Terminal,
): Promise<{ readonly password?: string }> {
  const { environment, stdin } = terminal;
  if (values['password-stdin'] !== true) return environmentPassword(environment);
  if (files.includes('-'))
    throw new ReaderError(
      'BAD_INPUT',
      'Standard input is both a file and the source of the password.',
      'Pass the password in `LECTERN_PASSWORD`, or name the file.',
    );
  const line = isTerminal(stdin) ? await askPassword(terminal) : await firstLine(stdin);
  if (line !== '') return { password: line };
  throw new ReaderError(
    'BAD_INPUT',
    'Standard input holds no password.',
    'Write it as in `pass show report | lectern read --password-stdin report.pdf`.',
  );
}

/**
 * The password for `error`, if a person can type one: a protected file, no password yet, and both input and messages at a
 * terminal.
 */
export async function promptedPassword(
  files: readonly string[],
  name: string,
  error: { readonly code: string },
  given: { readonly password?: string },
  terminal: Terminal,
): Promise<string | undefined> {
  if (error.code !== 'ENCRYPTED_FILE' || given.password !== undefined || !terminal.asksPeople)
    return undefined;
  if (files.includes('-')) return undefined;
  const password = await askPassword(terminal, name);
  return password === '' ? undefined : password;
}

/** The password in `LECTERN_PASSWORD`. */
export function environmentPassword({ LECTERN_PASSWORD: password }: Environment): {
  readonly password?: string;
} {
  return password ? { password } : {};
}

const isTerminal = (input: SecretInput): boolean => input.isTTY === true && input.setRawMode !== undefined;

const askPassword = ({ stdin, err, signal }: Terminal, name?: string): Promise<string> =>
  askSecret(stdin, err, name === undefined ? 'Password: ' : `Password of ${shortName(name)}: `, signal);

async function firstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    if (bytes.includes(10) || length > MAX_LINE) break;
  }
  return Buffer.concat(pieces).toString('utf8').split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
}
