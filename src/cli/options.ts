// The command line's options, each declared once: what it is called, what it takes, what it is for. Parser and help
// both read this.

import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import { SERVICE_LIMIT_DEFINITIONS } from '../service/limits.ts';

/** An option with a value, or a switch. */
export interface Option {
  readonly name: string;
  /** What stands for the value in help; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
}

/** The fields of a read request, in the order help lists them. */
export const REQUEST_OPTIONS: readonly Option[] = [
  { name: 'lines', value: 'A-B', help: 'lines of a text: 201-400, 201-, 7, or -100 for the last 100' },
  { name: 'rows', value: 'A-B', help: 'rows of a table, or items of an array, in the same form' },
  { name: 'columns', value: 'LIST', help: 'columns of a table: names, numbers, or letters such as A-F' },
  { name: 'sheet', value: 'NAME', help: "a sheet's name or number" },
  { name: 'pages', value: 'LIST', help: 'pages, such as 1-3,7' },
  { name: 'pointer', value: 'PATH', help: 'a part of a structured file, as a JSON Pointer: /items/3' },
  { name: 'symbol', value: 'NAME', help: 'one definition in source code: read, or Reader.read' },
  { name: 'region', value: 'BOX', help: 'a crop of an image in pixels: left,top,width,height' },
  { name: 'changes', value: 'HOW', help: 'tracked changes of a document: accept or mark' },
  { name: 'detail', value: 'HOW', help: 'how much of a picture: low, auto or full' },
  { name: 'cursor', value: 'C', help: 'go on where an earlier answer ended' },
  { name: 'overflow', value: 'HOW', help: 'when not everything fits: truncate, error or outline' },
  {
    name: 'format',
    value: 'F',
    help: 'how tables are written: csv, markdown or json; text shows a text file as it is',
  },
  { name: 'encoding', value: 'NAME', help: 'the encoding of the text, when the detected one is wrong' },
  { name: 'numbered', short: 'n', help: 'number the lines' },
  { name: 'boxes', help: 'with `--json`, the box of each block of a PDF or slide, in points' },
  { name: 'all', help: 'the whole converted file: no limits, no budget, no notes' },
];

/** Values of options by name, as the parser gives them. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

const asOption = ({ flag, meaning, default: value, unit }: LimitDefinition<string>): Option => ({
  name: flag,
  value: 'N',
  help: `${meaning} (${value} ${unit})`,
});

/** Format and safety limits of a read, as flags. */
export const LIMIT_OPTIONS: readonly Option[] = LIMIT_DEFINITIONS.map(asOption);

/** Limits of a workspace, as flags. */
export const WORKSPACE_LIMIT_OPTIONS: readonly Option[] = WORKSPACE_LIMIT_DEFINITIONS.map(asOption);

/** Limits of a history, as flags. */
export const HISTORY_LIMIT_OPTIONS: readonly Option[] = HISTORY_LIMIT_DEFINITIONS.map(asOption);

/** Limits of a service, as flags. */
export const SERVICE_LIMIT_OPTIONS: readonly Option[] = SERVICE_LIMIT_DEFINITIONS.map(asOption);

/** Limits of reading in child processes, as flags. */
export const ISOLATION_LIMIT_OPTIONS: readonly Option[] = ISOLATION_LIMIT_DEFINITIONS.map(asOption);

/** What every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'json', help: 'print the result as JSON' },
  { name: 'help', short: 'h', help: 'print this help' },
];

/** What `read` takes besides. */
export const READ_OPTIONS: readonly Option[] = [
  ...REQUEST_OPTIONS,
  { name: 'tokenizer', value: 'NAME', help: 'count tokens in cl100k_base (default) or o200k_base' },
  { name: 'no-cache', help: 'neither use nor keep converted documents' },
  { name: 'isolated', help: 'read in a child process, within limits of memory, CPU and time' },
];

/** What `inspect` takes besides. */
export const INSPECT_OPTIONS: readonly Option[] = REQUEST_OPTIONS.filter(({ name }) => name === 'encoding');

/** Options of the library and the flags that set them. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...REQUEST_OPTIONS.map(({ name }) => [name, name] as const),
  ...LIMIT_DEFINITIONS.map(({ key, flag }) => [key, flag] as const),
  ['maxTokens', 'max-tokens-per-file'] as const,
  ['password', 'password-stdin'] as const,
]);

/** What a read says of its request, in the words of the command line: `` `--rows` `` for `` `rows` ``. */
export function inFlags(error: { readonly code: string; readonly message: string; readonly hint: string }): {
  readonly message: string;
  readonly hint: string;
} {
  const flagged = (word: string, name: string): string => {
    const flag = FLAGS.get(name);
    return flag === undefined ? word : `\`--${flag}\``;
  };
  const { code, message, hint } = error;
  return {
    // Elsewhere in a message stands what was given: names and values.
    message:
      code === 'BAD_INPUT' ? message.replace(/^`(\w+)`(?= (?:is|was|cannot be|asks)\b)/, flagged) : message,
    hint: hint.startsWith('Did you mean') ? hint : hint.replace(/`(\w+)`/g, flagged),
  };
}
