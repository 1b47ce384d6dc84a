// Runs the command line: finds the command, parses its options, and returns the exit status.

import { fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errnoOf, keepCompiledCode, nearNames, oneLine, quoted } from '../contract/index.ts';
import { createDiskCache, EXIT_STATUS, ReaderError } from '../index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import { helpOf, overview } from './help.ts';
import { checkVariables } from './limit-flags.ts';
import { parseOptions } from './parse-options.ts';
import { refuseWords } from './refuse-words.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs the command of this process; code of threads that it compiles is kept in the folder `compiledIn`. */
export function runProcess(compiledIn: string | undefined): Promise<number> {
  if (compiledIn) keepCompiledCode(createDiskCache({ directory: compiledIn, maxBytes: 2 ** 28 }));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe (`| head`) is not an error.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(
      `lectern: standard output could not be written: ${errnoOf(error) ?? 'unknown error'}.\n`,
    );
    process.exit(1);
  });
  return run(process.argv.slice(2), processTerminal(process));
}

/** Runs the command in `words` and returns the exit status. Prints a `ReaderError` on `err`; throws other errors. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(words, terminal);
  } catch (error) {
    terminal.done();
    if (!(error instanceof ReaderError)) throw error;
    if (error.code === 'ABORTED') {
      terminal.err('lectern: interrupted\n');
      return EXIT_STATUS.ABORTED;
    }
    terminal.err(`lectern: ${error.code}:`, 'red');
    terminal.err(` ${oneLine(`${error.message} ${error.hint}`)}\n`);
    return EXIT_STATUS[error.code];
  }
}

async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = words;
  const [of, all, ...more] = rest;
  if (
    isHelp(name) &&
    of !== undefined &&
    !of.startsWith('-') &&
    more.length === 0 &&
    (all ?? 'all') === 'all'
  )
    return runCommand([of, '--help', ...(all === undefined ? [] : [all])], terminal);
  if (name === undefined && isPiped(terminal)) return runCommand(['read', '-'], terminal);
  if (name === undefined || isHelp(name)) {
    await terminal.out(overview(terminal.columns));
    return name === undefined ? EXIT_STATUS.BAD_INPUT : 0;
  }
  if (name === 'version' || name === '--version' || name === '-v' || name === '-V') {
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
  const { values, positionals } = await parseOptions(entry.name, command, rest);
  if (values['help'] === true) {
    const isWhole = positionals.includes('all');
    await terminal.out(helpOf(entry, command, { columns: terminal.columns, isWhole }));
    return 0;
  }
  checkVariables(command, terminal.environment);
  return command.run(positionals, values, terminal, COMMANDS);
}

const isHelp = (word: string | undefined): boolean => word === 'help' || word === '--help' || word === '-h';

/** True if standard input is a file or the end of a pipe. A host that starts this command may leave a socket open. */
function isPiped({ stdin }: Terminal): boolean {
  if (stdin !== process.stdin) return false;
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile();
  } catch {
    return false; // standard input is closed
  }
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
