// `lectern read`: prints files as a model would see them, or as JSON.

import { fstatSync } from 'node:fs';
import { basename } from 'node:path';
import {
  headingOf,
  jsonWithBytes,
  oneLine,
  quoted,
  shortName,
  viewOf,
  visibleJson,
} from '../contract/index.ts';
import {
  createReader,
  createReadPool,
  type EncodingName,
  EXIT_STATUS,
  type FileExtractionResult,
  type Input,
  type Inspection,
  type Part,
  type Reader,
  ReaderError,
  type ReadRequest,
  type Truncation,
} from '../index.ts';
import type { Command } from './command.ts';
import { folderText, isDirectory, shellWord } from './folder-text.ts';
import { isolationLimitsFrom, limitsFrom } from './limit-flags.ts';
import { OCR_OPTIONS, ocrFrom } from './ocr.ts';
import {
  COMMON_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  inFlags,
  LIMIT_OPTIONS,
  READ_OPTIONS,
  REQUEST_OPTIONS,
  redactFrom,
  type Values,
} from './options.ts';
import { PASSWORD_OPTIONS, passwordFrom, promptedPassword } from './password.ts';
import { progressOf, type Terminal } from './terminal.ts';

function requestFrom(values: Values, terminal: Terminal): ReadRequest {
  const request: Record<string, string | boolean> = {};
  for (const { name } of REQUEST_OPTIONS) {
    const value = values[name];
    if (value !== undefined) request[name === 'no-header' ? 'header' : name] = name !== 'no-header' && value;
  }
  // Unparsed values under the request's field names; `read` validates them.
  return { ...(request as ReadRequest), signal: terminal.signal, onProgress: terminal.progress };
}

export function tokenizerFrom(values: Values): EncodingName | undefined {
  const { tokenizer } = values;
  if (tokenizer === undefined || tokenizer === 'cl100k_base' || tokenizer === 'o200k_base') return tokenizer;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--tokenizer\` is ${quoted(String(tokenizer))}; expected \`cl100k_base\` or \`o200k_base\`.`,
    'Use one of these, or omit `--tokenizer`.',
  );
}

/**
 * A file, or standard input under the name that the option `name` gives.
 * @throws {ReaderError} NOT_A_FILE if standard input is a directory, which would read as empty
 */
export function inputFrom(file: string, { stdin }: Terminal, { name }: Values = {}): Input {
  if (file !== '-') return file;
  if (stdin === process.stdin && fstatSync(0).isDirectory())
    throw new ReaderError(
      'NOT_A_FILE',
      'Standard input is a directory; expected a file.',
      'Redirect a file to standard input, or give its path.',
    );
  return { name: typeof name === 'string' && name !== '' ? basename(name) : 'stdin', stream: stdin };
}

export function needFiles(files: readonly string[]): void {
  if (files.length === 0)
    throw new ReaderError(
      'BAD_INPUT',
      'No file given.',
      'Give one or more files, or `-` for standard input.',
    );
}

export function report(
  terminal: Terminal,
  name: string,
  error: { code: string; message: string; hint: string },
): void {
  if (error.code === 'ABORTED') {
    terminal.err('lectern: interrupted\n');
    return;
  }
  const { message, hint: given } = inFlags(error);
  const hint = given.startsWith('List the directory')
    ? `\`lectern tree ${shellWord(name)}\` lists it.`
    : given;
  terminal.err(`${shortName(name)}: ${error.code}:`, 'red');
  terminal.err(` ${oneLine(`${message} ${hint}`)}\n`);
}

/** 0 on success, or the exit status of the first error. */
export function statusOf(results: readonly (FileExtractionResult | Inspection)[]): number {
  for (const result of results) if (!result.success) return EXIT_STATUS[result.error.code];
  return 0;
}

/** JSON without colours; hidden characters are escaped. */
export const asJson = (value: unknown): string => `${visibleJson(jsonWithBytes(value, 2))}\n`;

export const read: Command = {
  options: [
    ...READ_OPTIONS,
    ...PASSWORD_OPTIONS,
    ...OCR_OPTIONS,
    ...LIMIT_OPTIONS,
    ...ISOLATION_LIMIT_OPTIONS,
    ...COMMON_OPTIONS,
  ],
  async run(files, values, terminal) {
    needFiles(files);
    refuseBudget(values);
    const tokenizer = tokenizerFrom(values);
    const pool =
      values['isolated'] === true ? createReadPool({ limits: isolationLimitsFrom(values) }) : undefined;
    const reader = createReader({
      environment: terminal.environment,
      limits: limitsFrom(values),
      ...(tokenizer && { tokenizer }),
      ...(values['no-cache'] === true && { cache: false }),
      ...(pool && { isolation: pool }),
      ...(await ocrFrom(values, terminal.environment)),
      ...redactFrom(values),
    });
    try {
      const password = await passwordFrom(files, values, terminal);
      const request = { ...requestFrom(values, terminal), ...password };
      return await readAll(files, reader, request, values, terminal);
    } finally {
      await pool?.close();
    }
  },
};

/** `--all` has no budget. @throws {ReaderError} BAD_INPUT */
function refuseBudget(values: Values): void {
  const budget = ['max-tokens', 'max-total-output'].find((name) => values[name] !== undefined);
  if (values['all'] === true && budget !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--all\` and \`--${budget}\` cannot be combined.`,
      'Omit one of them.',
    );
}

async function readAll(
  files: readonly string[],
  reader: Reader,
  request: ReadRequest,
  values: Values,
  terminal: Terminal,
): Promise<number> {
  const json = values['json'] === true;
  if (!json && (await Promise.all(files.map(isDirectory))).includes(true))
    return readApart(files, reader, request, values, terminal);
  const inputs = files.map((file) => inputFrom(file, terminal, values));
  const [only] = inputs;
  if (request.all === true && !json) return streamAll(inputs, files, request, reader, terminal);
  const attempt = async (asked: ReadRequest): Promise<FileExtractionResult[]> =>
    inputs.length === 1 && only !== undefined
      ? [await reader.read(only, { ...asked, onProgress: progressOf(terminal, files, 0) })]
      : reader.readMany(inputs, asked);
  let results = await attempt(request);
  const password = await askedFor(results, files, request, terminal);
  if (password !== undefined) results = await attempt({ ...request, password });
  terminal.done();
  if (json) await terminal.out(asJson(results.length === 1 ? results[0] : results));
  for (const [at, result] of results.entries()) {
    if (!result.success) report(terminal, files[at] ?? result.metadata.name, result.error);
    else if (!json) await printText(result.text, results.length > 1, terminal);
    if (!result.success && result.error.code === 'ABORTED') break;
  }
  const [one] = results;
  if (!json && results.length === 1 && one?.success && one.content.some(({ kind }) => kind === 'binary'))
    suggestInspect(files[0] ?? '', terminal);
  if (!json && results.length === 1 && one?.success && one.truncation?.next)
    suggestNext(files[0] ?? '', one.truncation.next, terminal);
  return statusOf(results);
}

/** Files and folders, one after the other: a folder as a tree. */
async function readApart(
  files: readonly string[],
  reader: Reader,
  request: ReadRequest,
  values: Values,
  terminal: Terminal,
): Promise<number> {
  let status = 0;
  for (const file of files) {
    const tree = await folderText(file, reader, request);
    if (files.length > 1) await terminal.out(headingOf(file), 'bold');
    if (tree === undefined) status ||= await readAll([file], reader, request, values, terminal);
    else await terminal.out(tree);
  }
  return status;
}

/** The password for the first file that needs one, if a person can type it. */
async function askedFor(
  results: readonly FileExtractionResult[],
  files: readonly string[],
  request: ReadRequest,
  terminal: Terminal,
): Promise<string | undefined> {
  for (const [at, result] of results.entries())
    if (!result.success && result.error.code === 'ENCRYPTED_FILE')
      return promptedPassword(files, files[at] ?? '', result.error, request, terminal);
  return undefined;
}

/** The text a model sees, with a line break at its end; `hasHeading`: its first line is a heading. */
export async function printText(text: string, hasHeading: boolean, terminal: Terminal): Promise<void> {
  const body = hasHeading ? text.indexOf('\n') + 1 : 0;
  if (body > 0) await terminal.out(text.slice(0, body), 'bold');
  const rest = text.slice(body);
  if (rest !== '') await terminal.out(rest.endsWith('\n') ? rest : `${rest}\n`);
}

/** The command that continues a truncated answer, for a person at a terminal. */
function suggestNext(file: string, { request, cursor }: NextRequest, terminal: Terminal): void {
  if (!terminal.isInteractive || file === '-') return;
  const fields = Object.entries(request ?? {}).filter(([name]) =>
    REQUEST_OPTIONS.some((option) => option.name === name),
  );
  // An address contradicts the next fields; a cursor was made with it.
  const flags = (file.includes('#') ? [] : fields).map(
    ([name, value]) => `--${name} ${shellWord(String(value))}`,
  );
  const next = flags.length > 0 ? flags.join(' ') : `--cursor ${cursor}`;
  terminal.err(`Next: lectern read ${shellWord(file)} ${next} (or --all for the whole file)\n`, 'dim');
}

/** A terminal shows no pictures or sound. */
function suggestInspect(file: string, terminal: Terminal): void {
  if (!terminal.isInteractive || file === '-') return;
  const name = shellWord(file);
  terminal.err(
    `\`lectern inspect ${name}\` prints more facts; \`lectern read ${name} --json\` includes the bytes.\n`,
    'dim',
  );
}

type NextRequest = NonNullable<Truncation['next']>;

async function streamAll(
  inputs: readonly Input[],
  files: readonly string[],
  request: ReadRequest,
  reader: Reader,
  terminal: Terminal,
): Promise<number> {
  const { all: _all, cursor, ...rest } = request;
  if (cursor !== undefined)
    throw new ReaderError('BAD_INPUT', '`--all` and `--cursor` cannot be combined.', 'Omit one of them.');
  let status = 0;
  let asked: ReadRequest = rest;
  // Standard output holds the file alone, so that it can be piped; warnings go to standard error.
  const parts = async function* (input: Input, at: number): AsyncGenerator<Part> {
    const onProgress = progressOf(terminal, files, at);
    for (const { code, message } of yield* reader.stream(input, { ...asked, onProgress }))
      terminal.err(`${shortName(files[at] ?? '')}: ${code}: ${oneLine(message)}\n`);
  };
  const stream = async (input: Input, at: number): Promise<void> => {
    for await (const part of parts(input, at))
      await terminal.out(part.kind === 'text' ? viewOf(part) : part.data);
  };
  for (const [at, input] of inputs.entries()) {
    const name = files[at] ?? '';
    try {
      if (inputs.length > 1) await terminal.out(headingOf(name), 'bold');
      await stream(input, at).catch(async (error: unknown) => {
        const password =
          error instanceof ReaderError
            ? await promptedPassword(files, name, error, asked, terminal)
            : undefined;
        if (password === undefined) throw error;
        asked = { ...asked, password };
        await stream(input, at);
      });
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      report(terminal, name, error);
      status ||= EXIT_STATUS[error.code];
    }
  }
  terminal.done();
  return status;
}
