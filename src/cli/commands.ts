// What each command does, as plain functions over a Terminal; the process itself is in `main.ts`.

import {
  headingOf,
  jsonWithBytes,
  oneLine,
  plural,
  quoted,
  shortName,
  viewOf,
  visibleJson,
  visibleName,
} from '../contract/index.ts';
import {
  cacheDirectory,
  createDiskCache,
  createReader,
  createReadPool,
  type EncodingName,
  EXIT_STATUS,
  type FileExtractionResult,
  type Input,
  type Inspection,
  type Reader,
  ReaderError,
  type ReadRequest,
} from '../index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import { compact } from './compact-command.ts';
import { examine } from './doctor.ts';
import { keys } from './keys-command.ts';
import { historyLimitsFrom, isolationLimitsFrom, limitsFrom, workspaceLimitsFrom } from './limit-flags.ts';
import { mcp } from './mcp-command.ts';
import {
  COMMON_OPTIONS,
  HISTORY_LIMIT_OPTIONS,
  INSPECT_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  inFlags,
  LIMIT_OPTIONS,
  type Option,
  READ_OPTIONS,
  REQUEST_OPTIONS,
  type Values,
  WORKSPACE_LIMIT_OPTIONS,
} from './options.ts';
import { serve } from './serve-command.ts';
import type { Terminal } from './terminal.ts';

/** One command of the command line. `run` gives the exit status. */
export interface Command {
  readonly name: string;
  /** What follows the name in help. */
  readonly usage: string;
  readonly help: string;
  readonly options: readonly Option[];
  run(files: readonly string[], values: Values, terminal: Terminal): Promise<number>;
}

function requestFrom(values: Values, terminal: Terminal): ReadRequest {
  const request: Record<string, string | boolean> = {};
  for (const { name } of REQUEST_OPTIONS) {
    const value = values[name];
    if (value !== undefined) request[name] = value;
  }
  // Texts and switches under the request's own field names; `read` checks their form and names what is wrong.
  return { ...(request as ReadRequest), signal: terminal.signal, onProgress: terminal.progress };
}

function tokenizerFrom(values: Values): EncodingName | undefined {
  const { tokenizer } = values;
  if (tokenizer === undefined || tokenizer === 'cl100k_base' || tokenizer === 'o200k_base') return tokenizer;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--tokenizer\` is ${quoted(String(tokenizer))}; expected \`cl100k_base\` or \`o200k_base\`.`,
    'Use `cl100k_base`, or leave `--tokenizer` out.',
  );
}

const inputFrom = (file: string, terminal: Terminal): Input =>
  file === '-' ? { name: 'stdin', stream: terminal.stdin } : file;

function needFiles(files: readonly string[]): void {
  if (files.length === 0)
    throw new ReaderError(
      'BAD_INPUT',
      'No file is named.',
      'Name one or more files, or `-` for standard input.',
    );
}

function report(
  terminal: Terminal,
  name: string,
  error: { code: string; message: string; hint: string },
): void {
  const { message, hint } = inFlags(error);
  terminal.err(`${oneLine(`${shortName(name)}: ${error.code}: ${message} ${hint}`)}\n`);
}

/** 0 when all went well, else the status of the first error. */
function statusOf(results: readonly (FileExtractionResult | Inspection)[]): number {
  for (const result of results) if (!result.success) return EXIT_STATUS[result.error.code];
  return 0;
}

/** Plain JSON on a terminal too: hidden characters are escaped. */
const asJson = (value: unknown): string => `${visibleJson(jsonWithBytes(value, 2))}\n`;

const read: Command = {
  name: 'read',
  usage: 'FILE...',
  help: 'Print what a model would see of each file; `-` is standard input.',
  options: [...READ_OPTIONS, ...LIMIT_OPTIONS, ...ISOLATION_LIMIT_OPTIONS, ...COMMON_OPTIONS],
  async run(files, values, terminal) {
    needFiles(files);
    const tokenizer = tokenizerFrom(values);
    const pool =
      values['isolated'] === true ? createReadPool({ limits: isolationLimitsFrom(values) }) : undefined;
    const reader = createReader({
      limits: limitsFrom(values),
      ...(tokenizer && { tokenizer }),
      ...(values['no-cache'] === true && { cache: false }),
      ...(pool && { isolation: pool }),
    });
    try {
      return await readAll(files, reader, requestFrom(values, terminal), values['json'] === true, terminal);
    } finally {
      await pool?.close();
    }
  },
};

async function readAll(
  files: readonly string[],
  reader: Reader,
  request: ReadRequest,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const inputs = files.map((file) => inputFrom(file, terminal));
  if (request.all === true && !json) return streamAll(inputs, files, request, reader, terminal);
  const [only] = inputs;
  const results =
    inputs.length === 1 && only !== undefined
      ? [await reader.read(only, request)]
      : await reader.readMany(inputs, request);
  terminal.done();
  if (json) await terminal.out(asJson(results.length === 1 ? results[0] : results));
  for (const result of results) {
    if (!result.success) report(terminal, result.metadata.name, result.error);
    else if (!json)
      await terminal.out(result.text.endsWith('\n') || result.text === '' ? result.text : `${result.text}\n`);
  }
  return statusOf(results);
}

async function streamAll(
  inputs: readonly Input[],
  files: readonly string[],
  request: ReadRequest,
  reader: Reader,
  terminal: Terminal,
): Promise<number> {
  const { all: _all, cursor, ...rest } = request;
  if (cursor !== undefined)
    throw new ReaderError('BAD_INPUT', '`--all` and `--cursor` were both given.', 'Leave one of them out.');
  let status = 0;
  for (const [i, input] of inputs.entries()) {
    try {
      if (inputs.length > 1) await terminal.out(headingOf(files[i] ?? ''));
      for await (const part of reader.stream(input, rest))
        await terminal.out(part.kind === 'text' ? viewOf(part) : part.data);
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      report(terminal, visibleName((files[i] ?? '').split(/[/\\]/).at(-1) ?? ''), error);
      status ||= EXIT_STATUS[error.code];
    }
  }
  terminal.done();
  return status;
}

const inspect: Command = {
  name: 'inspect',
  usage: 'FILE...',
  help: 'Print the type, encoding and counts of each file, without content.',
  options: [...INSPECT_OPTIONS, ...COMMON_OPTIONS],
  async run(files, values, terminal) {
    needFiles(files);
    const reader = createReader();
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

function facts(result: Inspection & { success: true }): string {
  const { name, encoding, ...rest } = result.metadata;
  const rows: [string, unknown][] = [['file type', `${result.fileType} (read as ${result.processor})`]];
  if (encoding) rows.push(['encoding', `${encoding.name}, ${Math.round(encoding.confidence * 100)} % sure`]);
  rows.push(...Object.entries(rest));
  for (const { code, message } of result.warnings) rows.push(['warning', `${code}: ${message}`]);
  const width = Math.max(...rows.map(([key]) => key.length));
  const lines = rows.map(
    ([key, value]) =>
      `  ${key.padEnd(width)}  ${oneLine(typeof value === 'object' || value === '\t' ? JSON.stringify(value) : String(value))}`,
  );
  return `${shortName(name)}\n${lines.join('\n')}\n`;
}

const formats: Command = {
  name: 'formats',
  usage: '',
  help: 'List the formats that can be read, with their file name endings.',
  options: COMMON_OPTIONS,
  async run(_files, values, terminal) {
    const { processors } = createReader();
    const rows = processors.map(({ name, fileType, extensions, mimeTypes, names, selects }) => ({
      name,
      fileType,
      extensions,
      mimeTypes,
      names: names ?? [],
      selects,
    }));
    if (values['json'] === true) await terminal.out(asJson(rows));
    else {
      const count = rows.reduce((sum, row) => sum + row.extensions.length, 0);
      const lines = rows.map(
        (row) =>
          `${row.name}\n${wrap([...new Set([...row.extensions, ...row.names])].join(' '), 2, terminal.columns)}`,
      );
      await terminal.out(
        `${lines.join('\n')}\n\n${rows.length} formats, ${count} endings. Anything else that is text is read as text.\n`,
      );
    }
    return 0;
  },
};

const limits: Command = {
  name: 'limits',
  usage: '',
  help: 'List every limit with its value, environment variable and flag.',
  options: [
    ...LIMIT_OPTIONS,
    ...WORKSPACE_LIMIT_OPTIONS,
    ...HISTORY_LIMIT_OPTIONS,
    ...ISOLATION_LIMIT_OPTIONS,
    ...COMMON_OPTIONS,
  ],
  async run(_files, values, terminal) {
    const ofReads = resolveLimits(limitsFrom(values), process.env);
    const ofWorkspaces = resolveWorkspaceLimits(workspaceLimitsFrom(values), process.env);
    const ofHistories = resolveHistoryLimits(historyLimitsFrom(values), process.env);
    const ofIsolation = resolveIsolationLimits(isolationLimitsFrom(values), process.env);
    const rows = [
      ...LIMIT_DEFINITIONS.map((definition) => ({ ...definition, value: ofReads[definition.key] })),
      ...WORKSPACE_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofWorkspaces[definition.key],
      })),
      ...HISTORY_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofHistories[definition.key],
      })),
      ...ISOLATION_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofIsolation[definition.key],
      })),
    ];
    if (values['json'] === true) await terminal.out(asJson(rows));
    else {
      const width = Math.max(...rows.map(({ variable }) => variable.length));
      const flags = Math.max(...rows.map(({ flag }) => flag.length)) + 2;
      const lines = rows.map(
        (row) =>
          `${row.variable.padEnd(width)}  --${row.flag.padEnd(flags)}${String(row.value).padStart(11)} ${row.unit.padEnd(11)} ${row.meaning}`,
      );
      await terminal.out(`${lines.join('\n')}\n`);
    }
    return 0;
  },
};

const cache: Command = {
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
    const directory = cacheDirectory(process.env);
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

/** `text` in lines of at most `columns`, each indented. */
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
