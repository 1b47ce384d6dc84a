// What each command does, as plain functions over a Terminal; the process itself is in `main.ts`.

import { oneLine, plural, quoted } from '../contract/index.ts';
import { cacheDirectory, createDiskCache, createReader, type Inspection, ReaderError } from '../index.ts';
import type { Command } from './command.ts';
import { compact } from './compact-command.ts';
import { examine } from './doctor.ts';
import { facts, formats, limits } from './facts-commands.ts';
import { keys } from './keys-command.ts';
import { mcp } from './mcp-command.ts';
import { COMMON_OPTIONS, INSPECT_OPTIONS } from './options.ts';
import { asJson, inputFrom, needFiles, read, report, statusOf } from './read-command.ts';
import { serve } from './serve-command.ts';

const inspect: Command = {
  name: 'inspect',
  usage: 'FILE...',
  help: 'Print the type, encoding and counts of each file, without content.',
  options: [...INSPECT_OPTIONS, ...COMMON_OPTIONS],
  async run(files, values, terminal) {
    needFiles(files);
    const reader = createReader({ environment: terminal.environment });
    const { encoding } = values;
    const results: Inspection[] = [];
    for (const file of files)
      results.push(
        await reader.inspect(inputFrom(file, terminal), {
          signal: terminal.signal,
          onProgress: terminal.progress,
          ...(typeof encoding === 'string' && { encoding }),
        }),
      );
    terminal.done();
    if (values['json'] === true) await terminal.out(asJson(results.length === 1 ? results[0] : results));
    for (const [i, result] of results.entries()) {
      if (!result.success) report(terminal, result.metadata.name, result.error);
      else if (values['json'] !== true) await terminal.out(`${i > 0 ? '\n' : ''}${facts(result)}`);
    }
    return statusOf(results);
  },
};

export const cache: Command = {
  name: 'cache',
  usage: 'stats|clear',
  help: 'Show what is kept of converted documents, or drop it.',
  options: COMMON_OPTIONS,
  async run(words, values, terminal) {
    const [what = 'stats'] = words;
    if (words.length > 1 || (what !== 'stats' && what !== 'clear'))
      throw new ReaderError(
        'BAD_INPUT',
        `${quoted(words.join(' '))} is not what \`cache\` does; expected \`stats\` or \`clear\`.`,
        'Write `lectern cache stats` or `lectern cache clear`.',
      );
    const directory = cacheDirectory(terminal.environment);
    if (directory === undefined)
      throw new ReaderError(
        'BAD_INPUT',
        'There is no place for a cache: neither LECTERN_DATA_DIR nor XDG_CACHE_HOME nor a home directory is set.',
        'Set LECTERN_DATA_DIR to a directory of your own.',
      );
    const disk = createDiskCache({ directory });
    const stats = await (what === 'clear' ? disk.clear() : disk.stats());
    const { entries, bytes, maxBytes } = stats;
    const held = `${plural(entries, 'entry')}, ${megabytes(bytes)}`;
    if (values['json'] === true) await terminal.out(asJson(stats));
    else if (what === 'clear') await terminal.out(`Dropped ${held} from ${oneLine(directory)}\n`);
    else await terminal.out(`${held} of at most ${megabytes(maxBytes)} in ${oneLine(directory)}\n`);
    return 0;
  },
};

const megabytes = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const doctor: Command = {
  name: 'doctor',
  usage: '',
  help: 'Check this installation: versions, the scanner, temporary space, how workspaces and isolation are guarded.',
  options: COMMON_OPTIONS,
  async run(_files, values, terminal) {
    const checks = await examine();
    if (values['json'] === true) await terminal.out(asJson(checks));
    else
      await terminal.out(
        checks.map(({ ok, what, found }) => `${ok ? 'ok  ' : 'BAD '} ${what}: ${found}\n`).join(''),
      );
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};

/** In the order help lists them. */
export const COMMANDS: readonly Command[] = [
  read,
  inspect,
  compact,
  formats,
  limits,
  cache,
  mcp,
  serve,
  keys,
  doctor,
];
