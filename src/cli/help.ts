// Texts of `lectern help` and `lectern COMMAND --help`.

import type { Command, CommandEntry } from './command.ts';
import { COMMANDS } from './commands.ts';
import type { Option } from './options.ts';
import { wrap } from './terminal.ts';

function optionLines(options: readonly Option[], columns: number): string {
  const names = options.map(
    ({ name, short, value }) => `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
  );
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return options
    .map(({ help }, i) => `  ${(names[i] ?? '').padEnd(width)}${wrap(help, width + 2, columns).trimStart()}`)
    .join('\n');
}

/** Usage, purpose and options of one command. */
export function helpOf({ name, usage, help }: CommandEntry, { options }: Command, columns: number): string {
  const words = ['lectern', name, options.length > 0 ? '[options]' : '', usage].filter(Boolean).join(' ');
  return `Usage: ${words}\n\n${wrap(help, 0, columns)}\n\nOptions:\n${optionLines(options, columns)}\n`;
}

/** Every command with its purpose. */
export function overview(columns: number): string {
  const width = Math.max(...COMMANDS.map(({ name, usage }) => `${name} ${usage}`.length)) + 2;
  const lines = COMMANDS.map(
    ({ name, usage, help }) =>
      `  ${`${name} ${usage}`.padEnd(width)}${wrap(help, width + 2, columns).trimStart()}`,
  );
  const purpose =
    'lectern reads any file for an AI agent within a token budget, and says what it showed and what it left out.';
  const more =
    '`lectern COMMAND --help` lists the options of a command; `lectern --version` prints the version.';
  return `${[
    wrap(purpose, 0, columns),
    'Usage: lectern COMMAND [options] FILE...',
    lines.join('\n'),
    wrap(more, 0, columns),
  ].join('\n\n')}\n`;
}
