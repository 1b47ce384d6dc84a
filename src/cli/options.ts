// Declares the options of the command line: name, value and description. Used by the parser and by help.

import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  QUERY_LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import { SERVICE_LIMIT_DEFINITIONS } from '../service/limits.ts';

/** An option with a value, or a switch. */
export interface Option {
  readonly name: string;
  /** Placeholder of the value in help; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  /** The values it accepts, for completion. */
  readonly choices?: readonly string[] | (() => Promise<readonly string[]>);
  /** In a long list, listed by `--help all` only. */
  readonly isRare?: true;
  readonly help: string;
}

/** The fields of a read request, in the order help lists them. */
export const REQUEST_OPTIONS: readonly Option[] = [
  { name: 'lines', value: 'A-B', help: 'lines of a text: 201-400, 201-, 7, or -100 for the last 100' },
  { name: 'rows', value: 'A-B', help: 'rows of a table, or items of an array, in the same form' },
  { name: 'columns', value: 'LIST', help: 'columns of a table: names, numbers, or letters such as A-F' },
  {
    name: 'no-header',
    isRare: true,
    help: 'the first record of a table is a row, not the names of the columns',
  },
  { name: 'sheet', value: 'NAME', help: "a sheet's name or number" },
  { name: 'pages', value: 'LIST', help: 'pages, such as 1-3,7' },
  {
    name: 'pointer',
    value: 'PATH',
    help: 'part of a structured file, as a JSON Pointer: /items/3, or /items/*/price for all',
  },
  { name: 'symbol', value: 'NAME', help: 'one definition in source code: read, or Reader.read' },
  { name: 'region', isRare: true, value: 'BOX', help: 'a crop of an image in pixels: left,top,width,height' },
  { name: 'bytes', isRare: true, value: 'A-B', help: 'bytes of a text file, read as if they were all of it' },
  {
    name: 'changes',
    isRare: true,
    value: 'HOW',
    choices: ['accept', 'mark'],
    help: 'tracked changes of a document: accept or mark',
  },
  {
    name: 'detail',
    isRare: true,
    value: 'HOW',
    choices: ['low', 'auto', 'full'],
    help: 'image resolution: low, auto or full',
  },
  { name: 'cursor', value: 'C', help: 'continue where an earlier answer ended' },
  {
    name: 'overflow',
    isRare: true,
    value: 'HOW',
    choices: ['truncate', 'error', 'outline'],
    help: 'what to do if the file exceeds the budget: truncate, error or outline',
  },
  {
    name: 'format',
    value: 'F',
    choices: ['csv', 'markdown', 'json', 'text'],
    help: 'output format of tables: csv, markdown or json; text shows a text file unchanged',
  },
  { name: 'encoding', isRare: true, value: 'NAME', help: 'text encoding, if detected wrongly' },
  { name: 'numbered', short: 'n', isRare: true, help: 'number the lines' },
  {
    name: 'boxes',
    isRare: true,
    help: 'with `--json`, the bounding box of each block of a PDF or slide, in points',
  },
  { name: 'all', help: 'the whole converted file: no limits, no budget; warnings go to standard error' },
];

/** Values of options by name, as parsed. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

const asOption = ({ flag, meaning, default: value, unit, kind }: LimitDefinition<string>): Option => ({
  name: flag,
  value: 'N',
  ...(flag !== 'max-tokens' && { isRare: true }),
  // An unset view limit leaves it to the budget how much is shown.
  help: `${meaning} (${kind === 'view' ? 'if set' : `${value} ${unit}`})`,
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

/** Limits of SQL queries, as flags. */
export const QUERY_LIMIT_OPTIONS: readonly Option[] = QUERY_LIMIT_DEFINITIONS.map(asOption);

/** Options of every command. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'json', help: 'print the result as JSON' },
  { name: 'help', short: 'h', help: 'print this help' },
];

const INPUT_NAME: Option = {
  name: 'name',
  value: 'NAME',
  help: 'a name for standard input, such as `report.pdf`, whose extension determines the format',
};

/** Of every command whose output a model may read. */
export const REDACT_OPTIONS: readonly Option[] = [
  { name: 'redact', help: 'replace keys, tokens, private keys and passwords by placeholders' },
];

/** The option of a reader. */
export const redactFrom = (values: Values): { readonly redact?: true } =>
  values['redact'] === true ? { redact: true } : {};

/** Additional options of `read`. */
export const READ_OPTIONS: readonly Option[] = [
  ...REQUEST_OPTIONS,
  INPUT_NAME,
  {
    name: 'tokenizer',
    isRare: true,
    value: 'NAME',
    choices: ['cl100k_base', 'o200k_base'],
    help: 'count tokens in cl100k_base (default) or o200k_base',
  },
  ...REDACT_OPTIONS,
  { name: 'no-cache', isRare: true, help: 'do not use the cache of converted documents' },
  { name: 'isolated', isRare: true, help: 'read in a child process with memory, CPU and time limits' },
];

/** Default budget of the list of contents of a file. */
export const CONTENTS_TOKENS = 1000;

/** Additional options of `inspect`. */
export const INSPECT_OPTIONS: readonly Option[] = [
  ...REDACT_OPTIONS,
  ...REQUEST_OPTIONS.filter(({ name }) => ['encoding', 'sheet', 'cursor'].includes(name)),
  INPUT_NAME,
  {
    name: 'max-tokens',
    value: 'N',
    help: `budget of the list of contents: headings, tables, comments, sheets, keys (${CONTENTS_TOKENS}); 0 for none`,
  },
];

/** Library options and their flags. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...REQUEST_OPTIONS.map(({ name }) => [name, name] as const),
  ...[...LIMIT_DEFINITIONS, ...ISOLATION_LIMIT_DEFINITIONS, ...QUERY_LIMIT_DEFINITIONS].map(
    ({ key, flag }) => [key, flag] as const,
  ),
  ['maxTokens', 'max-tokens'] as const,
  ['overlap', 'overlap'] as const,
  ['header', 'no-header'] as const,
  ['password', 'password-stdin'] as const,
]);

/** Replaces option names of the library in a message by flags: `` `--rows` `` for `` `rows` ``. */
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
    // Other backticks in a message quote names and values from the input.
    message: (code === 'BAD_INPUT'
      ? message.replace(/^`(\w+)`(?= (?:is|was|cannot be|asks)\b)/, flagged)
      : message
    ).replace(/(?<=\(limit |more than the \d+ that )`(\w+)`/, flagged),
    hint: hint.startsWith('Did you mean') ? hint : asCommand(hint.replace(/`(\w+)`/g, flagged)),
  };
}

/** ``Set `--max-tokens` to 5, or `--all` to true`` as typed: ``Use `--max-tokens 5`, or `--all` ``. */
function asCommand(hint: string): string {
  const typed = hint
    .replace(/`(--no-[\w-]+)` to false\b/g, '`$1`')
    .replace(/`(--[\w-]+)` to true\b/g, '`$1`')
    .replace(/`(--[\w-]+)` to (\d+)\b/g, '`$1 $2`');
  return typed === hint
    ? hint
    : typed.replace(/\b([Ss])et (?=`--)/g, (_, s: string) => (s === 'S' ? 'Use ' : 'use '));
}
