// Parses the options of a command, and words what is wrong with them.

import { parseArgs } from 'node:util';
import { nearNames, quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { Command } from './command.ts';
import type { Values } from './options.ts';

/** @throws {ReaderError} BAD_INPUT for an unknown option, or one without its value */
export async function parseOptions(
  name: string,
  command: Command,
  words: readonly string[],
): Promise<{ readonly values: Values; readonly positionals: string[] }> {
  const options = Object.fromEntries(
    command.options.map(({ name, value, short }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: joinNegatives(command, words), options, allowPositionals: true });
  } catch (error) {
    throw await refusedOptions(name, command, error);
  }
}

/** Rewords an error of `parseArgs`, and suggests the nearest option. */
async function refusedOptions(name: string, { options }: Command, error: unknown): Promise<ReaderError> {
  const text = error instanceof Error ? error.message : '';
  const lists = `\`lectern ${name} --help\` lists the options.`;
  const refused = (message: string, hint: string): ReaderError =>
    new ReaderError('BAD_INPUT', message, hint, error);
  const [, unknown] = /^Unknown option '(--?[^']*)'/.exec(text) ?? [];
  if (unknown === undefined) return refused(valueProblem(text), lists);
  const message = `Unknown option ${quoted(unknown)}.`;
  if (unknown === '--password' && options.some((option) => option.name === 'password-stdin'))
    return refused(
      message,
      'Use `--password-stdin` or the variable `LECTERN_PASSWORD`: other users can see the arguments of a command.',
    );
  const near = await nearNames(
    unknown.replace(/^-+/, ''),
    options.map((option) => option.name),
  );
  const meant = near.map((one) => `\`--${one}\``).join(' or ');
  return refused(message, near.length > 0 ? `Did you mean ${meant}? ${lists}` : lists);
}

/** The forms of messages of `parseArgs` about values. */
function valueProblem(text: string): string {
  const [, option] = /^Option '(?:-\w, )?(--[\w-]+)/.exec(text) ?? [];
  if (option === undefined) return `${text.split('. ')[0] ?? ''}.`;
  return text.includes('does not take an argument')
    ? `\`${option}\` does not accept a value.`
    : `\`${option}\` requires a value.`;
}

/** Rewrites `--lines -100` as `--lines=-100`, and `-e -x` likewise: the parser would read the value as an option. */
function joinNegatives(command: Command, words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    const next = words[i + 1];
    const option = command.options.find(
      ({ name, value, short = '' }) => value !== undefined && (word === `--${name}` || word === `-${short}`),
    );
    if (option && next !== undefined && (/^-\d/.test(next) || option.name === 'regexp')) {
      joined.push(`--${option.name}=${next}`);
      i += 1;
    } else joined.push(word);
  }
  return joined;
}
