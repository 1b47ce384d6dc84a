// Texts of `lectern help` and `lectern COMMAND --help`.

import type { Command, CommandEntry } from './command.ts';
import { COMMANDS } from './commands.ts';
import type { Option } from './options.ts';
import { wrap } from './terminal.ts';

/** Columns that an explanation beside its term needs; in a narrower terminal it is below the term. */
const EXPLANATION_COLUMNS = 36;

/** Options that a command lists without being asked for all. */
const SHORT_LIST = 20;

/** Terms, each with its explanation. */
function definitions(
  terms: readonly (readonly [term: string, explanation: string])[],
  columns: number,
): string {
  const widest = Math.max(...terms.map(([term]) => term.length)) + 4;
  const isBeside = columns - widest >= EXPLANATION_COLUMNS;
  return terms
    .map(([term, explanation]) =>
      isBeside
        ? `  ${term.padEnd(widest - 2)}${wrap(explanation, widest, columns).trimStart()}`
        : `${wrap(term.trimStart(), 2, columns)}\n${wrap(explanation, 6, columns)}`,
    )
    .join('\n');
}

const termOf = ({ name, short, value }: Option): string =>
  `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`;

/** Usage, purpose and options of one command; with the rare ones if `isWhole`. */
export function helpOf(
  { name, usage, help }: CommandEntry,
  { options }: Command,
  { columns, isWhole }: { readonly columns: number; readonly isWhole: boolean },
): string {
  const words = ['lectern', name, options.length > 0 ? '[options]' : '', usage].filter(Boolean).join(' ');
  const shown = isWhole || options.length <= SHORT_LIST ? options : options.filter(({ isRare }) => !isRare);
  return `${[
    wrap(`Usage: ${words}`, 0, columns),
    wrap(help, 0, columns),
    `Options:\n${definitions(
      shown.map((option) => [termOf(option), option.help]),
      columns,
    )}`,
    ...(shown.length < options.length
      ? [wrap(`\`lectern ${name} --help all\` lists all ${options.length} options.`, 0, columns)]
      : []),
  ].join('\n\n')}\n`;
}

/** Every command with its purpose. */
export function overview(columns: number): string {
  const purpose =
    'lectern reads any file for an AI agent within a token budget, and says what it showed and what it left out.';
  const more =
    '`lectern COMMAND --help` lists the options of a command; `lectern --version` prints the version.';
  return `${[
    wrap(purpose, 0, columns),
    'Usage: lectern COMMAND [options] FILE...',
    definitions(
      COMMANDS.map(({ name, usage, help }) => [`${name} ${usage}`, help]),
      columns,
    ),
    wrap(more, 0, columns),
  ].join('\n\n')}\n`;
}
