// `lectern compact`: compacts a conversation in a file to fit the context window. Prints the messages on standard output
// and the report on standard error.

import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errnoOf, oneLine, quoted } from '../contract/index.ts';
import type { Codec, CodecName, Estimator, Report } from '../history/index.ts';
import { createWorkspace, EXIT_STATUS, ReaderError, type Tokens } from '../index.ts';
import { WORKSPACE_LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { COMPACT_OPTIONS, LIMIT_OPTIONS, optionsFrom, textOf, thresholdFrom } from './compact-options.ts';
import { type ReportContext, summaryOf, triggerWords } from './compact-report.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { COMMON_OPTIONS } from './options.ts';
import type { Terminal } from './terminal.ts';
import { asObject, written } from './written-conversation.ts';

/** Prints the messages. Returns 0, or the exit status of the problem. */
export const compact: Command = {
  options: [...COMPACT_OPTIONS, ...LIMIT_OPTIONS, ...COMMON_OPTIONS],
  // Of the archive.
  variables: WORKSPACE_LIMIT_DEFINITIONS,
  async run(files, values, terminal) {
    const [file] = files;
    if (file === undefined || files.length > 1)
      throw new ReaderError(
        'BAD_INPUT',
        file === undefined ? 'No file given.' : `${files.length} files given; expected one.`,
        'Give the file of one conversation, or `-` for standard input.',
      );
    const given = optionsFrom(values);
    const conversation = await readConversation(file, terminal);
    const history = await import('../history/index.ts');
    const { body, messages } = conversation;
    const model =
      textOf(values, 'model') ?? (typeof body?.['model'] === 'string' ? body['model'] : undefined);
    if (given.window === undefined && model === undefined) throw noWindow();
    const codec = codecFor(messages, given.format, history);
    const archive = textOf(values, 'archive');
    if (archive !== undefined) await makeFolder(archive);
    const { environment } = terminal;
    const window = given.window ?? history.modelFacts(model ?? '').window;
    const threshold = thresholdFrom(values, window, environment);
    const system = systemOf(body);
    const compacted = await history.compact(
      messages,
      {
        window,
        threshold,
        ...(given.preset !== undefined && { preset: given.preset }),
        ...(given.format !== undefined && { format: given.format }),
        ...(given.goal !== undefined && { goal: given.goal }),
        ...(model !== undefined && { model }),
        ...(archive !== undefined && {
          storage: history.workspaceStorage(createWorkspace({ root: resolve(archive) }, { environment })),
        }),
      },
      {
        ...(system !== undefined && { system }),
        ...(body?.['tools'] !== undefined && { tools: body['tools'] }),
        force: values['force'] === true,
        signal: terminal.signal,
      },
    );
    const report = withOwnHint(compacted.report, values['target'] !== undefined);
    const estimator = history.createEstimator(history.modelFacts(model ?? '').profile, model, codec.name);
    const preset = history.presetOf(report.preset, window);
    const context: ReportContext = {
      report,
      formatBy: given.format === undefined ? 'found' : 'named',
      windowFrom: windowWords(given.window, model, history),
      archive: archive ?? null,
      forced: values['force'] === true,
      triggerFrom: triggerWords(
        report,
        { ...preset.threshold, ...threshold },
        fixedTokens(conversation, codec, estimator),
      ),
      source: file === '-' ? 'the standard input' : quoted(file),
    };
    const asJson = values['json'] === true;
    await print(conversation, compacted.messages, asJson ? report : null, terminal);
    if (!asJson) terminal.err(summaryOf(context));
    const { problem } = report;
    if (problem === null) return 0;
    terminal.err(`${oneLine(`lectern: ${problem.code}: ${problem.message} ${problem.hint}`)}\n`);
    return EXIT_STATUS[problem.code];
  },
};

type History = typeof import('../history/index.ts');

/** @throws {ReaderError} BAD_INPUT for a wrong format, or if none is detected */
function codecFor(messages: readonly unknown[], named: CodecName | undefined, history: History): Codec {
  if (named === undefined) return history.detectCodec(messages, '`--format NAME`');
  const codec = history.codecOf(named);
  refuseForeign(messages, codec, history.CODECS);
  return codec;
}

/** Source of the window. */
function windowWords(window: Tokens | undefined, model: string | undefined, history: History): string {
  if (window !== undefined) return '`--window`';
  const name = quoted(model ?? '');
  return history.modelFacts(model ?? '') === history.modelFacts('')
    ? `default, because ${name} is unknown`
    : `of ${name}`;
}

/** Cost of instructions and tools, which compaction does not change. */
function fixedTokens({ body, messages }: Conversation, codec: Codec, estimator: Estimator): Tokens {
  const system = systemOf(body);
  let tokens = system === undefined ? 0 : estimator.text(system);
  if (body?.['tools'] !== undefined) tokens += estimator.tools(body['tools']);
  for (const message of messages) {
    const view = codec.view(message);
    if (view.role === 'system') tokens += estimator.message(view);
  }
  return tokens;
}

/** Rejects a given format that does not match messages another format matches completely. */
function refuseForeign(messages: readonly unknown[], named: Codec, codecs: readonly Codec[]): void {
  if (named.detect(messages)) return;
  const found = codecs.find((codec) => codec.detect(messages));
  const isWhole = (codec: Codec, message: unknown): boolean =>
    codec.view(message).items.every(({ kind }) => kind !== 'opaque');
  const index = found
    ? messages.findIndex((message) => !isWhole(named, message) && isWhole(found, message))
    : -1;
  if (!found || index < 0) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--format\` is \`${named.name}\`, but the messages are in the format \`${found.name}\`: message ${index + 1} is not valid in \`${named.name}\`.`,
    `Use \`--format ${found.name}\`, or omit it.`,
  );
}

/** The problem with a hint for the command line, where no message can be pinned. */
function withOwnHint(report: Report, hasTarget: boolean): Report {
  const { problem } = report;
  if (problem?.code !== 'OVER_BUDGET') return report;
  const hint = hasTarget
    ? 'Set a larger `--target`.'
    : 'Use a model with a larger window, a shorter system prompt, or fewer tool definitions.';
  return { ...report, problem: { ...problem, hint } };
}

async function print(
  conversation: Conversation,
  messages: readonly unknown[],
  report: unknown,
  terminal: Terminal,
): Promise<void> {
  const pieces =
    report === null ? written(conversation, messages) : asObject({ messages, report }, 'messages');
  for (const piece of pieces) await terminal.out(piece);
}

async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  try {
    // Does not create parents, so that a mistyped path leaves no folders behind.
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const code = errnoOf(error);
    const taken = code === 'EEXIST' || code === 'ENOTDIR';
    const orphan = !taken && !(await isFolder(dirname(path)));
    throw new ReaderError(
      taken ? 'NOT_A_FOLDER' : orphan ? 'FILE_NOT_FOUND' : 'ACCESS_DENIED',
      `\`--archive\` is ${quoted(folder)}, which ${taken ? 'is not a folder' : orphan ? 'has no parent folder' : 'cannot be created'}.`,
      orphan
        ? 'Create its parent folder first, or use another folder.'
        : 'Use a writable folder; a missing one is created.',
      error,
    );
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function noWindow(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'Unknown context window: neither `--window` nor `--model` was given.',
    'Set `--window`, such as `--window 128000`, or `--model`, such as `--model claude-sonnet-5`.',
  );
}

/** Instructions in a request body outside its messages, as text. */
function systemOf(body: Conversation['body']): string | undefined {
  for (const field of ['system', 'instructions', 'systemInstruction', 'system_instruction']) {
    const value = body?.[field];
    if (value !== undefined && value !== null) return textIn(value);
  }
  return undefined;
}

/** Texts of parts, nested at most this deep in any provider's format. */
function textIn(value: unknown, depth: number = 4): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth === 0) return '';
  if (Array.isArray(value)) return value.map((part) => textIn(part, depth - 1)).join('\n');
  return textIn(Reflect.get(value, 'text') ?? Reflect.get(value, 'parts'), depth - 1);
}
