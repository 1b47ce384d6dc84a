// Runs the command line: finds the command, parses its options, and returns the exit status.

import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { nearNames, oneLine, quoted } from '../contract/index.ts';
import { EXIT_STATUS, ReaderError } from '../index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { Command, CommandEntry } from './command.ts';
import { COMMANDS } from './commands.ts';
import { checkVariables } from './limit-flags.ts';
import type { Option } from './options.ts';
import { refuseWords } from './refuse-words.ts';
import { type Terminal, wrap } from './terminal.ts';

function optionLines(options: readonly Option[], columns: number): string {
  const names = options.map(
    ({ name, short, value }) => `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
  );
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return options
    .map(({ help }, i) => `  ${(names[i] ?? '').padEnd(width)}${wrap(help, width + 2, columns).trimStart()}`)
    .join('\n');
}

function helpOf({ name, usage, help }: CommandEntry, { options }: Command, columns: number): string {
  const words = ['lectern', name, options.length > 0 ? '[options]' : '', usage].filter(Boolean).join(' ');
  return `Usage: ${words}\n\n${help}\n\nOptions:\n${optionLines(options, columns)}\n`;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name, usage }) => `${name} ${usage}`.length)) + 2;
  const lines = COMMANDS.map(({ name, usage, help }) => `  ${`${name} ${usage}`.padEnd(width)}${help}`);
  return `lectern reads any file for an AI agent, inside a token budget, and says what it showed and what it left out.\n\nUsage: lectern COMMAND [options] FILE...\n\n${lines.join('\n')}\n\n\`lectern COMMAND --help\` lists the options of a command; \`lectern --version\` prints the version.\n`;
}

/** Runs the command in `words` and returns the exit status. Prints a `ReaderError` on `err`; throws other errors. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(words, terminal);
  } catch (error) {
    terminal.done();
    if (!(error instanceof ReaderError)) throw error;
    terminal.err(`lectern: ${error.code}:`, 'red');
    terminal.err(` ${oneLine(`${error.message} ${error.hint}`)}\n`);
    return EXIT_STATUS[error.code];
  }
}

async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = words;
  const [of, ...more] = rest;
  if (name === 'help' && of !== undefined && more.length === 0 && !of.startsWith('-'))
    return runCommand([of, '--help'], terminal);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await terminal.out(overview());
    return name === undefined ? EXIT_STATUS.BAD_INPUT : 0;
  }
  if (name === '--version' || name === '-v') {
    refuseWords(name, rest);
    await terminal.out(`${PACKAGE_VERSION}\n`);
    return 0;
  }
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (!entry) {
    if (await isForRead(name)) return runCommand(['read', ...words], terminal);
    throw await unknownCommand(name);
  }
  const command = await entry.load();
  const { values, positionals } = await parse(entry.name, command, rest);
  if (values['help'] === true) {
    await terminal.out(helpOf(entry, command, terminal.columns));
    return 0;
  }
  checkVariables(command, terminal.environment);
  return command.run(positionals, values, terminal, COMMANDS);
}

/** `read` is the default command: `lectern report.pdf`, `lectern --lines 1-20 notes.txt`. */
async function isForRead(word: string): Promise<boolean> {
  if (word.startsWith('-')) return true;
  try {
    await stat(word.replace(/^(.*?\.\w{1,12})!\/.*$/s, '$1'));
    return true;
  } catch {
    // A path that does not exist is a missing file, not an unknown command.
    return /[./\\]/.test(word);
  }
}

async function unknownCommand(name: string): Promise<ReaderError> {
  const names = COMMANDS.map((candidate) => candidate.name);
  const near = await nearNames(name, names);
  return new ReaderError(
    'BAD_INPUT',
    `Unknown command ${quoted(name)}.`,
    near.length > 0
      ? `Did you mean ${near.map((one) => `\`lectern ${one}\``).join(' or ')}?`
      : `The commands are ${names.map((one) => `\`${one}\``).join(', ')}.`,
  );
}

async function parse(
  name: string,
  command: Command,
  words: readonly string[],
): Promise<{ values: Record<string, string | boolean | undefined>; positionals: string[] }> {
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
  const [, unknown] = /^Unknown option '(--?[^']*)'/.exec(text) ?? [];
  if (unknown !== undefined) {
    const near = await nearNames(
      unknown.replace(/^-+/, ''),
      options.map((option) => option.name),
    );
    const meant = near.map((one) => `\`--${one}\``).join(' or ');
    return new ReaderError(
      'BAD_INPUT',
      `Unknown option ${quoted(unknown)}.`,
      near.length > 0 ? `Did you mean ${meant}? ${lists}` : lists,
      error,
    );
  }
  return new ReaderError('BAD_INPUT', `${text.split('. ')[0] ?? ''}.`, lists, error);
}

/** Rewrites `--lines -100` as `--lines=-100`, because the parser would read the value as an option. */
function joinNegatives(command: Command, words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    const next = words[i + 1];
    const takes = command.options.some(({ name, value }) => value !== undefined && word === `--${name}`);
    if (takes && next !== undefined && /^-\d/.test(next)) {
      joined.push(`${word}=${next}`);
      i += 1;
    } else joined.push(word);
  }
  return joined;
}
